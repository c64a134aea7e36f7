"""Editions of `horizon` by name, their tasks and prompts."""

import pytest

from repair_bench import suites
from repair_bench.coroutines import run_to_end
from repair_bench.suites.horizon import load
from repair_bench.suites.horizon.edition import SIZES, Edition
from repair_bench.traces.faults import UsageError


def test_default_edition_has_both_families_and_all_sizes() -> None:
    suite = load(name="horizon?sizes=4,6")
    assert [task.id for task in suite.tasks[::3]] == ["parity-4", "parity-6", "tcount-4", "tcount-6"]
    assert {task.framework for task in suite.tasks} == {"qiskit", "pennylane", "cirq"}
    assert Edition.of("horizon").sizes == SIZES


def test_names_are_canonical_and_seeds_change_the_content() -> None:
    one = load(name="horizon?sizes=6,4&families=tcount,parity&slack=1.50")
    assert one.name == "horizon?families=parity,tcount&sizes=4,6&slack=1.5"
    assert load(name=one.name).content_hash == one.content_hash
    for other in ("seed=3", "slack=1.4", "seconds=3", "instances=9"):
        assert load(name=f"horizon?sizes=4,6&families=tcount,parity&{other}").content_hash != one.content_hash


@pytest.mark.parametrize("slack", ["1", "1.5", "1.23456789", "1e10"])
def test_a_name_keeps_every_digit_of_a_parameter(slack: str) -> None:
    edition = Edition.of(f"horizon?slack={slack}&seconds=0.00001")
    assert edition.slack == float(slack)
    assert Edition.of(edition.name) == edition


def test_a_run_draws_a_secret_seed() -> None:
    names = {suites.recorded_name("horizon?sizes=8") for _ in range(20)}
    assert len(names) == 20
    assert all(0 < (Edition.of(name).seed or 0) < 2**48 for name in names)
    assert suites.recorded_name("horizon?seed=7&sizes=8") == "horizon?sizes=8&seed=7"
    assert suites.recorded_name("horizon?sizes=8", ["conventions?seed=1", "horizon?sizes=8&seed=9"]) == (
        "horizon?sizes=8&seed=9"
    )


@pytest.mark.parametrize(
    ("parameters", "problem"),
    [
        ("size=8", "write horizon?"),
        ("sizes=two", "write horizon?"),
        ("sizes=8&sizes=9", "write horizon?"),
        ("sizes=3", "from 4 to 24"),
        ("slack=0.9", "slack"),
        ("slack=nan", "slack"),
        ("instances=0", "instances"),
        ("seconds=0", "seconds"),
        ("seconds=inf", "seconds"),
        ("seed=-1", "seed"),
        ("families=parity,routing", "routing"),
    ],
)
def test_invalid_parameters_are_usage_errors(parameters: str, problem: str) -> None:
    with pytest.raises(UsageError, match=problem):
        run_to_end(suites.load(f"horizon?{parameters}"))


def test_prompts_contain_no_instance_that_is_judged() -> None:
    for task in load(name="horizon?sizes=4,6&seed=987654").tasks:
        assert "987654" not in task.prompt
        for instance in task.check.instances:  # type: ignore[attr-defined]
            assert str(instance.data["qubits"]) in task.prompt
            for part in ("rotations", "ccz"):
                assert str(instance.data.get(part)) not in task.prompt
