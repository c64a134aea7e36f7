import fcntl
import json
import os

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from repair_bench.coroutines import run_to_end
from repair_bench.testing.made_up_runs import attempt, attempts_of, run, written
from repair_bench.traces.faults import UsageError
from repair_bench.traces.record.spending import Spend
from repair_bench.traces.run.manifest import Manifest
from repair_bench.traces.run.run_reader import RowReader, load_rows
from repair_bench.traces.run.run_tail import Following
from repair_bench.traces.run.store import RunStore

EVER = 60.0


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    attempts, manifest = run(tasks=2, faults=0.2)
    faulty = next(a for a in attempts if a.fault is not None)
    again = attempt("w", faulty.attempt, faulty.episode, id=faulty.id, framework=faulty.framework)
    return written(tmp_path_factory.mktemp("finished") / "run", [*attempts, again], manifest)


@settings(deadline=None, max_examples=20)
@given(data=st.data())
def test_incremental_reading_equals_a_single_read(finished, tmp_path_factory, data):
    growing = tmp_path_factory.mktemp("growing")
    (growing / "run.json").write_bytes((finished / "run.json").read_bytes())
    whole = (finished / "attempts.jsonl").read_bytes()
    cuts = sorted(data.draw(st.lists(st.integers(0, len(whole)), max_size=6)))
    following, changed = Following(growing), set()
    for begin, end in zip([0, *cuts], [*cuts, len(whole)], strict=True):
        with (growing / "attempts.jsonl").open("ab") as file:
            file.write(whole[begin:end])
        new = following.read(EVER)
        assert bool(new) == (b"\n" in whole[begin:end])
        changed |= new
    found, expected = following.rows(), load_rows(finished)
    assert [(row.id, row.offset) for row in found.rows] == [(row.id, row.offset) for row in expected.rows]
    assert changed == {row.episode for row in expected.rows}
    assert following.share == 1
    assert following.read(EVER) == set()


def test_incomplete_line_is_read_later(tmp_path):
    first, second = (json.dumps(a.to_json()) + "\n" for a in attempts_of("wp"))
    path = written(tmp_path / "run", [first, second[:40]]) / "attempts.jsonl"
    following = Following(path.parent)
    assert following.read(EVER) == {"ep"}
    assert [row.attempt for row in following.rows().rows] == [0]
    assert following.share < 1
    with path.open("a") as file:
        file.write(second[40:])
    assert following.read(EVER) == {"ep"}
    assert [row.attempt for row in following.rows().rows] == [0, 1]


def test_damage_is_reported_with_its_line(tmp_path):
    following = Following(written(tmp_path / "run", attempts_of("ww")))
    following.read(EVER)
    with following.attempts.path.open("a") as file:
        file.write("no attempt\n" + json.dumps(attempt("w", 2).to_json()) + "\n")
    with pytest.raises(UsageError, match="line 3: not a JSON object"):
        following.read(EVER)


def test_reading_continues_after_the_time_is_up(finished):
    following = Following(finished)
    following.read(0.0)
    assert following.behind
    assert 0 < following.share < 1
    rounds = 0
    while following.behind:
        following.read(0.0)
        rounds += 1
    assert rounds > 5
    assert len(following.rows().rows) == len(load_rows(finished).rows)


def test_run_may_start_later_and_be_restarted(tmp_path, finished):
    following = Following(tmp_path / "run")
    assert following.read(EVER) == set()
    assert (following.manifest, following.rows(), following.written, following.writer) == (None, None, None, None)
    written(tmp_path / "run", attempts_of("wwp"))
    assert following.read(EVER) == {"ep"}
    (tmp_path / "run").rename(tmp_path / "old")
    written(tmp_path / "run", attempts_of("p", "other"))
    assert following.read(EVER) == {"other"}
    assert [row.episode for row in following.rows().rows] == ["other"]


def test_writer_is_found_without_a_lock(tmp_path):
    store = RunStore.create(tmp_path / "run", Manifest({}))
    following = Following(tmp_path / "run")
    assert following.writer == os.getpid()
    run_to_end(store.close())
    assert following.writer is None
    with (tmp_path / "run" / "run.lock").open() as reader:
        fcntl.flock(reader, fcntl.LOCK_SH)
        assert following.writer is None


