"""The certificate of a grader: which mistakes it sees, and the tasks where it falls short."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, TypedDict

import msgspec
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from repair_bench.report.plots import style

FATES: dict[str, dict[str, Any]] = {
    "rejected": {"facecolor": style.SKY, "hatch": ""},
    "survived": {"facecolor": style.VERMILLION, "hatch": "////"},
    "right": {"facecolor": "#FFFFFF", "hatch": "xxxx"},
    "equivalent": {"facecolor": "#FFFFFF", "hatch": "...."},
}
MARKS: dict[str, dict[str, Any]] = {
    "mutants rejected": {"marker": "o", "color": style.BLUE},
    "correct answers accepted": {"marker": "s", "color": style.GREEN, "fillstyle": "none"},
}
MOST_TASKS = 30
MOST_NAMES = 2
"""Of programs that pass one task; of more than these, their number is written."""
_NOTE = (
    "Left: mutants of the references that ran; without the check, equivalent ones are shown to be the same channel, "
    "right ones to give the same answers. "
    "Right: tasks that fall short of 100%, or that a program without an idea or a fake referee passes; the worst first."
)


Count = Annotated[int, msgspec.Meta(ge=0, le=10**9)]
Share = Annotated[float, msgspec.Meta(ge=0, le=1)]
Name = Annotated[str, msgspec.Meta(max_length=1_000)]


class _Task(TypedDict):
    id: Name
    framework: Name
    score: Share | None
    accepted: Share | None
    passed_by: dict[Name, bool]
    right: list[Name]


class _Totals(TypedDict):
    kinds: Annotated[dict[Name, dict[Name, Count]], msgspec.Meta(max_length=100)]


class Data(TypedDict):
    """What is drawn of a certificate."""

    suite: Name
    version: Name
    rule: Name
    headline: list[Name]
    totals: _Totals
    tasks: list[_Task]


def draw_certificate(data: dict[str, Any], out_dir: Path) -> list[Path]:
    """`certificate.png` and `.svg` in `out_dir`, from a certificate's JSON data; the same data gives the same bytes."""
    with style.applied():
        return style.save(figure(data), out_dir, "certificate")


def figure(data: dict[str, Any]) -> Figure:
    """Bars by kind of mutation on the left, tasks on the right."""
    kinds = {kind: counts for kind, counts in data["totals"]["kinds"].items() if set(counts) - {"raised"}}
    short = sorted(filter(_falls_short, data["tasks"]), key=_worth)
    title = f"Certificate of {data['suite']} {data['version']}, rule: {data['rule']}"
    words = style.Words(title, " ".join(data["headline"]), notes=[_NOTE])
    legend = [*FATES, *MARKS]
    rows = max(len(kinds), min(len(short), MOST_TASKS), 3)
    body, (left, right) = style.sheet(words, 2, (4.6, 0.9 + 0.19 * rows), legend)
    _kinds(left, kinds)
    _tasks(right, short)
    handles: list[Any] = [Patch(edgecolor=style.BLACK, linewidth=0.6, **look) for look in FATES.values()]
    handles += [Line2D([], [], linestyle="", **look) for look in MARKS.values()]
    columns = style.legend_columns(legend, body.figure.get_figwidth())
    body.legend(handles, legend, loc="outside lower center", ncols=columns, handlelength=2.4)
    drawn: Figure = body.figure
    return drawn


def _kinds(ax: Any, kinds: dict[str, dict[str, int]]) -> None:
    ax.set_title("Mutants by kind")
    ax.set_xlabel("mutants that ran")
    for y, counts in enumerate(kinds.values()):
        left = 0
        for fate, look in FATES.items():
            count = counts.get(fate, 0)
            if count:
                ax.barh(y, count, 0.8, left=left, edgecolor=style.BLACK, linewidth=0.6, **look)
            left += count
    ax.set_yticks(range(len(kinds)), [kind.replace("_", " ") for kind in kinds])
    ax.set_ylim(max(len(kinds), 1) - 0.4, -0.6)
    ax.grid(axis="x")
    if not kinds:
        ax.text(0.5, 0.5, "no mutant ran", ha="center", va="center", transform=ax.transAxes)


def _tasks(ax: Any, short: Sequence[dict[str, Any]]) -> None:
    shown = short[:MOST_TASKS]
    ax.set_title(f"Tasks that fall short: {len(short)}" + (f", {MOST_TASKS} shown" if len(short) > MOST_TASKS else ""))
    ax.set_xlabel("share (%)")
    for y, task in enumerate(shown):
        for share, look in zip((task["score"], task["accepted"]), MARKS.values(), strict=True):
            if share is not None:
                ax.plot(100 * share, y, linestyle="", clip_on=False, **look)
        passed = _passed_by(task)
        if passed:
            names = ", ".join(passed) if len(passed) <= MOST_NAMES else f"{len(passed)} programs"
            ax.annotate(f"passed by: {names}", (105, y), va="center", size=7, annotation_clip=False)
    ax.set_yticks(range(len(shown)), [f"{task['id']} {task['framework']}" for task in shown])
    ax.set_ylim(max(len(shown), 1) - 0.4, -0.6)
    ax.set_xlim(-3, 147 if any(map(_passed_by, shown)) else 103)
    ax.set_xticks(range(0, 101, 20))
    ax.spines["bottom"].set_bounds(0, 100)
    ax.grid(axis="x")
    if not shown:
        ax.text(0.5, 0.5, "none", ha="center", va="center", transform=ax.transAxes)


def _passed_by(task: dict[str, Any]) -> list[str]:
    return [name for name, passes in task["passed_by"].items() if passes and name not in task["right"]]


def _falls_short(task: dict[str, Any]) -> bool:
    shares = [share for share in (task["score"], task["accepted"]) if share is not None]
    return bool(_passed_by(task)) or any(share < 1 for share in shares)


def _worth(task: dict[str, Any]) -> tuple[Any, ...]:
    """Tasks that blank programs pass come first, then those with the lowest share."""
    shares = [share for share in (task["score"], task["accepted"]) if share is not None]
    return not _passed_by(task), min(shares, default=1.0), task["id"], task["framework"]
