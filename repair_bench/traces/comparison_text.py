"""A comparison for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from rich.console import RenderableType
from rich.text import Text

from repair_bench.traces.notices import count
from repair_bench.traces.sections import grids
from repair_bench.traces.sections.base import p_value, percent, points

_NOTE = (
    "difference: B minus A, in points, paired by task and sample, with a 95% interval over problems. won, lost: pairs "
    "that only B solves, that only A solves. p*: exact McNemar, which takes pairs as independent, adjusted for all of "
    "the rows (Holm)."
)


def parts(found: dict[str, Any], width: int = 80) -> Iterator[RenderableType]:
    """What `compare` prints, from what `compare.compare` gives."""
    for notice in dict.fromkeys(found["notices"]):
        yield Text(notice, style="bold yellow")
    by = f", by {found['by']}" if found["by"] else ""
    yield Text(f"A: {found['a']}\nB: {found['b']}\n{count(found['pairs'], 'pair')}{by}; {found['alone']:,} alone")
    for said in found["differs"]:
        yield Text(f"differs: {said}")
    yield Text(f"\nSolved, in % (B minus A, FB@0 is Pass@1, k = {found['k']})", style="bold")
    yield from grids([_row(row) for row in found["rows"]], width)
    yield Text(_NOTE, style="dim")
    for side, title in (("won", "Only B solves"), ("lost", "Only A solves")):
        yield Text(f"\n{title}: {count(sum(t['episodes'] for t in found[side]), 'pair')}", style="bold")
        yield from (Text(line) for line in _names(found[side]))
    yield Text("\nGrader noise", style="bold")
    yield from (Text(line) for line in _noise(found["noise"]))


def _row(row: dict[str, Any]) -> dict[str, str]:
    return {
        "at": f"FB@{row['k']}",
        "framework": row["framework"],
        "pairs": f"{row['pairs']:,}",
        "A": percent(row["a"], "estimate"),
        "B": percent(row["b"], "estimate"),
        "difference": points(row["difference"], "estimate"),
        "won, lost": f"{row['won']:,}, {row['lost']:,}",
        "p*": p_value(row["p_holm"]),
    }


def _names(tasks: Sequence[dict[str, Any]]) -> Iterator[str]:
    """One line a framework; how many of a task's samples, where there are several."""
    frameworks: dict[str, list[str]] = {}
    for task in tasks:
        name = task["task_id"] + (f" (x{task['episodes']})" if task["episodes"] > 1 else "")
        frameworks.setdefault(task["framework"], []).append(name)
    for framework, names in sorted(frameworks.items()):
        yield f"{framework}: {', '.join(names)}"


def _noise(noise: dict[str, Any]) -> Iterator[str]:
    same, alone = noise["same_code"], sum(task["episodes"] for task in noise["disagree"])
    yield f"{count(same, 'pair')} with the same code as first answer; {alone:,} of them passed on one side alone"
    yield from _names(noise["disagree"])
    if not noise["sampled_rules"]:
        yield "Both sides were judged by exact rules: the same code gets the same verdict, and no repair is luck."
        return
    yield f"Judged by random shots (rule {', '.join(noise['sampled_rules'])}): some of the difference is luck."
    if noise["phantom"] is None:
        yield (
            "How much: give the rule's certificate, --certificate FILE; `repair-bench suites audit SUITE --rule RULE "
            "--out DIR` makes it."
        )
        return
    yield f"By the certificate, luck alone could repair {100 * noise['phantom']:.1f} points of correct answers."
    shown = [f"{t['task_id']} {t['framework']} ({100 * t['accepted']:.0f}%)" for t in noise["noisy_tasks"]]
    if shown:
        yield f"Correct answers are not always accepted in: {', '.join(shown)}"
