"""Editions by name, and their tasks."""

import importlib.util
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from repair_bench import suites
from repair_bench.coroutines import run_to_end
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
)
from repair_bench.suites.conventions.family import Choice, Family
from repair_bench.suites.conventions.render import RENDERERS
from repair_bench.traces.faults import UsageError

README = Path(families.__file__).parents[1] / "README.md"


@pytest.mark.slow
def test_default_edition_has_all_families_levels_and_frameworks() -> None:
    suite = load()
    assert {family.stages for family in every_family().values()} == {1, 2}
    families_ = [family for family in every_family().values() if family.stages == 1]
    assert len(families_) >= 16
    assert len(suite.tasks) == len(families_) * len(BITS) * 3
    assert len({(task.id, task.framework) for task in suite.tasks}) == len(suite.tasks)
    assert {task.suite for task in suite.tasks} == {suite.name} == {"conventions"}


@pytest.mark.slow
def test_names_are_canonical_and_seeds_hide_different_choices() -> None:
    one = load(name="conventions?families=oracle,fourier&bits=3,0&say=listed")
    assert one.name == "conventions?bits=0,3&families=fourier,oracle"
    assert load(name=one.name).content_hash == one.content_hash
    other = load(name="conventions?bits=3&families=fourier,oracle&seed=5")
    assert other.content_hash != one.content_hash
    hidden = [[one.problem.hidden for one in levels(Edition.of(f"conventions?seed={n}"), "cirq")] for n in range(3)]
    assert hidden[0] != hidden[1] != hidden[2]


@pytest.mark.slow
def test_levels_and_frameworks_draw_choices_independently() -> None:
    every = {
        (bits, framework): [level(family, seed, bits, framework).problem.hidden for seed in range(12)]
        for family in ("fourier", "adder")
        for bits in BITS
        for framework in RENDERERS
    }
    flat = [tuple(map(str, hidden)) for hidden in every.values()]
    assert len(set(flat)) == len(flat)


@pytest.mark.slow
def test_hypotheses_are_equally_likely() -> None:
    truths = [level("fourier", seed, 2, "cirq").truth for seed in range(400)]
    assert {truths.count(h) for h in range(4)} <= set(range(75, 126))


@pytest.mark.slow
def test_a_run_draws_a_secret_seed_unless_it_is_fixed() -> None:
    drawn = {suites.recorded_name("conventions?bits=2") for _ in range(20)}
    assert len(drawn) == 20
    assert all(Edition.of(name).bits == (2,) and Edition.of(name).seed >= 0 for name in drawn)
    assert suites.recorded_name("conventions?seed=7&bits=3") == "conventions?bits=3&seed=7"
    assert suites.recorded_name(
        "conventions?bits=2", ["aligned", "conventions?seed=1", "conventions?bits=2&seed=9"]
    ) == ("conventions?bits=2&seed=9")
    assert suites.recorded_name("aligned") == "aligned"
    assert load(name=f"conventions?seed={EXAMPLE}").content_hash == load().content_hash


@pytest.mark.slow
def test_the_readme_pins_the_default_edition() -> None:
    """The edition is the same on every machine. An intended change of a task requires a new hash in the README."""
    assert f"the seed {EXAMPLE} and the content hash `{load().content_hash[:16]}...`" in " ".join(
        README.read_text().split()
    )


@pytest.fixture
def family() -> Iterator[dict[str, Family]]:
    """Return the families by name, which a test may change."""
    kept = dict(every_family())
    yield every_family()
    every_family().update(kept)
    _forget()


def _forget() -> None:
    edition.problem.cache_clear()
    edition.level.cache_clear()


def _hash(parameters: str = "families=fourier&bits=0,2") -> str:
    return load(name=f"conventions?{parameters}").content_hash


def test_comments_and_docstrings_do_not_change_the_hash(family: dict[str, Family], tmp_path: Path) -> None:
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
    """One of the two options is specified at 0 bits."""
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
def test_prompts_and_possible_answers_change_the_hash(family: dict[str, Family], change: Any) -> None:
    before = _hash()
    family["fourier"] = change(family["fourier"])
    _forget()
    assert _hash() != before


