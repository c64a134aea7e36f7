"""Reading of untrusted results: only well-formed bytes are read as a result."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from plain_programs import plain

from repair_bench.executors.conversation import Transcript
from repair_bench.executors.guest.fork_server import scratch
from repair_bench.executors.guest.text import clean, frame
from repair_bench.executors.outcomes import read_outcome, starved, struck_down

ENDED = {"exit": 0, "killed": None, "cpu_seconds": 1.0, "wall_seconds": 1.0, "wanted_seconds": 0.0, "max_rss_kb": 1000}
OTHER = {"kind": "other", "type": "int", "repr": "1", "problem": "not a circuit", "mismatch": "type"}
HALF = {"kind": "distribution", "bits": 1, "probabilities": {"0": 0.5, "1": 0.5}, "shots": None, "gates": {"h": 1}}
STATE = {"kind": "state", "qubits": 1, "amplitudes": [[1.0, 0.0], [0, 0]], "gates": None}
UNITARY = {"kind": "unitary", "qubits": 1, "matrix": [[[0, 0], [1, 0]], [[1, 0], [0, 0]]], "gates": {"x": 1}}
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda v: st.lists(v) | st.dictionaries(st.text(), v),
)


def read(data: bytes, stderr: bytes = b"", flooded: bool = False, **fate):
    return read_outcome(plain(""), Transcript({**ENDED, **fate}, data, b"", stderr, flooded))


def returning(*cases):
    return read(frame({"status": "returned", "value": {"cases": list(cases)}}))


@pytest.mark.parametrize("case", [OTHER, HALF, STATE, UNITARY])
def test_a_well_formed_observation_is_returned(case):
    outcome = returning(case)
    assert (outcome.status, outcome.value) == ("returned", {"cases": [case]})


@given(st.binary(max_size=200))
def test_no_bytes_are_mistaken_for_a_result(data):
    assert read(data).status == ("malformed" if data else "killed")


@pytest.mark.slow
@given(json_values)
def test_no_json_is_mistaken_for_a_returned_value(value):
    body = json.dumps({"status": "returned", "value": value}).encode()
    assert read(len(body).to_bytes(4, "big") + body).status == "malformed"


@pytest.mark.parametrize(
    "case",
    [
        {**HALF, "bits": 2},
        {**HALF, "bits": True},
        {**HALF, "probabilities": {"0": "0.5"}},
        {**HALF, "probabilities": {"0": 10**400}},
        {**HALF, "shots": -1},
        {**HALF, "gates": {"h": "many"}},
        {**STATE, "qubits": 2},
        {**STATE, "qubits": 10**6},
        {**STATE, "amplitudes": [[1.0], [0, 0]]},
        {**UNITARY, "matrix": [[[0, 0], [1, 0]]]},
        {**OTHER, "repr": None},
        {"kind": "pass"},
        "passed",
        None,
    ],
)
def test_a_malformed_observation_is_refused(case):
    assert returning(case).status == "malformed"


def test_every_case_must_be_observed():
    assert returning().status == "malformed"
    assert returning(OTHER, OTHER).status == "malformed"


@pytest.mark.parametrize("number", ["NaN", "Infinity", "1e999", "9" * 5000])
def test_numbers_that_are_not_finite_are_refused(number):
    body = frame({"status": "returned", "value": {"cases": [STATE]}})[4:].replace(b"1.0", number.encode())
    assert read(len(body).to_bytes(4, "big") + body).status == "malformed"


def test_deep_nesting_is_refused():
    body = b'{"status":' + b"[" * 100_000 + b"]" * 100_000 + b"}"
    assert read(len(body).to_bytes(4, "big") + body).status == "malformed"


@pytest.mark.parametrize("status", ["pass", "passed", "killed", "cpu_timeout", "fault", "", None, 1, ["returned"]])
def test_a_status_that_a_child_cannot_have_is_malformed(status):
    assert read(frame({"status": status, "value": {"cases": [OTHER]}})).status == "malformed"


def test_a_result_requires_a_regular_exit():
    result = frame({"status": "returned", "value": {"cases": [OTHER]}})
    assert read(result).status == "returned"
    assert read(result + b" ").status == "malformed"
    assert read(result, exit=1).status == "killed"
    assert read(result, exit=-11).status == "killed"
    assert read(result, exit=-9, killed="cpu_timeout").status == "cpu_timeout"
    assert read(result, flooded=True, exit=-9, killed="asked").status == "output_limit"


def test_the_fate_of_a_child_determines_its_limit():
    assert read(b"", exit=-9, killed="cpu_timeout", cpu_seconds=29.0).status == "cpu_timeout"
    assert read(b"", exit=-9, max_rss_kb=2_000_000).status == "memory"
    assert (
        read(b"", exit=-6, stderr=b"terminate called after throwing an instance of 'std::bad_alloc'").status == "memory"
    )
    assert read(b"", exit=-6).status == "killed"


def test_only_a_wall_clock_timeout_without_a_core_is_starved():
    def wanting(seconds, cpu=0.1, killed="wall_timeout"):
        fate = {**ENDED, "killed": killed, "cpu_seconds": cpu, "wanted_seconds": seconds}
        return starved(Transcript(fate, b"", b"", b"", flooded=False))

    assert wanting(0.9)
    assert not wanting(0.5)  # the candidate slept half the time
    assert not wanting(0.9, cpu=0.85)  # the candidate had a core
    assert not wanting(0.9, cpu=1.8)  # two threads had two cores
    assert not wanting(0.9, killed="cpu_timeout")


def test_an_unrequested_kill_is_not_evidence():
    def struck(**fate):
        return struck_down(Transcript({**ENDED, **fate}, b"", b"", b"", flooded=False))

    assert struck(exit=-9)
    assert not struck(exit=-9, killed="cpu_timeout")
    assert not struck(exit=-11)


def test_long_texts_are_truncated():
    (case,) = returning({**OTHER, "repr": "x" * 100_000}).value["cases"]
    assert len(case["repr"]) == 20_000


@given(st.text(st.characters(codec=None)), st.integers(0, 50))
def test_a_clean_text_is_printable_and_bounded(text, limit):
    cleaned = clean(text, limit)
    assert len(cleaned) <= limit
    assert all(c.isprintable() or c in "\n\t" or ord(c) >= 160 for c in cleaned.encode("utf-8").decode("utf-8"))


def test_a_directory_is_removed_whatever_it_contains(tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "kept").touch()
    top = tmp_path / "top"
    (top / "a" / "b" / "c").mkdir(parents=True)
    (top / "a" / "b" / "file").touch()
    (top / "link").symlink_to(outside)
    (top / "a" / "link").symlink_to(outside)
    (top / "a" / "b").chmod(0)
    assert scratch.remove(str(top))
    assert not top.exists()
    assert (outside / "kept").exists()
    assert scratch.remove(str(top))
