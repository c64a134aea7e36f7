"""Requirements on every family, tested with numpy and with the real frameworks."""

import math

import numpy as np
import pytest
from executed_references import outcomes
from scipy.stats import binomtest

from repair_bench.agent.models import Request, create
from repair_bench.agent.models.sim.profiles import PROFILES
from repair_bench.coroutines import run_to_end
from repair_bench.executors.local import LocalExecutor
from repair_bench.grading.judge import Judge
from repair_bench.prompts.compose import compose
from repair_bench.prompts.condition import Condition
from repair_bench.suites import aligned
from repair_bench.suites.conventions import load
from repair_bench.suites.conventions.circuit import Circuit, Measure, h
from repair_bench.suites.conventions.edition import EXAMPLE, SAY, Edition, Level, every_family, level
from repair_bench.suites.conventions.hypotheses import accepts, separates
from repair_bench.suites.conventions.loader import frameworks_of, statement, task_under
from repair_bench.suites.task import Task

FAMILIES = list(every_family())
PIPELINES = [name for name in FAMILIES if every_family()[name].stages == 2]
SEEDS = (EXAMPLE, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(2)))
MAX_BITS = max(Edition().bits)


def widest(family: str, seed: int = EXAMPLE, framework: str = "cirq") -> Level:
    return level(family, seed, MAX_BITS, framework)


def answers(kind: str, circuit: Circuit) -> object:
    return {"distribution": circuit.distribution, "state": circuit.state, "unitary": circuit.unitary}[kind]()


@pytest.mark.slow
@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("seed", SEEDS)
def test_the_number_of_hypotheses_agrees_with_the_level(family: str, seed: int) -> None:
    counts = [len(level(family, seed, bits, "qiskit").hypotheses) for bits in Edition().bits]
    assert counts[0] == 1
    assert all(2**bits <= count <= 2 ** (bits + 1) for bits, count in zip(Edition().bits, counts, strict=True)), counts
    for bits in Edition().bits:
        made = level(family, seed, bits, "qiskit")
        assert 0 <= made.truth < len(made.hypotheses)
        assert len(made.hypotheses) == 1 or made.opened > 0


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("seed", SEEDS)
def test_no_two_hypotheses_have_the_same_answers(family: str, seed: int) -> None:
    made = widest(family, seed)
    kind = made.problem.family.kind
    for i, one in enumerate(made.hypotheses):
        for other in made.hypotheses[:i]:
            same = [accepts(kind, a, b) for a, b in zip(one.answers, other.answers, strict=True)]
            assert not all(same)


@pytest.mark.parametrize("family", PIPELINES)
@pytest.mark.parametrize("seed", SEEDS)
def test_each_call_of_a_pipeline_separates_all_hypotheses(family: str, seed: int) -> None:
    made = widest(family, seed)
    assert len(made.hypotheses) == 16
    assert len(made.problem.calls) == 8
    for answers in zip(*(hypothesis.answers for hypothesis in made.hypotheses), strict=True):
        assert separates(made.problem.family.kind, answers)


@pytest.mark.parametrize("family", PIPELINES)
def test_a_pipeline_has_one_decoy_without_effect_on_answers(family: str) -> None:
    made = widest(family)
    opened = made.problem.family.dimensions[: made.opened]
    decoys = [d.name for d in opened if len({hypothesis.choice[d.name] for hypothesis in made.hypotheses}) == 1]
    assert len(decoys) == 1


def test_answers_within_four_tolerances_are_not_separated() -> None:
    one, near, far = ({"0": 0.5 - shift, "1": 0.5 + shift} for shift in (0, 0.003, 0.005))
    assert not separates("distribution", [one, near])
    assert separates("distribution", [one, far])


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("seed", SEEDS)
def test_trivial_baselines_do_not_pass(family: str, seed: int) -> None:
    made = widest(family, seed)
    kind, size = made.problem.family.kind, made.problem.family.size
    for gates in ([], [h(qubit) for qubit in range(size)]):
        measured = [Measure(qubit, qubit) for qubit in range(size)] if kind == "distribution" else []
        blank = answers(kind, Circuit(size, (*gates, *measured)))
        for hypothesis in made.hypotheses:
            assert not all(accepts(kind, answer, blank) for answer in hypothesis.answers), hypothesis.choice


@pytest.mark.parametrize("family", FAMILIES)
def test_the_statement_specifies_only_the_closed_dimensions(family: str) -> None:
    made = every_family()[family]
    assert len({d.name for d in made.dimensions}) == len(made.dimensions)
    for bits in Edition().bits:
        asked = level(family, EXAMPLE, bits, "cirq")
        problem, opened = asked.problem, asked.opened
        for say in SAY:
            words = statement(problem, opened, say)
            assert "{" not in words.replace("{0", "")
            for number, dimension in enumerate(made.dimensions):
                for option, sentence in dimension.options.items():
                    is_specified = sentence.format(**problem.constants) in words
                    assert is_specified == (number >= opened and problem.hidden[dimension.name] == option)
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
@pytest.mark.parametrize("family", FAMILIES)
def test_the_frameworks_agree_with_numpy(family: str, executor: LocalExecutor) -> None:
    """Each hypothesis accepts only its own rendered reference. Two frameworks execute each family."""
    for framework in frameworks_of(widest(family).problem)[FAMILIES.index(family) % 2 :: 2]:
        made = widest(family, framework=framework)
        tasks = [task_under(made, hypothesis, framework, suite="conventions") for hypothesis in made.hypotheses]
        for i, outcome in enumerate(outcomes(tasks, executor)):
            row = [truth.check.judge(truth, outcome).kind for truth in tasks]
            expected = [i == j for j in range(len(tasks))]
            assert [kind == "pass" for kind in row] == expected, (framework, made.hypotheses[i].choice, row)


def test_a_prompt_with_0_bits_specifies_every_convention() -> None:
    for task in load(name="conventions?bits=0").tasks:
        problem = level(task.id.removesuffix("-0"), EXAMPLE, 0, task.framework).problem
        words = task.prompt.split()
        for dimension in problem.family.dimensions:
            options = {name: said.format(**problem.constants).split() for name, said in dimension.options.items()}
            said = [name for name, text in options.items() if f" {' '.join(text)} " in f" {' '.join(words)} "]
            assert said == [problem.hidden[dimension.name]], (task.id, dimension.name)
        assert "not written down" not in task.prompt


@pytest.mark.slow
def test_the_expert_with_0_bits_passes_at_its_usual_rate(executor: LocalExecutor) -> None:
    """The number of passed first answers agrees with its profile, within the binomial interval, as in `aligned`. The
    families have few mutants, from which its mistakes are drawn.
    """
    expert, profile = create("sim/expert"), PROFILES["expert"]
    families = "adder,controlled_rotation,fourier,oracle,register_permutation"
    tasks = load(name=f"conventions?bits=0&families={families}", frameworks=["qiskit"]).tasks

    async def passed(task: Task, seed: int) -> bool:
        answer = await expert.complete(Request(compose(task, Condition()), 0.8, None, seed, task, seed, 0))
        return (await Judge(executor).answer(task, answer.text)).verdict.kind == "pass"

    async def every() -> list[bool]:
        return [await passed(task, seed) for seed in range(30) for task in tasks]

    found = run_to_end(every())
    interval = binomtest(sum(found), len(found)).proportion_ci()
    chances = [profile.first(task.difficulty) for task in aligned.load(frameworks=["qiskit"]).tasks]
    for chance in (profile.first(None), sum(chances) / len(chances)):
        assert interval.low < chance < interval.high, (sum(found), len(found), chance)
