import asyncio
import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from repair_bench.coroutines import run_to_end
from repair_bench.traces.faults import DamagedRecordError, TraceError
from repair_bench.traces.files.journal import Journal, Span, parse, read_lines

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
RECORDS = st.lists(st.dictionaries(st.text(), JSON, max_size=3), max_size=6)


def read(file) -> Iterator[dict]:
    return (line.data for line in read_lines(file, parse))


async def append_all(file, records) -> int:
    """Append concurrently, close, and return the number of bytes removed on opening."""
    journal = Journal(file)
    await asyncio.gather(*(journal.append(r) for r in records))
    await journal.close()
    return journal.cut_bytes


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(records=RECORDS)
def test_appended_objects_are_read_in_order(tmp_path_factory, records):
    file = tmp_path_factory.mktemp("journal") / "j.jsonl"
    run_to_end(append_all(file, records))
    assert list(read(file)) == records


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(records=RECORDS.filter(bool), data=st.data())
def test_file_truncated_anywhere_keeps_its_complete_lines(tmp_path_factory, records, data):
    file = tmp_path_factory.mktemp("journal") / "j.jsonl"
    run_to_end(append_all(file, records))
    whole = file.read_bytes()
    cut = whole[: data.draw(st.integers(0, len(whole)))]
    file.write_bytes(cut)
    kept = records[: cut.count(b"\n")]

    assert list(read(file)) == kept, "reading tolerates the torn line without touching it"
    assert file.read_bytes() == cut
    torn = len(cut) - (cut.rfind(b"\n") + 1)
    assert run_to_end(append_all(file, [{"after": 1}])) == torn
    assert list(read(file)) == [*kept, {"after": 1}]


@pytest.mark.parametrize("tail", [b'{"a": ', b'{"a": 1}', b"\x00\x00\x00", b"\xff\xfe\n", b"[1]\n", b"\n"])
def test_incomplete_last_line_is_removed(tmp_path, tail):
    file = tmp_path / "j.jsonl"
    file.write_bytes(b'{"n": 1}\n' + tail)
    assert list(read(file)) == [{"n": 1}]
    assert run_to_end(append_all(file, [])) == len(tail)
    assert file.read_bytes() == b'{"n": 1}\n'


def test_damaged_line_is_reported_and_the_file_is_unchanged(tmp_path):
    file = tmp_path / "j.jsonl"
    file.write_bytes(b'{"n": 1}\n{"n": \n{"n": 3}\n')
    for look in (lambda: Journal(file), lambda: list(read(file))):
        with pytest.raises(DamagedRecordError, match=r"j\.jsonl, line 2"):
            look()
    assert file.read_bytes().count(b"\n") == 3


@given(st.integers(0, 2**60), st.integers(0, 2**32 - 1))
def test_packed_span_round_trips(offset, length):
    assert Span.unpacked(Span(offset, length).packed()) == Span(offset, length)


def test_a_missing_file_reads_as_empty(tmp_path):
    assert list(read(tmp_path / "none.jsonl")) == []


def test_reading_streams(tmp_path):
    file = tmp_path / "j.jsonl"
    file.write_bytes(b'{"n": 1}\n' + b"broken\n" * 2)
    assert next(read(file)) == {"n": 1}


def test_an_append_returns_only_after_its_line_is_synced(tmp_path, monkeypatch):
    file, synced, fsync = tmp_path / "j.jsonl", [0], os.fsync

    def slow(fd):
        size = os.fstat(fd).st_size
        time.sleep(0.01)
        fsync(fd)
        synced.append(size)

    async def session():
        journal = Journal(file)
        monkeypatch.setattr(os, "fsync", slow)

        async def one(n):
            await asyncio.sleep(n * 0.001)
            span = await journal.append({"n": n})
            assert synced[-1] >= span.offset + span.length
            assert journal.at(span) == {"n": n}

        await asyncio.gather(*map(one, range(60)))
        await journal.close()

    run_to_end(session())
    assert sorted(r["n"] for r in read(file)) == list(range(60))
    assert len(synced) < 30, "appends made during an fsync share the next one"


