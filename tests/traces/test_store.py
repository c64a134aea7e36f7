import asyncio
import gc
import json
import os
import signal
import subprocess
import sys
import time
import tracemalloc

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from repair_bench.coroutines import run_to_end
from repair_bench.testing.made_up_runs import attempt, attempts_of, load_run
from repair_bench.traces.faults import DamagedRecordError, TraceError, UsageError
from repair_bench.traces.record.records import ExceptionInfo, Outcome
from repair_bench.traces.run.manifest import Manifest
from repair_bench.traces.run.store import RunStore

MANIFEST = Manifest.from_json(
    {"experiment": {"max_attempts": 5, "models": ("a", "b"), "seeds": {"run": 0}}, "created": "today"}
)


def write(directory, *attempts, manifest=MANIFEST):
    async def session():
        store = RunStore.create(directory, manifest)
        await asyncio.gather(*map(store.append_attempt, attempts))
        await store.close()

    run_to_end(session())


def files(directory):
    return {p.name: p.read_bytes() for p in directory.iterdir()}


def resumed(directory, use, manifest=MANIFEST):
    """Return the result of the coroutine function `use` for the resumed store."""

    async def session():
        store = RunStore.resume(directory, manifest)
        try:
            return await use(store)
        finally:
            await store.close()

    return run_to_end(session())


async def recorded(store):
    return load_run(store.directory)[1]


def test_run_round_trips(tmp_path):
    outcome = Outcome("exception", exception=ExceptionInfo("TypeError", "no\n\u2028", "Traceback"), cpu_seconds=0.5)
    attempts = [
        *attempts_of("ewp", "one"),
        attempt("e", 0, "two", outcome=outcome, extraction={"rule": "fence"}, code="x"),
    ]
    write(tmp_path / "new" / "run", *attempts)
    manifest, loaded = load_run(tmp_path / "new" / "run")
    assert loaded == attempts
    assert manifest.stated == json.loads(json.dumps({**MANIFEST.stated, "name": "run"}))


def test_resuming_finds_the_attempts_of_each_episode_in_order(tmp_path):
    write(tmp_path / "run", *reversed(attempts_of("eew", "one")), *attempts_of("p", "two"))

    async def use(store):
        await store.append_attempt(attempt("p", 3, "one"))
        return {name: store.episode(name) for name in ("one", "two")}

    episodes = resumed(tmp_path / "run", use)
    assert {k: [a.attempt for a in v] for k, v in episodes.items()} == {"one": [0, 1, 2, 3], "two": [0]}


def test_attempts_of_all_sessions_are_read_in_order(tmp_path):
    write(tmp_path / "run", *reversed(attempts_of("ewf", "one")), *attempts_of("p", "two"))

    async def use(store):
        before = store.episode("one")
        await store.append_attempt(attempt("p", 2, "one"))
        return before, store.episode("one"), store.episode("none")

    before, now, none = resumed(tmp_path / "run", use)
    assert before == attempts_of("ewf", "one")
    assert now == [*attempts_of("ew", "one"), attempt("p", 2, "one")]
    assert none == []


def test_first_answer_with_a_verdict_is_found_in_any_episode(tmp_path):
    write(tmp_path / "run", attempt("f", 0, "arm-a", id="root"), attempt("f", 0, "other"))

    async def use(store):
        assert store.first("root") is None
        await store.append_attempt(attempt("w", 0, "arm-b", id="root"))
        assert store.first("other-0") is None
        return store.first("root")

    assert resumed(tmp_path / "run", use) == attempt("w", 0, "arm-b", id="root")

    async def again(store):
        return store.first("root"), store.first("arm-b-1")

    assert resumed(tmp_path / "run", again) == (attempt("w", 0, "arm-b", id="root"), None)


@pytest.mark.slow
def test_open_run_keeps_no_texts_in_memory(tmp_path):
    def grown_by(texts):
        """Return the bytes that remain in use after recording 200 attempts with texts of this length."""

        async def session():
            store = RunStore.create(tmp_path / str(texts), MANIFEST)
            gc.collect()
            tracemalloc.start()
            for n in range(200):
                await store.append_attempt(attempt("w", n % 5, f"e{n // 5}", code=str(n) + "x" * texts))
            gc.collect()
            grown = tracemalloc.get_traced_memory()[0]
            tracemalloc.stop()
            assert store.episode("e3")[2].code.endswith("xxx")
            await store.close()
            return grown

        return run_to_end(session())

    assert grown_by(20_000) < grown_by(20) + 200_000


