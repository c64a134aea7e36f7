"""What a person reads on a terminal, as text."""

import io
from collections.abc import Iterable

from rich.console import Console, RenderableType


def terminal_text(parts: Iterable[RenderableType], width: int = 80) -> str:
    """What rich prints of these parts on a terminal of so many columns."""
    console = Console(file=io.StringIO(), width=width)
    for part in parts:
        console.print(part)
    return console.file.getvalue()


def words(text: str) -> str:
    """The text without its line breaks: where a terminal breaks a line is not what a test is about."""
    return " ".join(text.split())
