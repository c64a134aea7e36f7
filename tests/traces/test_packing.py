"""Observations of executors are packed and unpacked without loss; other values are unchanged."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repair_bench.testing.made_up_runs import attempt, load_run, written
from repair_bench.traces.faults import DamagedRecordError
from repair_bench.traces.record.packing import packed, unpacked
from repair_bench.traces.record.records import Attempt, Outcome

PAIRS = st.lists(st.floats(allow_nan=False), min_size=2, max_size=2)


def rows_of(width: int) -> st.SearchStrategy[list[Any]]:
    return st.lists(PAIRS, min_size=width, max_size=width)


@st.composite
def observations(draw: st.DrawFn) -> dict[str, Any]:
    qubits = draw(st.integers(0, 2))
    if draw(st.booleans()):
        return {"kind": "state", "qubits": qubits, "amplitudes": draw(rows_of(1 << qubits)), "gates": {"h": 1}}
    matrix = draw(st.lists(rows_of(1 << qubits), min_size=1 << qubits, max_size=1 << qubits))
    return {"kind": "unitary", "qubits": qubits, "matrix": matrix, "gates": None}


@given(st.lists(observations(), max_size=3))
def test_packed_numbers_are_exact(cases: list[dict[str, Any]]) -> None:
    value = {"cases": cases}
    before = json.dumps(value)
    stored = json.loads(json.dumps(packed(value)))
    assert all(isinstance(case.get("matrix", case.get("amplitudes")), str) for case in stored["cases"])
    assert json.dumps(unpacked(stored)) == before  # -0.0 == 0.0, but prints differently
    assert json.dumps(value) == before, "the value itself is left alone"
    assert unpacked(value) == value, "as format 1 has it"


def test_packed_operations_are_exact() -> None:
    operations = [["cx", [0, 1], None], ["rz", [1], 0.1], ["p", [0], -0.0]]
    value = {"cases": [{"kind": "circuit", "qubits": 2, "operations": operations}]}
    stored = json.loads(json.dumps(packed(value)))
    assert isinstance(stored["cases"][0]["operations"], str)
    assert json.dumps(unpacked(stored)) == json.dumps(value)
    with pytest.raises(ValueError, match="operations of a circuit are corrupt"):
        unpacked({"cases": [{"kind": "circuit", "qubits": 2, "operations": "damaged"}]})


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
)


@given(ANYTHING)
def test_values_without_observations_are_unchanged(value: Any) -> None:
    assert packed(value) == value
    assert packed({"cases": [value]}) == {"cases": [value]}


@pytest.mark.parametrize(
    "case",
    [
        {"kind": "state", "qubits": 1, "amplitudes": [[1.0, 0.0]]},
        {"kind": "state", "qubits": 0, "amplitudes": [[1.0]]},
        {"kind": "state", "qubits": 0, "amplitudes": [["1", 0.0]]},
        {"kind": "state", "qubits": -1, "amplitudes": []},
        {"kind": "state", "amplitudes": [[1.0, 0.0]]},
        {"kind": "unitary", "qubits": 1, "matrix": [[[1.0, 0.0]] * 4]},
        {"kind": "unitary", "qubits": 1, "matrix": 3},
        {"kind": "distribution", "bits": 1, "probabilities": {"0": 1.0}},
    ],
)
def test_other_values_than_states_and_unitaries_are_unchanged(case: dict[str, Any]) -> None:
    assert packed({"cases": [case]}) == {"cases": [case]}


UNITARY = {"kind": "unitary", "qubits": 3, "matrix": [[[0.35355339059327373, 1e-17]] * 8] * 8, "gates": {}}


def test_record_is_packed_only_on_disk() -> None:
    made = attempt("p", outcome=Outcome("returned", {"cases": [UNITARY]}))
    line = json.dumps(made.to_json())
    assert len(line) < 1500
    assert Attempt.from_json(json.loads(line)) == made
    assert made.outcome is not None
    assert made.outcome.value["cases"][0]["matrix"] == UNITARY["matrix"]


@pytest.mark.parametrize("text", ["AAAA", "no base64", "eJwDAAAAAAE="])
def test_damaged_numbers_are_named_by_their_line(tmp_path, text) -> None:
    made = attempt("p", outcome=Outcome("returned", {"cases": [UNITARY]})).to_json()
    made["outcome"]["value"]["cases"][0]["matrix"] = text
    with pytest.raises(DamagedRecordError, match="line 1: not an attempt"):
        load_run(written(tmp_path / "run", [json.dumps(made) + "\n"]))
