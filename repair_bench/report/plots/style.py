"""The style of all figures: sizes, colours for colour-blind readers, and markers for greyscale printing."""

from __future__ import annotations

import io
import math
import re
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine

from repair_bench.analysis.rates.intervals import Interval
from repair_bench.traces.files.atomic_file import write_whole

BLUE, VERMILLION, GREEN, PURPLE = "#0072B2", "#D55E00", "#009E73", "#CC79A7"
ORANGE, SKY, BLACK, YELLOW = "#E69F00", "#56B4E9", "#000000", "#F0E442"
"""The palette of Okabe and Ito (2008)."""

PAPER, GREY, WARNING, GRID, SHADE = "#FFFFFF", "#555555", "#A03F00", "#DDDDDD", "#EEEEEE"
"""The colours of all parts of a figure except the data. On a page, colours of the page's theme replace these five
colours, and also replace black."""
EMPTY = "#FDFDFD"
"""The colour of an empty cell, which is the same in both themes."""

LINE_COLOURS = (BLUE, VERMILLION, GREEN, PURPLE, ORANGE, SKY, BLACK)  # yellow is too pale for a line
LINE_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
LINE_STYLES = ("-", "--", "-.", ":")
FILLS = (
    {"facecolor": SKY, "hatch": ""},
    {"facecolor": VERMILLION, "hatch": "////"},
    {"facecolor": YELLOW, "hatch": "...."},
    {"facecolor": PURPLE, "hatch": "xxxx"},
    {"facecolor": GREEN, "hatch": "\\\\\\\\"},
    {"facecolor": "#FFFFFF", "hatch": "||||"},
    {"facecolor": ORANGE, "hatch": "++++"},
    {"facecolor": "#BBBBBB", "hatch": "----"},
)
_SETTINGS = {
    "font.size": 9,
    "axes.titlesize": 10,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "axes.formatter.use_locale": False,
    "grid.color": GRID,
    "grid.linewidth": 0.6,
    "hatch.linewidth": 0.6,
    "legend.frameon": False,
    "lines.linewidth": 1.8,
    "lines.markersize": 5.5,
    "text.parse_math": False,  # names of models may contain dollar signs
    "svg.hashsalt": "repair-bench",  # otherwise the ids inside an SVG are random
}
_PANEL_TITLE = 31  # characters per line above a panel of three in a row
_MAX_WIDTH = 10.5  # inches of all panels in a row
_MARGIN = 0.15  # inches
_PLAIN, _BOLD = 0.0075, 0.0088  # average width of a character in inches per point of its size


def applied() -> AbstractContextManager[None]:
    """Return a context in which this style replaces the user's plot settings, for drawing and saving."""
    context: AbstractContextManager[None] = mpl.rc_context({**mpl.rcParamsDefault, "backend": "agg", **_SETTINGS})
    return context


def line(index: int) -> dict[str, Any]:
    """Return the colour, the marker and the line style of series `index`; any 56 consecutive series are distinct."""
    return {
        "color": LINE_COLOURS[index % len(LINE_COLOURS)],
        "marker": LINE_MARKERS[index % len(LINE_MARKERS)],
        "linestyle": LINE_STYLES[index % len(LINE_STYLES)],
    }


@dataclass(frozen=True)
class Words:
    """The texts around the axes: title, subtitle, notices (in colour), and notes (in small print)."""

    title: str
    subtitle: str
    notices: Sequence[str] = ()
    notes: Sequence[str] = ()


def fill(index: int) -> dict[str, Any]:
    """Return the colour, the hatching and the edge of bar `index`; any 8 consecutive bars are distinct."""
    return {"edgecolor": BLACK, "linewidth": 0.6, **FILLS[index % len(FILLS)]}


def sheet(
    words: Words,
    panels: int,
    panel_size: tuple[float, float],
    legend: Sequence[str] = (),
    *,
    max_columns: int = 3,
    **subplots: Any,
) -> tuple[Any, list[Any]]:
    """Return the part of a figure that holds the axes and the legend, and a list with the axes of each panel.

    The size of each panel is about `panel_size` inches, and a row has at most `max_columns` panels.
    """
    columns = min(panels, max_columns, max(1, int(_MAX_WIDTH / panel_size[0])))
    rows = math.ceil(panels / columns)
    width = max(6.4, columns * panel_size[0])
    header = [_Block.wrap(words.title, width, 12, bold=True), _Block.wrap(words.subtitle, width, 9)]
    header += [_Block.wrap(notice, width, 9, bold=True, colour=WARNING) for notice in words.notices]
    footer = [_Block.wrap(note, width, 8, colour=GREY) for note in words.notes]
    body = rows * panel_size[1]
    if legend:
        body += 0.2 * math.ceil(len(legend) / legend_columns(legend, width))
    heights = [_height(header), body, _height(footer)]
    layout = ConstrainedLayoutEngine(w_pad=0.1, h_pad=0.06)
    figure: Any = Figure(figsize=(width, sum(heights)), layout=layout)
    above, middle, below = figure.subfigures(3, 1, height_ratios=heights)
    _write(above, header, width)
    _write(below, footer, width)
    axes = middle.subplots(rows, columns, squeeze=False, **subplots).ravel().tolist()
    for unused in axes[panels:]:
        unused.remove()
    return middle, axes[:panels]


