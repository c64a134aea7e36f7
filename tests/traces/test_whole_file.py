"""Files are written completely or not at all, also on a full disk (simulated by a limit on file sizes)."""

from __future__ import annotations

import contextlib
import resource
from collections.abc import Iterator
from pathlib import Path

import pytest

from repair_bench.coroutines import run_to_end
from repair_bench.log import RUN_LOG, log, log_to_run
from repair_bench.report.exports import flat
from repair_bench.report.plots import style
from repair_bench.testing.made_up_runs import attempt, load_run, run, written
from repair_bench.traces.faults import TraceError, UsageError
from repair_bench.traces.files.atomic_file import is_unfinished, write_whole
from repair_bench.traces.run.manifest import Manifest
from repair_bench.traces.run.run_reader import load_rows
from repair_bench.traces.run.store import RunStore


@contextlib.contextmanager
def full_from(size: int) -> Iterator[None]:
    """Limit the size of every file to this number of bytes."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.parametrize("durable", [False, True])
def test_file_is_written_into_new_folders(tmp_path: Path, durable: bool) -> None:
    path = tmp_path / "a" / "b" / "page.html"
    write_whole(path, ["one ", b"two", "\N{WHITE SMILING FACE}"], durable=durable)
    assert path.read_text(encoding="utf-8") == "one two\N{WHITE SMILING FACE}"
    assert [path.name] == [other.name for other in path.parent.iterdir()]


@pytest.mark.parametrize("size", [0, 5000])
def test_full_disk_keeps_the_old_file_complete(tmp_path: Path, size: int) -> None:
    path = tmp_path / "page.html"
    path.write_text("old")
    with full_from(size), pytest.raises(UsageError, match=r"page\.html cannot be written: File too large"):
        write_whole(path, ["x" * 1000] * 20)
    assert [(other.name, other.read_text()) for other in tmp_path.iterdir()] == [("page.html", "old")]


def test_failing_parts_leave_no_file(tmp_path: Path) -> None:
    def parts() -> Iterator[str]:
        yield "some"
        raise KeyError("more")

    with pytest.raises(KeyError):
        write_whole(tmp_path / "page.html", parts())
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", [".", "..", "new/.."])
def test_directory_is_not_replaced_by_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match="is an existing directory that cannot be replaced: choose a new path"):
        write_whole(Path(name), ["text"])
    assert list(tmp_path.iterdir()) == []


def test_figure_is_complete_or_missing(tmp_path: Path) -> None:
    figure = style.Figure(figsize=(0.2, 0.2))
    with full_from(100), pytest.raises(UsageError, match=r"curve\.png cannot be written"):
        style.save(figure, tmp_path, "curve")
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "plots").write_text("no folder")
    with pytest.raises(UsageError, match="cannot be written"):
        style.save(figure, tmp_path / "plots", "curve")


def test_run_resumes_after_a_full_disk_without_loss(tmp_path: Path) -> None:
    manifest = Manifest.from_json({"experiment": {}})
    recorded: list[str] = []

    async def until_full() -> None:
        store = RunStore.create(tmp_path / "run", manifest)
        try:
            with full_from(6000), log_to_run(store.directory):
                for number in range(50):
                    log.info("opened", number=number)
                    await store.append_attempt(attempt("w", number))
                    recorded.append(f"e-{number}")
        finally:
            await store.close()

    with pytest.raises(TraceError, match="File too large"):
        run_to_end(until_full())
    assert (tmp_path / "run" / RUN_LOG).stat().st_size <= 6000
    assert recorded

    async def resume() -> int:
        store = RunStore.resume(tmp_path / "run", manifest)
        await store.append_attempt(attempt("w", len(recorded)))
        await store.close()
        return len(store.notes)

    assert run_to_end(resume()) == 1, "the torn line is cut off, and said"
    assert [a.attempt for a in load_run(tmp_path / "run")[1]] == list(range(len(recorded) + 1))


def test_partial_manifest_left_by_kill_is_ignored(tmp_path: Path) -> None:
    (tmp_path / ".run.json.123.new").write_text("{")
    RunStore.check_free(tmp_path)
    assert not is_unfinished(tmp_path / ".other.123.new", "run.json")


def test_table_is_complete_or_missing(tmp_path: Path) -> None:
    recorded = load_rows(written(tmp_path / "run", *run(tasks=20)))
    table = tmp_path / "tables" / "attempts.csv"
    table.parent.mkdir()
    table.write_text("old")
    with full_from(5000), pytest.raises(UsageError, match=r"attempts\.csv cannot be written: File too large"):
        flat.write(recorded, table)
    assert [(other.name, other.read_text()) for other in table.parent.iterdir()] == [("attempts.csv", "old")]
