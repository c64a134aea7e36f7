"""Progress bars and lines."""

import io

from rich.console import Console

from repair_bench.report.progress import Counter


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
