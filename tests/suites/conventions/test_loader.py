"""Editions by name, and tasks as an executor runs them."""

import asyncio

import pytest

from repair_bench import suites
from repair_bench.executors import LocalExecutor
from repair_bench.prompts.feedback.cases import MOST_CASES
from repair_bench.suites.conventions import load
from repair_bench.suites.conventions.edition import BITS, Edition, every_family
from repair_bench.traces.faults import UsageError


def test_the_default_edition_has_every_family_at_each_level_in_three_frameworks() -> None:
    suite = load()
    assert len(every_family()) >= 16
    assert len(suite.tasks) == len(every_family()) * len(BITS) * 3
    assert len({(task.id, task.framework) for task in suite.tasks}) == len(suite.tasks)
    assert {task.suite for task in suite.tasks} == {suite.name} == {"conventions"}


def test_a_name_is_always_written_alike_and_another_seed_hides_other_choices() -> None:
    one = load(name="conventions?families=oracle,fourier&bits=3,0&say=listed")
    assert one.name == "conventions?bits=0,3&families=fourier,oracle"
    assert load(name=one.name).content_hash == one.content_hash
    other = load(name="conventions?bits=3&families=fourier,oracle&seed=5")
    assert other.content_hash != one.content_hash
    hidden = [[problem.hidden for problem in Edition.of(f"conventions?seed={seed}").problems()] for seed in range(3)]
    assert hidden[0] != hidden[1] != hidden[2]


@pytest.mark.parametrize(
    "told", ["bits=9", "bits=two", "say=loud", "seed=-1", "families=nonesuch", "bits=1&bits=2", "colour=red", "bits"]
)
def test_a_parameter_that_it_does_not_have_is_bad_usage(told: str) -> None:
    with pytest.raises(UsageError, match="conventions"):
        load(name=f"conventions?{told}")


def test_a_suite_without_parameters_says_so() -> None:
    with pytest.raises(UsageError, match="'aligned\\?bits=2': the suite aligned takes no parameters"):
        asyncio.run(suites.load("aligned?bits=2"))


def test_a_qubit_without_a_gate_counts(executor: LocalExecutor) -> None:
    """A state of zeros needs no gate."""
    suite = load(name="conventions?bits=0&families=amplitude_encoding,stabilizer_state,walk", frameworks=["cirq"])
    for task in suite.tasks:
        code = f"import cirq\ndef {task.entry_point}(*args): return cirq.Circuit(cirq.X(cirq.LineQubit(0)))"
        outcome = asyncio.run(executor.run(task.check.program(task, code)))
        assert "qubit" not in str(task.check.judge(task, outcome).evidence["problem"])


def test_the_prompt_says_how_to_read_what_feedback_shows() -> None:
    """Which calls are shown, where there are several; and the order of outcomes, where it is not that of the bits."""
    assert MOST_CASES == 3
    suite = load(name="conventions?bits=1")
    for task in suite.tasks:
        kind = every_family()[task.id.removesuffix("-1")].kind
        several = len(task.check.cases) > 1
        assert task.prompt.count("ones that it got wrong, three at most") == several
        turned = task.framework == "qiskit" and kind == "distribution"
        assert task.prompt.count("the last character is classical bit 0") == turned
