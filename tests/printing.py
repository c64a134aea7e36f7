"""Terminal output as text."""

import io
from collections.abc import Iterable

from rich.console import Console, RenderableType


def terminal_text(parts: Iterable[RenderableType], width: int = 80) -> str:
    """Return the output of rich for these parts on a terminal with `width` columns."""
    console = Console(file=io.StringIO(), width=width)
    for part in parts:
        console.print(part)
    return console.file.getvalue()


def words(text: str) -> str:
    """Return the text without its line breaks, whose places are not tested."""
    return " ".join(text.split())
