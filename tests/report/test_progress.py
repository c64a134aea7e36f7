"""Progress bars and lines."""

import io

import pytest
from rich.console import Console

from repair_bench.report.progress import Counter, RunProgress
from repair_bench.traces.record.spending import Spending


def shown(*, terminal: bool) -> str:
    file = io.StringIO()
    with Counter("graded", Console(file=file, force_terminal=terminal, width=80)) as counter:
        counter.at(2, 4, {})
        assert counter.line() == "graded 2/4  time left -"
        counter.at(3, 4, {})
        counter.at(4, 4, {})
    return file.getvalue()


def test_progress_in_a_file_has_at_least_the_last_line() -> None:
    assert shown(terminal=False) == "graded 4/4  time left 0:00\n"


def test_progress_on_a_terminal_is_a_bar() -> None:
    assert "graded 4/4" in shown(terminal=True)


@pytest.mark.parametrize("quiet", [True, False])
def test_end_of_a_run_is_printed_even_in_quiet_mode(capsys: pytest.CaptureFixture[str], *, quiet: bool) -> None:
    file = io.StringIO()
    progress = RunProgress(2, Console(file=file, quiet=quiet), repairs=1, spending=Spending())
    progress.stops("[b] 1 episode is pending")
    printed = {"console": file.getvalue(), "stderr": capsys.readouterr().err}
    line = "[b] 1 episode is pending\n"
    assert printed == ({"console": "", "stderr": line} if quiet else {"console": line, "stderr": ""})