def test_an_attempt_is_durable_before_append_returns(tmp_path):
    async def session():
        store = RunStore.create(tmp_path / "run", MANIFEST)
        await store.append_attempt(attempt("p"))
        assert load_run(tmp_path / "run")[1] == [attempt("p")]
        await store.close()

    run_to_end(session())


@settings(deadline=None)
@given(letters=st.text("fep", min_size=1, max_size=6))
def test_last_line_of_an_attempt_counts_unless_it_is_a_fault(tmp_path_factory, letters):
    directory = tmp_path_factory.mktemp("store")
    lines = [attempt(letter, started_at=str(n)) for n, letter in enumerate(letters)]
    (directory / "run.json").write_text("{}")
    (directory / "attempts.jsonl").write_text("".join(json.dumps(a.to_json()) + "\n" for a in lines))
    verdicts = [a for a in lines if a.fault is None]
    assert load_run(directory)[1] == [(verdicts or lines)[-1]]


def test_arms_that_share_attempt_0_keep_a_line_each(tmp_path):
    arms = [attempt("e", 0, "arm-a", id="root"), attempt("e", 0, "arm-b", id="root")]
    write(tmp_path / "run", *arms)
    assert load_run(tmp_path / "run")[1] == arms


@pytest.mark.parametrize("create_first", [True, False])
def test_non_empty_directory_is_refused_unchanged(tmp_path, create_first):
    if create_first:
        write(tmp_path / "d", attempt("p"))
    else:
        (tmp_path / "d").mkdir()
        (tmp_path / "d" / "thesis.tex").write_text("years of work")
    before = files(tmp_path / "d")
    for begin in (RunStore.check_free, lambda d: RunStore.create(d, MANIFEST)):
        with pytest.raises(UsageError, match="--resume" if create_first else r"thesis\.tex.*new or empty") as caught:
            begin(tmp_path / "d")
        assert "\n" not in str(caught.value)
    assert files(tmp_path / "d") == before


def test_checking_a_directory_writes_nothing(tmp_path):
    RunStore.check_free(tmp_path)
    RunStore.check_free(tmp_path / "new")
    assert files(tmp_path) == {}


def test_file_instead_of_a_directory_is_a_usage_error(tmp_path):
    (tmp_path / "d").write_text("")
    for begin in (RunStore.create, RunStore.resume):
        with pytest.raises(UsageError):
            begin(tmp_path / "d", MANIFEST)


def test_changed_experiment_is_refused_with_every_change(tmp_path):
    write(tmp_path / "run", attempt("p"))
    changed = Manifest.from_json(
        {"experiment": {"max_attempts": 3, "models": ["a", "c"], "seeds": {}, "new": None}, "created": "later"}
    )
    with pytest.raises(UsageError) as caught:
        RunStore.resume(tmp_path / "run", changed)
    for words in ("max_attempts: 5 -> 3", 'models[1]: "b" -> "c"', "seeds.run: 0 -> absent", "new: absent -> null"):
        assert words in str(caught.value)


def test_other_manifest_fields_may_change_and_stay_stored(tmp_path):
    write(tmp_path / "run")

    async def use(store):
        return store.manifest.stated["created"]

    assert resumed(tmp_path / "run", use, Manifest.from_json({**MANIFEST.stated, "created": "tomorrow"})) == "today"


@pytest.mark.parametrize("content", [None, "", "{", "[]", b"\xff"])
def test_missing_or_unreadable_manifest_is_a_usage_error(tmp_path, content):
    if content is not None:
        (tmp_path / "run.json").write_bytes(content if isinstance(content, bytes) else content.encode())
    for look in (load_run, lambda d: RunStore.resume(d, MANIFEST)):
        with pytest.raises(UsageError, match=r"run\.json"):
            look(tmp_path)
    assert len(files(tmp_path)) == (content is not None)


def test_two_processes_never_write_one_run(tmp_path):
    script = """
import sys, time
from pathlib import Path
from repair_bench.traces.run.manifest import Manifest
from repair_bench.traces.run.store import RunStore
store = RunStore.create(Path(sys.argv[1]), Manifest.from_json({}))
print("open", flush=True)
time.sleep(60)
"""
    with subprocess.Popen([sys.executable, "-c", script, tmp_path / "run"], stdout=subprocess.PIPE) as other:
        try:
            assert other.stdout.readline() == b"open\n"
            with pytest.raises(UsageError, match="another process"):
                RunStore.resume(tmp_path / "run", Manifest.from_json({}))
        finally:
            other.kill()
    assert resumed(tmp_path / "run", recorded, Manifest.from_json({})) == [], "a killed writer holds no lock"


