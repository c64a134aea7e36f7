"""Commands with a closed pipe, with a terminal that cannot show every character, or killed."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from repair_bench.testing import run, written
from repair_bench.traces.files.atomic_file import write_whole

pytestmark = pytest.mark.slow

COMMAND = [sys.executable, "-m", "repair_bench"]


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    return written(tmp_path / "run", *run(tasks=20))


@pytest.mark.parametrize("lines", [0, 1])
def test_closed_pipe_is_not_an_error(directory: Path, lines: int) -> None:
    with subprocess.Popen([*COMMAND, "report", directory], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        for _ in range(lines):
            assert process.stdout.readline()
        process.stdout.close()
        assert (process.stderr.read(), process.wait(60)) == (b"", 0)


def test_closed_pipe_keeps_the_status_of_a_usage_error(tmp_path: Path) -> None:
    with subprocess.Popen([*COMMAND, "report", tmp_path], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdout.close()
        assert process.stderr.read()
        assert process.wait(60) == 2


@pytest.mark.parametrize("name", ["\u03c8", "\udcff"], ids=["unicode", "no UTF-8"])
@pytest.mark.parametrize("encoding", ["ascii", "utf-8"])
def test_path_that_the_output_cannot_show_is_escaped(tmp_path: Path, name: str, encoding: str) -> None:
    directory = written(tmp_path / name, *run(tasks=2))
    environment = {**os.environ, "PYTHONIOENCODING": encoding}
    command = [*COMMAND, "plot", directory, "--kind", "repair-curve"]
    plot = subprocess.run(command, env=environment, capture_output=True, timeout=60, check=False)
    assert (plot.returncode, plot.stderr) == (0, b"")
    assert plot.stdout.count(b"plots") == 2


def test_terminated_report_leaves_no_temporary_file(directory: Path) -> None:
    before = {path.name for path in directory.iterdir()}
    with subprocess.Popen([*COMMAND, "report", "--html", directory]) as process:
        while process.poll() is None and {path.name for path in directory.iterdir()} == before:
            time.sleep(0.005)
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) in (0, 130)
    left = {path.name for path in directory.iterdir()} - before
    assert left <= {"report.html"}


def test_file_left_by_a_kill_is_removed_by_the_next_writer(tmp_path: Path) -> None:
    """A file that another process is writing is kept."""
    held = f"""
import os, sys
from pathlib import Path
from repair_bench.traces.files.atomic_file import unfinished
with unfinished(Path({str(tmp_path / "page.html")!r})) as path:
    path.write_text("cut")
    print(flush=True)
    sys.stdin.read()
"""
    with subprocess.Popen([sys.executable, "-c", held], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as writer:
        writer.stdout.readline()
        write_whole(tmp_path / "page.html", ["whole"])
        assert len(list(tmp_path.iterdir())) == 2
        writer.kill()
    write_whole(tmp_path / "page.html", ["whole"])
    assert [path.name for path in tmp_path.iterdir()] == ["page.html"]
