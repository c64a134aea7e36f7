"""The null distances of a calibration: their empirical distribution, and the thresholds beside it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, TypedDict

import msgspec
import numpy as np
from matplotlib.figure import Figure

from repair_bench.report.plots import NothingToDraw, style
from repair_bench.report.table import Number, Rate

SHOWN = 3
"""Tasks with a curve of their own: those with the largest quantile."""


Distance = Annotated[float, msgspec.Meta(ge=0, le=1e6)]
Times = Annotated[int, msgspec.Meta(ge=0, le=10**9)]
Name = Annotated[str, msgspec.Meta(max_length=1_000)]


class _Task(TypedDict):
    id: Name
    framework: Name
    distances: Annotated[list[Distance], msgspec.Meta(min_length=1)]


class Data(TypedDict):
    """What is drawn of a calibration."""

    suite: Name
    version: Name
    repetitions: Times
    shots: Times
    q: Annotated[float, msgspec.Meta(ge=0, le=1)]
    quantile: Distance
    published: Distance
    tasks: list[_Task]


def draw_calibration(data: dict[str, Any], out_dir: Path) -> list[Path]:
    """`calibration.png` and `.svg` in `out_dir`, from a calibration's JSON data; the same data gives the same bytes."""
    with style.applied():
        return style.save(figure(data), out_dir, "calibration")


def figure(data: dict[str, Any]) -> Figure:
    """The pooled empirical distribution, the tasks that spread most, and the measured and the published quantile."""
    tasks = sorted(data["tasks"], key=lambda task: -float(np.quantile(task["distances"], data["q"])))
    title = f"Null KL distances of {data['suite']} {data['version']}"
    subtitle = f"{len(tasks)} tasks, each drawn {data['repetitions']:,} times with {data['shots']:,} shots"
    note = "D_KL(mean || sample) of samples of the references; QuanBench+, appendix E. Below 1e-5: drawn there."
    words = style.Words(title, subtitle, notes=[note])
    if not tasks:
        raise NothingToDraw("no task is judged by one distribution whose reference gives exact probabilities")
    curves = {"all tasks": [distance for task in tasks for distance in task["distances"]]}
    curves |= {f"{task['id']} {task['framework']}": task["distances"] for task in tasks[:SHOWN]}
    q, measured, published = data["q"], data["quantile"], data["published"]
    lines = {
        f"{Rate(q)}% quantile here: {Number(measured, '.3f')}": measured,
        f"in the paper: {Number(published, '.3f')}": published,
    }
    legend = [*curves, *lines]
    body, (ax,) = style.sheet(words, 1, (6.4, 3.6), legend)
    handles = []
    for i, distances in enumerate(curves.values()):
        x = np.sort(np.maximum(distances, 1e-5))
        look = {**style.line(i), "marker": ""}
        handles += ax.plot(x, np.arange(1, len(x) + 1) / len(x), drawstyle="steps-post", **look)
    for value, dashes in zip(lines.values(), ("-", ":"), strict=True):
        handles.append(ax.axvline(value, color=style.BLACK, linestyle=dashes, linewidth=1.2))
    ax.set_xscale("log")
    ax.set_xticks([10.0**i for i in range(-5, 1)], ["0.00001", "0.0001", "0.001", "0.01", "0.1", "1"])
    ax.minorticks_off()
    ax.set_xlim(8e-6, 2 * max(published, *(distances[-1] for distances in map(sorted, curves.values()))))
    ax.set_ylim(0, 1.01)
    ax.grid()
    return style.finish(body, [ax], handles, legend, xlabel="KL divergence (nats)", ylabel="share of repetitions")