def finish(
    body: Any, axes: Sequence[Any], handles: Sequence[Any], legend: Sequence[str], *, xlabel: str, ylabel: str = ""
) -> Figure:
    """Label the outer axes, add the legend, and return the figure. `body`: see `sheet`."""
    for ax in axes:
        ax.set_xlabel(xlabel)
        ax.set_ylabel(ylabel)
        ax.label_outer()
    return hang(body, handles, legend)


def hang(body: Any, handles: Sequence[Any], legend: Sequence[str]) -> Figure:
    """Add the legend, unless it is empty, below the axes. Return the figure."""
    figure: Figure = body.figure
    if legend:
        columns = legend_columns(legend, figure.get_figwidth())
        body.legend(handles, legend, loc="outside lower center", ncols=columns, handlelength=3.2, handleheight=1.1)
    return figure


def handles(ax: Any, looks: Iterable[Mapping[str, Any]]) -> list[Any]:
    return [ax.plot([], [], **look)[0] for look in looks]


def percent(curve: Iterable[Interval]) -> tuple[list[float], list[float], list[float]]:
    """Return the estimates and the lower and upper ends of their intervals, in %; unknown values are 0."""
    points = list(curve)
    rates, low, high = ([100 * (getattr(p, name) or 0.0) for p in points] for name in ("estimate", "low", "high"))
    return rates, low, high


def band(
    ax: Any, xs: Sequence[float], low: Sequence[float], high: Sequence[float], look: Mapping[str, Any], **how: Any
) -> None:
    ax.fill_between(xs, low, high, color=look["color"], alpha=0.12, linewidth=0, **how)


def legend_columns(labels: Sequence[str], width: float) -> int:
    """Return the number of legend entries that fit in `width` inches."""
    return max(1, min(len(labels), int(width / (max(map(len, labels)) * 9 * _PLAIN + 0.85))))


def panel_width(labels: Sequence[str], minimum: float) -> float:
    """Return the width in inches that a panel needs for its longest label and a note."""
    return max([minimum, *(9 * _BOLD * len(label) + 0.9 for label in labels)])


def panel_title(title: str) -> str:
    """Break a title into lines that fit one of three panels in a row, preferably between the parts of the title."""
    lines: list[str] = []
    for part in title.split(" / "):
        if lines and len(lines[-1]) + len(" / ") + len(part) <= _PANEL_TITLE:
            lines[-1] += f" / {part}"
        else:
            lines += _pieces(part)
    return "\n".join(lines)


def _pieces(part: str) -> list[str]:
    lines = [""]
    for piece in re.findall(r"[^-+_, ]*[-+_, ]?", part):
        if len(lines[-1]) + len(piece.rstrip()) > _PANEL_TITLE:
            lines.append("")
        lines[-1] += piece
    return [
        line[start : start + _PANEL_TITLE]
        for line in lines
        for start in range(0, len(line) or 1, _PANEL_TITLE)
        if line or part == ""
    ]


def files(folder: Path, name: str) -> list[Path]:
    return [folder / f"{name}.png", folder / f"{name}.svg"]


def save(figure: Figure, out_dir: Path, name: str) -> list[Path]:
    """Write `name`.png and `name`.svg. The same figure always produces identical files.

    Raises UsageError, and keeps the old files, if the new files cannot be written.
    """
    png, svg = files(out_dir, name)
    pixels = io.BytesIO()
    figure.savefig(pixels, format="png", dpi=200)
    write_whole(png, [pixels.getvalue()])
    write_whole(svg, [drawing(figure)])
    return [png, svg]


def drawing(figure: Figure) -> str:
    """Return a figure as SVG text. The same figure always produces the same text."""
    text = io.StringIO()
    figure.savefig(text, format="svg", metadata={"Date": None})
    # the layout differs between draws by rounding errors, and matplotlib's ids are hashes of the layout
    svg = re.sub(r"\d+\.\d{4,}", lambda match: f"{float(match[0]):.3f}", text.getvalue())
    ids: dict[str, str] = {}
    return re.sub(r'(?<=["#])[hmp][0-9a-f]{10}(?=[")])', lambda match: ids.setdefault(match[0], f"id{len(ids)}"), svg)


@dataclass(frozen=True)
class _Block:
    """A paragraph above or below the axes, and its height in inches."""

    lines: list[str]
    style: dict[str, Any]
    height: float

    @classmethod
    def wrap(cls, text: str, width: float, size: float, *, bold: bool = False, colour: str = BLACK) -> _Block:
        lines = textwrap.wrap(text, int((width - 2 * _MARGIN) / (size * (_BOLD if bold else _PLAIN))))
        style = {"size": size, "weight": "bold" if bold else "normal", "color": colour, "linespacing": 1.25}
        return cls(lines, style, size * 0.0185 * len(lines) + 0.03)


def _height(blocks: Sequence[_Block]) -> float:
    return sum(block.height for block in blocks) + _MARGIN


def _write(part: Any, blocks: Sequence[_Block], width: float) -> None:
    height = _height(blocks)
    y = height - 0.1
    for block in blocks:
        part.text(_MARGIN / width, y / height, "\n".join(block.lines), va="top", **block.style)
        y -= block.height