def test_run_that_ends_during_a_read_has_a_writer(tmp_path):
    store = RunStore.create(tmp_path / "run", Manifest({}))
    following = Following(tmp_path / "run")

    class EndsIt(RowReader):
        ended = False

        def read(self, seconds: float = EVER) -> set[str]:
            changed = super().read(seconds)
            if not self.ended:
                run_to_end(store.append_attempt(attempt("p")))
                run_to_end(store.close())
                self.ended = True
            return changed

    following.attempts = EndsIt(tmp_path / "run" / "attempts.jsonl")
    following.read(EVER)
    assert not following.rows().rows
    assert following.writer == os.getpid(), "the last attempt was written after the reading"
    following.read(EVER)
    assert len(following.rows().rows) == 1
    assert following.writer is None


def test_reader_changes_no_file(finished):
    before = {path.name: path.stat() for path in finished.iterdir()}
    following = Following(finished)
    following.read(EVER)
    _ = following.writer, following.written, following.budget, following.rows()
    after = {path.name: path.stat() for path in finished.iterdir()}
    assert {n: (s.st_ino, s.st_mtime_ns, s.st_size) for n, s in before.items()} == {
        n: (s.st_ino, s.st_mtime_ns, s.st_size) for n, s in after.items()
    }


def test_spending_equals_that_of_the_store(tmp_path):
    directory = written(tmp_path / "run", [])
    lines = [
        {"event": "request", "key": "a", "at_most": {"cost_usd": 0.5, "tokens": 100}},
        {"event": "completion", "key": "a", "data": {"text": "x", "cost_usd": 0.25, "usage": {"total_tokens": 70}}},
        {"event": "request", "key": "b", "at_most": {"cost_usd": 0.5, "tokens": 100}},
        {"event": "refused", "key": "b"},
        {"event": "request", "key": "b", "at_most": {"cost_usd": 0.5, "tokens": 100}},
        {"event": "request", "key": "c", "at_most": {"cost_usd": None, "tokens": None}},
        {"event": "completion", "key": "c", "data": {"text": "x", "cost_usd": "much", "usage": {"total_tokens": True}}},
        {"event": "request", "key": "d"},
        {"event": "completion", "key": "d", "data": {"text": "free"}},
    ]
    (directory / "completions.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    following = Following(directory)
    following.read(EVER)
    spending = RunStore.resume(directory, Manifest.read(directory)).spending
    assert (following.spending.total, following.spending.open, following.spending.unknown) == (
        spending.total,
        spending.open,
        spending.unknown,
    )
    assert following.spending.total == Spend(0.75, 170)
    with (directory / "completions.jsonl").open("a") as file:
        file.write(json.dumps({"event": "of a newer version", "key": "e"}) + "\n")
        file.write(json.dumps({"event": "refused", "key": "b"}) + "\n")
    following.read(EVER)
    assert following.spending.open == Spend()


def test_budget_is_from_the_last_session(tmp_path):
    directory = written(tmp_path / "run", [], Manifest({"resources": {"budget": {"max_cost": 1.0}}}))
    following = Following(directory)
    following.read(EVER)
    assert following.budget == Spend(1.0, None)
    (directory / "experiment.toml").write_text("[budget]\nmax_cost = 2.5\nmax_tokens = 900\n")
    assert following.budget == Spend(2.5, 900)


def test_invalid_events_are_skipped(tmp_path):
    directory = written(tmp_path / "run", [])
    wait = {"event": "quota_wait", "timestamp": "2026-01-01T00:00:00Z", "provider": "openai", "seconds": 4.5, "x": [1]}
    (directory / "run.log").write_text(f"no json\n{json.dumps(wait)}\n[1]\n" + '{"event": "retry"')
    following = Following(directory)
    following.read(EVER)
    assert [(e.event, e.provider, e.seconds) for e in following.events] == [("quota_wait", "openai", 4.5)]