def test_refused_store_can_be_opened_again(tmp_path):
    write(tmp_path / "run")
    (tmp_path / "run" / "attempts.jsonl").write_text('{"schema": 99}\n')
    for _ in range(2):  # not "another process is writing"
        with pytest.raises(UsageError, match=r"line 1: a newer .*format 99"):
            RunStore.resume(tmp_path / "run", MANIFEST)


@pytest.mark.parametrize(
    "line", [{"schema": 2}, {**attempt("p").to_json(), "messages": [{}]}, {**attempt("p").to_json(), "verdict": 3}]
)
def test_line_that_is_not_an_attempt_is_named(tmp_path, line):
    (tmp_path / "run.json").write_text("{}")
    (tmp_path / "attempts.jsonl").write_text(f"{json.dumps(attempt('p').to_json())}\n{json.dumps(line)}\n")
    with pytest.raises(DamagedRecordError, match=r"attempts\.jsonl, line 2"):
        load_run(tmp_path)


def test_incomplete_last_line_is_removed_and_reported(tmp_path):
    write(tmp_path / "run", attempt("p"))
    with (tmp_path / "run" / "attempts.jsonl").open("ab") as file:
        file.write(b'{"schema": 1, "id"')

    async def use(store):
        return store.notes, await recorded(store)

    notes, attempts = resumed(tmp_path / "run", use)
    assert attempts == [attempt("p")]
    assert len(notes) == 1
    assert "attempts.jsonl" in notes[0]


def test_fields_of_later_versions_are_ignored(tmp_path):
    (tmp_path / "run.json").write_text("{}")
    (tmp_path / "attempts.jsonl").write_text(json.dumps({**attempt("p").to_json(), "later": 1}) + "\n")
    assert load_run(tmp_path)[1] == [attempt("p")]


def test_stored_completion_is_never_requested_again(tmp_path):
    async def first(store):
        assert store.completion("k") is None
        await store.note_request("k")
        await store.save_completion("k", {"text": "x" * 1000, "cost_usd": None})
        await store.note_request("l")

    async def second(store):
        assert store.completion("k") == {"text": "x" * 1000, "cost_usd": None}
        with pytest.raises(TraceError, match="must not be requested again"):
            await store.note_request("k")
        assert store.repeats == 0
        await store.note_request("l")
        await store.note_request("l")
        assert store.repeats == 2
        await store.save_completion("l", {"text": "first"})
        await store.save_completion("l", {"text": "second"})
        assert store.completion("l") == {"text": "first"}

    async def third(store):
        assert store.completion("l") == {"text": "first"}
        assert store.repeats == 2

    write(tmp_path / "run")
    for use in (first, second, third):
        resumed(tmp_path / "run", use)


@pytest.mark.slow
def test_killed_run_resumes_without_lost_or_repeated_answers(tmp_path):
    script = """
import asyncio, os, sys
from pathlib import Path
from repair_bench.traces.run.manifest import Manifest
from repair_bench.traces.run.store import RunStore
async def main():
    begin = RunStore.resume if (Path(sys.argv[1]) / "run.json").exists() else RunStore.create
    store = begin(Path(sys.argv[1]), Manifest.from_json({"experiment": {}}))
    async def ask(n):
        for k in range(500):
            key = f"{n}-{k}"
            if store.completion(key) is None:
                await store.note_request(key)
                os.write(1, f"asked {key}\\n".encode())
                await store.save_completion(key, {"text": key})
            os.write(1, f"have {key}\\n".encode())
    await asyncio.gather(*map(ask, range(4)))
asyncio.run(main())
"""
    directory, asked, have = tmp_path / "run", [], set()
    for wait in (0.02, 0.05, 0.08):
        with subprocess.Popen([sys.executable, "-c", script, directory], stdout=subprocess.PIPE) as child:
            first = child.stdout.readline()
            time.sleep(wait)
            os.kill(child.pid, signal.SIGKILL)
            lines = (first + child.stdout.read()).decode().splitlines(keepends=True)
        said = [line.split() for line in lines if line.endswith("\n")]
        asked += [key for word, key in said if word == "asked" and key in have]
        have |= {key for word, key in said if word == "have"}

    async def use(store):
        assert all(store.completion(key) == {"text": key} for key in have)
        assert store.repeats <= 3 * 4, "at most the requests in flight at each kill"

    resumed(directory, use, Manifest.from_json({"experiment": {}}))
    assert asked == []
    assert len(have) > 3
