"""Results of hostile children: every message becomes an outcome that can be judged, stored and exported."""

import asyncio
import json
import pickle
import random
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

sys.path.append(str(Path(__file__).parents[1] / "fuzz"))

import result_pipe

from repair_bench.coroutines import run_to_end
from repair_bench.executors.guest.text import frame
from repair_bench.report.exports import FORMATS, export
from repair_bench.testing.made_up_runs import attempt, load_run
from repair_bench.traces.record.records import Attempt, Completion, Outcome, Verdict
from repair_bench.traces.record.writable import MAX_DEPTH, UNWRITABLE, is_plain, writable
from repair_bench.traces.run.manifest import Manifest
from repair_bench.traces.run.run_reader import load_rows
from repair_bench.traces.run.store import RunStore

EXPORTS = [name for name in FORMATS if name != "instances"]  # refused without hidden instances
BELL_CHECK = 1


def nested(levels: int) -> list:
    value: list = []
    for _ in range(levels):
        value = [value]
    return value


def record(directory: Path, attempts: list[Attempt]) -> list[Attempt]:
    """Return the records of these attempts in a store."""

    async def main() -> list[Attempt]:
        store = RunStore.create(directory, Manifest.from_json({"experiment": {"max_attempts": 0}}))
        try:
            return list(await asyncio.gather(*map(store.append_attempt, attempts)))
        finally:
            await store.close()

    return run_to_end(main())


def check_recorded(directory: Path, attempts: list[Attempt]) -> list[Attempt]:
    """Record, read, export and pickle an attempt. Return the record."""
    recorded = record(directory, attempts)
    _, read = load_run(directory)
    assert [one.to_json() for one in read] == [json.loads(json.dumps(one.to_json())) for one in recorded]
    run = load_rows(directory)
    for name in EXPORTS:
        assert all(file.stat().st_size for file in export(run, name, directory))
    assert pickle.loads(pickle.dumps(recorded)) == recorded
    return recorded


def judged(data: bytes, number: int, place: int) -> Attempt:
    outcome = result_pipe.read(data, number)
    verdict = result_pipe.CHECKS[number].judge(result_pipe.TASKS[number], outcome)
    return attempt("w", 0, f"episode {place}", sample=place, outcome=outcome, verdict=verdict)


def test_fuzzed_messages_neither_forge_a_pass_nor_raise() -> None:
    report = result_pipe.fuzz(4000, seed=1)
    assert (report.messages, report.forged, report.raised) == (4000, [], [])
    assert {"returned", "exception", "malformed", "memory", "no_entry"} <= set(report.statuses)


def test_the_fuzzer_detects_a_credulous_reader(monkeypatch: pytest.MonkeyPatch) -> None:
    def naive(program, transcript):
        """Read a result without any check."""
        try:
            return Outcome("returned", json.loads(transcript.result[4:])["value"])
        except (ValueError, KeyError, TypeError):
            return Outcome("killed")

    monkeypatch.setattr(result_pipe, "read_outcome", naive)
    assert result_pipe.fuzz(1000, seed=1).raised


@pytest.mark.slow
def test_outcomes_of_fuzzed_messages_survive_storage(tmp_path: Path) -> None:
    sent = enumerate(result_pipe.messages(300, seed=2))
    check_recorded(tmp_path / "run", [judged(data, i % len(result_pipe.CHECKS), i) for i, data in sent])


REAL = st.sampled_from(result_pipe.BODIES)
FRAMES = st.one_of(
    st.binary(max_size=60),
    st.builds(lambda body, at, new: body[:at] + new + body[at + 1 :], REAL, st.integers(0, 200), st.binary(max_size=4)),
    st.builds(lambda seed: result_pipe.mutated(random.Random(seed))[4:], st.integers(0, 2**32)),
).map(lambda body: len(body).to_bytes(4, "big") + body)


@settings(max_examples=15, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.tuples(FRAMES, st.integers(0, len(result_pipe.CHECKS) - 1)), min_size=1, max_size=20))
def test_arbitrary_bytes_make_a_valid_record(tmp_path_factory: pytest.TempPathFactory, sent: list) -> None:
    attempts = [judged(data, number, place) for place, (data, number) in enumerate(sent)]
    recorded = check_recorded(tmp_path_factory.mktemp("sent") / "run", attempts)
    assert recorded == attempts, "what the reader lets in is recorded as it is"