def test_cancelled_append_does_not_affect_others(tmp_path):
    async def session():
        journal = Journal(tmp_path / "j.jsonl")
        appends = [asyncio.create_task(journal.append({"n": n})) for n in range(4)]
        await asyncio.sleep(0)
        appends[1].cancel()
        await asyncio.gather(*appends, return_exceptions=True)
        await journal.close()
        await journal.close()

    run_to_end(session())
    assert {0, 2, 3} <= {r["n"] for r in read(tmp_path / "j.jsonl")}


def test_closing_waits_for_pending_lines_and_refuses_more(tmp_path):
    async def session():
        journal = Journal(tmp_path / "j.jsonl")
        append = asyncio.create_task(journal.append({"n": 1}))
        await asyncio.sleep(0)
        await journal.close()
        await append
        with pytest.raises(TraceError, match="closed"):
            await journal.append({"n": 2})

    run_to_end(session())
    assert list(read(tmp_path / "j.jsonl")) == [{"n": 1}]


def test_journal_rejects_other_data_than_json_and_continues(tmp_path):
    async def session():
        journal = Journal(tmp_path / "j.jsonl")
        with pytest.raises(TraceError, match="JSON"):
            await journal.append({"n": object()})
        await journal.append({"n": 1})
        await journal.close()

    run_to_end(session())
    assert list(read(tmp_path / "j.jsonl")) == [{"n": 1}]


def test_appends_fail_after_a_full_disk_until_reopened(tmp_path):
    """A real limit on the size of files, in a separate process, stands for a full disk."""
    script = """
import asyncio, resource, signal, sys
from pathlib import Path
from repair_bench.traces.faults import DamagedRecordError, TraceError
from repair_bench.traces.files.journal import Journal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
async def main():
    journal, done = Journal(Path(sys.argv[1])), 0
    for n in range(20):
        try:
            await journal.append({"n": n, "fill": "x" * 100})
            done += 1
        except TraceError as error:
            assert "cannot be written" in str(error)
    await journal.close()
    print(done)
asyncio.run(main())
"""
    file = tmp_path / "j.jsonl"
    done = subprocess.run([sys.executable, "-c", script, file], check=True, capture_output=True, timeout=60)
    assert 0 < int(done.stdout) < 20
    assert run_to_end(append_all(file, [{"after": 1}])) > 0
    assert [r.get("n") for r in read(file)] == [*range(int(done.stdout)), None]


WRITER = """
import asyncio, os, sys
from pathlib import Path
from repair_bench.traces.files.journal import Journal
async def main():
    journal = Journal(Path(sys.argv[1]))
    async def worker(w):
        n = 0
        while True:
            await journal.append({"id": f"{sys.argv[2]}-{w}-{n}", "fill": "x" * (97 * w)})
            os.write(1, f"{sys.argv[2]}-{w}-{n}\\n".encode())
            n += 1
    await asyncio.gather(*map(worker, range(8)))
asyncio.run(main())
"""


def killed_writer(file, name, seconds) -> list[str]:
    """Run a writer, kill it `seconds` after its first append returned, and return the ids whose appends returned."""
    with subprocess.Popen([sys.executable, "-c", WRITER, file, name], stdout=subprocess.PIPE) as child:
        lines: list[bytes] = [child.stdout.readline()]
        rest = threading.Thread(target=lambda: lines.extend(child.stdout))
        rest.start()
        time.sleep(seconds)
        child.send_signal(signal.SIGKILL)
        rest.join(30)
    return [line.decode().strip() for line in lines if line.endswith(b"\n")]


def check_kills(file, times, seed) -> None:
    draw, promised = random.Random(seed), []
    for turn in range(times):
        promised += killed_writer(file, str(turn), draw.uniform(0, 0.1))
        present = [r["id"] for r in read(file)]
        assert len(present) == len(set(present))
        assert set(promised) <= set(present)
    run_to_end(append_all(file, []))
    assert all(json.loads(line) for line in file.read_bytes().splitlines(keepends=True))
    assert file.read_bytes().endswith(b"\n")
    assert len(promised) > times


@pytest.mark.slow
def test_killed_writer_loses_no_durable_line(tmp_path):
    check_kills(tmp_path / "j.jsonl", times=4, seed=1)


@pytest.mark.slow
def test_many_killed_writers_lose_no_durable_line(tmp_path):
    check_kills(tmp_path / "j.jsonl", times=60, seed=2)
