"""How far something long is."""

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


def test_a_file_gets_the_last_line_at_least() -> None:
    assert shown(terminal=False) == "graded 4/4  time left 0:00\n"


def test_a_terminal_gets_a_bar() -> None:
    assert "graded 4/4" in shown(terminal=True)
