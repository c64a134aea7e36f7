"""What makes a family good, asked of each; by numpy, and by the real frameworks."""

import asyncio
import math

import numpy as np
import pytest

from repair_bench.executors import LocalExecutor
from repair_bench.suites.conventions.circuit import Circuit, Measure, h
from repair_bench.suites.conventions.edition import Edition, Level, every_family, level
from repair_bench.suites.conventions.hypotheses import alike
from repair_bench.suites.conventions.loader import task_under
from repair_bench.suites.conventions.render import RENDERERS
from repair_bench.suites.conventions.wording import SAY, statement

FAMILIES = list(every_family())
SEEDS = (Edition().seed, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(4)))
MOST = max(Edition().bits)


def widest(family: str, seed: int = Edition().seed) -> Level:
    return level(family, seed, MOST)


def answers(kind: str, circuit: Circuit) -> object:
    return {"distribution": circuit.distribution, "state": circuit.state, "unitary": circuit.unitary}[kind]()


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("seed", SEEDS)
def test_as_many_right_answers_as_the_level_says(family: str, seed: int) -> None:
    counts = [len(level(family, seed, bits).hypotheses) for bits in Edition().bits]
    assert counts[0] == 1
    assert all(2**bits <= count <= 2 ** (bits + 1) for bits, count in zip(Edition().bits, counts, strict=True)), counts
    for bits in Edition().bits:
        made = level(family, seed, bits)
        assert 0 <= made.truth < len(made.hypotheses)
        assert len(made.hypotheses) == 1 or made.opened > 0


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("seed", SEEDS)
def test_no_two_hypotheses_have_the_same_answers(family: str, seed: int) -> None:
    made = widest(family, seed)
    kind = made.problem.family.kind
    for i, one in enumerate(made.hypotheses):
        for other in made.hypotheses[:i]:
            same = [alike(kind, a, b) for a, b in zip(one.answers, other.answers, strict=True)]
            assert not all(same)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("seed", SEEDS)
def test_nothing_without_an_idea_is_right(family: str, seed: int) -> None:
    made = widest(family, seed)
    kind, size = made.problem.family.kind, made.problem.family.size
    for gates in ([], [h(qubit) for qubit in range(size)]):
        measured = [Measure(qubit, qubit) for qubit in range(size)] if kind == "distribution" else []
        blank = answers(kind, Circuit(size, (*gates, *measured)))
        for hypothesis in made.hypotheses:
            assert not all(alike(kind, answer, blank) for answer in hypothesis.answers), hypothesis.choice


@pytest.mark.parametrize("family", FAMILIES)
def test_the_words_say_what_is_settled_and_no_more(family: str) -> None:
    made = every_family()[family]
    problem = widest(family).problem
    assert len({d.name for d in made.dimensions}) == len(made.dimensions)
    for bits in Edition().bits:
        opened = level(family, Edition().seed, bits).opened
        for say in SAY:
            words = statement(problem, opened, say)
            assert "{" not in words.replace("{0", "")
            for number, dimension in enumerate(made.dimensions):
                for option in dimension.options:
                    told = option.words.format(**problem.constants) in words
                    assert told == (number >= opened and problem.hidden[dimension.name] == option.name)
                is_asked = dimension.question.format(**problem.constants) in words
                assert is_asked == (number < opened and say == "listed")
                if say == "named" and number < opened:
                    assert dimension.about.format(**problem.constants) in words


@pytest.mark.parametrize("family", FAMILIES)
def test_answers_are_well_formed(family: str) -> None:
    made = widest(family)
    size, kind = made.problem.family.size, made.problem.family.kind
    for hypothesis in made.hypotheses:
        assert len(hypothesis.answers) == len(made.problem.calls)
        for circuit, answer in zip(hypothesis.circuits, hypothesis.answers, strict=True):
            if kind == "distribution":
                assert len(circuit.measured) == size
                assert math.isclose(sum(answer.values()), 1)
            else:
                assert not circuit.measured
                assert answer.shape[0] == 2**size
                assert np.isclose(np.linalg.norm(answer) ** 2, 1 if kind == "state" else 2**size)


@pytest.mark.slow
@pytest.mark.parametrize("framework", RENDERERS)
@pytest.mark.parametrize("family", FAMILIES)
def test_the_frameworks_agree_with_numpy(family: str, framework: str, executor: LocalExecutor) -> None:
    """The rendered reference of each hypothesis passes under its own and under no other."""
    made = widest(family)
    tasks = [task_under(made, hypothesis, framework, suite="conventions") for hypothesis in made.hypotheses]

    async def every() -> list[list[str]]:
        outcomes = [await executor.run(task.check.program(task, str(task.reference))) for task in tasks]
        return [[truth.check.judge(truth, outcome).kind for truth in tasks] for outcome in outcomes]

    verdicts = asyncio.run(every())
    for i, row in enumerate(verdicts):
        assert [kind == "pass" for kind in row] == [i == j for j in range(len(tasks))], (made.hypotheses[i].choice, row)
