"""Editions by name, and tasks as an executor runs them."""

import asyncio
import importlib.util
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from repair_bench import suites
from repair_bench.executors.local import LocalExecutor
from repair_bench.prompts.feedback.cases import MAX_CASES
from repair_bench.suites import contents
from repair_bench.suites.checks import DistributionCheck, StateCheck, UnitaryCheck
from repair_bench.suites.conventions import edition, families, load
from repair_bench.suites.conventions.circuit import Circuit, s
from repair_bench.suites.conventions.edition import (
    BITS,
    EXAMPLE,
    SAY,
    Edition,
    every_family,
    level,
    levels,
    recorded_name,
)
from repair_bench.suites.conventions.family import Choice, Family
from repair_bench.suites.conventions.render import RENDERERS
from repair_bench.traces.faults import UsageError

README = Path(families.__file__).parents[1] / "README.md"


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
    hidden = [[one.problem.hidden for one in levels(Edition.of(f"conventions?seed={n}"), "cirq")] for n in range(3)]
    assert hidden[0] != hidden[1] != hidden[2]


def test_levels_and_frameworks_hide_choices_of_their_own() -> None:
    """What one prompt states of a dimension says nothing of what another one hides."""
    every = {
        (bits, framework): [level(family, seed, bits, framework).problem.hidden for seed in range(12)]
        for family in ("fourier", "adder")
        for bits in BITS
        for framework in RENDERERS
    }
    flat = [tuple(map(str, hidden)) for hidden in every.values()]
    assert len(set(flat)) == len(flat)


def test_every_hypothesis_is_as_likely_as_any_other() -> None:
    truths = [level("fourier", seed, 2, "cirq").truth for seed in range(400)]
    assert {truths.count(h) for h in range(4)} <= set(range(75, 126))


def test_a_run_draws_a_secret_seed_and_keeps_one_that_is_given() -> None:
    drawn = {recorded_name("conventions?bits=2") for _ in range(20)}
    assert len(drawn) == 20
    assert all(Edition.of(name).bits == (2,) and Edition.of(name).seed >= 0 for name in drawn)
    assert recorded_name("conventions?seed=7&bits=3") == "conventions?bits=3&seed=7"
    assert recorded_name("conventions?bits=2", ["aligned", "conventions?seed=1", "conventions?bits=2&seed=9"]) == (
        "conventions?bits=2&seed=9"
    )
    assert suites.recorded_name("aligned") == "aligned"
    assert load(name=f"conventions?seed={EXAMPLE}").content_hash == load().content_hash


def test_the_readme_pins_the_default_edition() -> None:
    """The same on every machine. Who changes a task on purpose changes the hash there too."""
    assert f"seed is {EXAMPLE} and its content hash `{load().content_hash[:16]}...`" in " ".join(
        README.read_text().split()
    )


@pytest.fixture
def family() -> Iterator[dict[str, Family]]:
    """The families by name, to be changed by a test."""
    kept = dict(every_family())
    yield every_family()
    every_family().update(kept)
    _forget()


def _forget() -> None:
    edition.problem.cache_clear()
    edition.level.cache_clear()


def _hash(told: str = "families=fourier&bits=0,2") -> str:
    return load(name=f"conventions?{told}").content_hash


def test_comments_and_docstrings_do_not_change_the_content(family: dict[str, Family], tmp_path: Path) -> None:
    before = _hash()
    source = Path(families.__path__[0], "fourier.py").read_text().replace('"""', '"""In other words. ', 1)
    path = tmp_path / "fourier.py"
    path.write_text(source.replace("\n    ", "  # why\n    ", 1) + "# more\n")
    spec = importlib.util.spec_from_file_location("fourier_with_comments", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    family["fourier"] = module.FAMILY
    _forget()
    assert _hash() == before


def _one_word(made: Family) -> Family:
    return replace(made, statement=made.statement + " Please.")


def _other_words_of_options(made: Family) -> Family:
    """One of the two is settled at 0 bits."""
    first = made.dimensions[0]
    options = {name: f"{words} Really." for name, words in first.options.items()}
    return replace(made, dimensions=(replace(first, options=options), *made.dimensions[1:]))


def _other_names_of_options(made: Family) -> Family:
    first = made.dimensions[0]
    options = {f"{name}!": words for name, words in first.options.items()}

    def circuit(choice: Choice, *args: Any) -> Circuit:
        return made.circuit({**choice, first.name: choice[first.name].removesuffix("!")}, *args)

    return replace(made, dimensions=(replace(first, options=options), *made.dimensions[1:]), circuit=circuit)


def _other_answers_that_are_not_true(made: Family) -> Family:
    hidden = [level(made.name, EXAMPLE, bits, name).problem.hidden for bits in (0, 2) for name in RENDERERS]

    def circuit(choice: Choice, *args: Any) -> Circuit:
        own = made.circuit(choice, *args)
        return own if choice in hidden else replace(own, steps=(*own.steps, s(0)))

    return replace(made, circuit=circuit)


@pytest.mark.parametrize(
    "change",
    [_one_word, _other_words_of_options, _other_names_of_options, _other_answers_that_are_not_true],
)
def test_what_is_asked_and_what_may_be_right_is_the_content(family: dict[str, Family], change: Any) -> None:
    before = _hash()
    family["fourier"] = change(family["fourier"])
    _forget()
    assert _hash() != before


@pytest.mark.parametrize("check", [DistributionCheck, StateCheck, UnitaryCheck])
def test_a_tolerance_is_part_of_the_content(check: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    suite = load(name="conventions?bits=0&families=bell_messages,fourier,teleportation")
    before = contents.content_hash(suite.tasks)
    monkeypatch.setattr(check, "tolerance", 2 * check.tolerance)
    assert contents.content_hash(suite.tasks) != before


def test_another_seed_is_another_content_and_frameworks_and_rules_are_not() -> None:
    assert len({_hash(f"families=amplitude_encoding&bits=2&seed={seed}") for seed in range(3)}) == 3
    assert len({_hash(f"families=fourier&bits=1&say={say}") for say in SAY}) == 3
    one = load(name="conventions?families=teleportation&bits=0", frameworks=["cirq"], rule="paper")
    assert one.content_hash == _hash("families=teleportation&bits=0")
    assert {task.framework for task in one.tasks} == {"cirq"}


def test_the_last_digits_of_numbers_are_no_content() -> None:
    """What another machine's sines and sums may make of the right answers."""
    rng = np.random.default_rng(7)

    def shaken(answer: Any, by: float) -> Any:
        if isinstance(answer, dict):
            return {key: p + by * rng.uniform(-1, 1) for key, p in answer.items()}
        return answer + by * (rng.uniform(-1, 1, answer.shape) + 1j * rng.uniform(-1, 1, answer.shape))

    answers = [
        (h.names, [made.answers for made in h.hypotheses])
        for h in levels(Edition((2,), families=("readout", "syndrome", "walk")), "qiskit")
    ]
    noisy, other = (
        [(names, [[shaken(one, by) for one in made] for made in every]) for names, every in answers]
        for by in (1e-14, 1e-6)
    )
    assert contents.content_hash([], noisy) == contents.content_hash([], answers)
    assert contents.content_hash([], other) != contents.content_hash([], answers)


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
    assert MAX_CASES == 3
    suite = load(name="conventions?bits=1")
    for task in suite.tasks:
        kind = every_family()[task.id.removesuffix("-1")].kind
        several = len(task.check.cases) > 1
        assert task.prompt.count("ones that it got wrong, three at most") == several
        turned = task.framework == "qiskit" and kind == "distribution"
        assert task.prompt.count("the last character is classical bit 0") == turned
