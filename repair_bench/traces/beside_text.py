"""A run beside published figures, for a terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from typing import Any

from rich.console import RenderableType
from rich.text import Text

from repair_bench.traces.sections import grids


def parts(found: dict[str, Any], width: int = 80) -> Iterator[RenderableType]:
    """What `report --beside` prints, from what `beside.beside` gives."""
    yield Text(f"Beside {found['title']} ({found['source']})", style="bold")
    for notice in found["notices"]:
        yield Text(notice, style="bold yellow")
    for table in found["tables"]:
        yield Text(f"\n{table['title']}; published: {table['where']}", style="bold")
        yield from grids(table["rows"], width, ("framework", "from"))
        if table["note"]:
            yield Text(table["note"], style="dim")
    yield Text("\nBefore comparing", style="bold")
    for caveat in found["caveats"]:
        yield Text(textwrap.fill(caveat, width - 2, initial_indent="- ", subsequent_indent="  "))
    yield Text(found["note"], style="dim")