@pytest.mark.parametrize("levels", [1, 900, 960, 970, 20_000])
def test_unknown_keys_are_malformed_at_any_depth(levels: int) -> None:
    body = frame(result_pipe.returned({**result_pipe.BELL, "extra": "@"}))[4:]
    body = body.replace(b'"@"', b"[" * levels + b"]" * levels)
    outcome = result_pipe.read(len(body).to_bytes(4, "big") + body, BELL_CHECK)
    assert (outcome.status, outcome.value) == ("malformed", None)


@pytest.mark.slow
def test_megabytes_of_unknown_keys_are_not_stored() -> None:
    extra = {f"key {i}": ["x" * 100] for i in range(50_000)}
    outcome = result_pipe.read(frame(result_pipe.returned({**result_pipe.BELL, **extra})), BELL_CHECK)
    assert (outcome.status, outcome.value) == ("malformed", None)


def test_the_mark_of_integer_outcomes_is_received() -> None:
    sent = {**result_pipe.BELL, "integer_keys": True}
    assert result_pipe.read(frame(result_pipe.returned(sent)), BELL_CHECK).value["cases"][0]["integer_keys"] is True


def test_names_and_texts_are_clean_and_bounded() -> None:
    odd = {"x" * 10_000: 1, "a\0b\x1b[31m": 2}
    sent = {**result_pipe.BELL, "gates": odd, "registers": [["r\0" * 500, 1], ["d", 1]]}
    (case,) = result_pipe.read(frame(result_pipe.returned(sent)), BELL_CHECK).value["cases"]
    assert case["gates"] == {"x" * 200: 1, "a\ufffdb\ufffd[31m": 2}
    assert len(case["registers"][0][0]) == 200
    many = {**result_pipe.BELL, "gates": {f"g{i}": 1 for i in range(1001)}}
    assert result_pipe.read(frame(result_pipe.returned(many)), BELL_CHECK).status == "malformed"


@pytest.mark.parametrize("number", range(len(result_pipe.CHECKS)))
def test_every_check_judges_malformed_results_as_wrong(number: int) -> None:
    found = result_pipe.CHECKS[number].judge(result_pipe.TASKS[number], Outcome("malformed"))
    assert (found.kind, found.evidence["problem"]) == ("wrong_answer", "the result of the program could not be decoded")
    found = result_pipe.CHECKS[number].judge(result_pipe.TASKS[number], Outcome("killed"))
    assert (found.kind, found.evidence["type"]) == ("exception", "ProcessDied")


UNWRITABLES = [
    nested(MAX_DEPTH + 1),
    nested(970),
    nested(100_000),
    10**10_000,
    2**63,
    {1: 2},
    {"a": {None: 1}},
    b"",
    {1},
]


@pytest.mark.parametrize("number", range(len(UNWRITABLES)))
def test_unrecordable_values_are_omitted_and_wrong(tmp_path: Path, number: int) -> None:
    odd = UNWRITABLES[number]
    fine = attempt("p", 0, "fine")
    returned = attempt("p", 0, "returned", sample=1, outcome=Outcome("returned", {"cases": [odd]}))
    shown = attempt(
        "p", 0, "shown", sample=2, verdict=Verdict("wrong_answer", {"cases": [], "problem": "no", "got": odd})
    )
    used = attempt("p", 0, "used", sample=3, completion=Completion("code", {"details": odd}, params={"odd": odd}))
    first, second, third, last = check_recorded(tmp_path / "run", [fine, returned, shown, used])
    assert first is fine
    wrong = Verdict("wrong_answer", {"cases": [], "problem": UNWRITABLE})
    assert (second.outcome, second.verdict) == (Outcome("malformed"), wrong)
    assert third == replace(shown, verdict=wrong)
    assert last == replace(used, completion=Completion("code"))


def test_a_recordable_attempt_is_unchanged(tmp_path: Path) -> None:
    value = {"a": nested(MAX_DEPTH - 3), "b": [float("nan"), 2**63 - 1, "\ud800\0", None, True, (1, 2)]}
    one = attempt("w", 0, outcome=Outcome("returned", value), verdict=Verdict("wrong_answer", value))
    assert is_plain(value)
    assert writable(one) is one
    record(tmp_path / "run", [one])
    for name in EXPORTS:
        export(load_rows(tmp_path / "run"), name, tmp_path / "run")


def test_the_export_omits_values_that_are_nested_too_deeply(tmp_path: Path) -> None:
    one = attempt("w", 0)
    record(tmp_path / "run", [one])
    old = replace(one, outcome=Outcome("returned", {"cases": [nested(940)]})).to_json()
    (tmp_path / "run" / "attempts.jsonl").write_text(json.dumps(old) + "\n")
    for name in EXPORTS:
        assert export(load_rows(tmp_path / "run"), name, tmp_path / "run")
