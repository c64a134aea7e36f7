import pytest

from repair_bench.analysis.runs.join_runs import choose
from repair_bench.testing.made_up_runs import run
from repair_bench.traces.faults import UsageError
from repair_bench.traces.run.manifest import Manifest

ATTEMPTS, _ = run(tasks=3, repairs=1)


def test_values_of_one_field_add_and_fields_narrow():
    found = choose(ATTEMPTS, ["framework=cirq", "framework=qiskit", "task_id=01"])
    assert {(a.framework, a.task_id) for a in found} == {("cirq", "01"), ("qiskit", "01")}
    assert choose(ATTEMPTS, []) == ATTEMPTS


@pytest.mark.parametrize(
    ("only", "says"),
    [
        ("framework", "give FIELD=VALUE"),
        ("colour=red", "one of model, suite, framework"),
        ("framework=braket", "there is cirq, pennylane, qiskit"),
    ],
)
def test_what_cannot_be_chosen_is_refused(only, says):
    with pytest.raises(UsageError, match=says):
        choose(ATTEMPTS, [only])


def test_a_part_of_a_run_is_not_called_partial():
    assert Manifest.from_json({"episodes": 9, "simulated": []}).of_part().stated == {"simulated": []}