@pytest.mark.parametrize("check", [DistributionCheck, StateCheck, UnitaryCheck])
def test_a_tolerance_changes_the_hash(check: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    suite = load(name="conventions?bits=0&families=bell_messages,fourier,teleportation")
    before = contents.content_hash(suite.tasks)
    monkeypatch.setattr(check, "tolerance", 2 * check.tolerance)
    assert contents.content_hash(suite.tasks) != before


def test_the_hash_depends_on_the_seed_but_not_on_framework_or_rule() -> None:
    assert len({_hash(f"families=amplitude_encoding&bits=2&seed={seed}") for seed in range(3)}) == 3
    assert len({_hash(f"families=fourier&bits=1&say={say}") for say in SAY}) == 3
    one = load(name="conventions?families=teleportation&bits=0", frameworks=["cirq"], rule="paper")
    assert one.content_hash == _hash("families=teleportation&bits=0")
    assert {task.framework for task in one.tasks} == {"cirq"}


@pytest.mark.slow
def test_rounding_errors_do_not_change_the_hash() -> None:
    """Correct answers may differ by rounding between machines."""
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
    "parameters",
    ["bits=9", "bits=two", "say=loud", "seed=-1", "families=nonesuch", "bits=1&bits=2", "colour=red", "bits"],
)
def test_an_invalid_parameter_raises_a_usage_error(parameters: str) -> None:
    with pytest.raises(UsageError, match="conventions"):
        load(name=f"conventions?{parameters}")


def test_pipelines_are_an_edition_of_their_own() -> None:
    assert Edition.of("conventions?stages=2").bits == (4,)
    assert Edition.of("conventions?stages=2&bits=4&seed=3").name == "conventions?seed=3&stages=2"
    assert Edition.of("conventions?stages=2&bits=3").name == "conventions?bits=3&stages=2"
    assert Edition.of("conventions?stages=1").name == "conventions"
    for wrong in ("families=weighted_draw", "stages=2&families=fourier", "stages=3", "stages=two"):
        with pytest.raises(UsageError, match="conventions"):
            Edition.of(f"conventions?{wrong}")


@pytest.mark.slow
def test_the_prompt_of_a_pipeline_lists_all_calls() -> None:
    suite = load(name="conventions?stages=2")
    assert len(suite.tasks) >= 17
    for task in suite.tasks:
        assert task.prompt.count(f"{task.entry_point}(") == 1 + len(task.check.cases) == 9
        assert "and with other" not in task.prompt
        assert "The calls are judged separately." in task.prompt


def test_a_suite_without_parameters_rejects_them() -> None:
    with pytest.raises(UsageError, match="'aligned\\?bits=2': the suite aligned takes no parameters"):
        run_to_end(suites.load("aligned?bits=2"))


@pytest.mark.slow
def test_a_qubit_without_a_gate_counts(executor: LocalExecutor) -> None:
    """The state |0...0> needs no gate."""
    suite = load(name="conventions?bits=0&families=amplitude_encoding,stabilizer_state,walk", frameworks=["cirq"])
    for task in suite.tasks:
        code = f"import cirq\ndef {task.entry_point}(*args): return cirq.Circuit(cirq.X(cirq.LineQubit(0)))"
        outcome = run_to_end(executor.run(task.check.program(task, code)))
        assert "qubit" not in str(task.check.judge(task, outcome).evidence["problem"])


@pytest.mark.slow
def test_the_prompt_contains_a_note_on_feedback() -> None:
    """The note covers the shown calls if there are several, the shown basis state, and a reversed order of outcomes."""
    assert MAX_CASES == 3
    suite = load(name="conventions?bits=1")
    for task in suite.tasks:
        kind = every_family()[task.id.removesuffix("-1")].kind
        several = len(task.check.cases) > 1
        assert task.prompt.count("may list up to three calls that failed") == several
        assert task.prompt.count("This state is the first one") == (kind == "unitary")
        turned = task.framework == "qiskit" and kind == "distribution"
        assert task.prompt.count("the last character is classical bit 0") == turned
