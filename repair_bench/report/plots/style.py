"""How every figure looks: sizes, colours that colour-blind readers can tell apart, marks that survive grey print."""

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

from repair_bench.traces.files.atomic_file import write_whole

BLUE, VERMILLION, GREEN, PURPLE = "#0072B2", "#D55E00", "#009E73", "#CC79A7"
ORANGE, SKY, BLACK, YELLOW = "#E69F00", "#56B4E9", "#000000", "#F0E442"
"""The palette of Okabe and Ito (2008)."""

PAPER, GREY, WARNING, GRID, SHADE = "#FFFFFF", "#555555", "#A03F00", "#DDDDDD", "#EEEEEE"
"""Of what is no data. On the page these and black become the page's own colours, light or dark."""
EMPTY = "#FDFDFD"
"""A cell of nothing: the same in light and dark."""

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
"""Eight fills for bars that differ by hatch as well as by colour."""

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
    "text.parse_math": False,  # a model's name may hold dollar signs
    "svg.hashsalt": "repair-bench",  # else the ids inside an SVG are drawn at random
}
PANEL_TITLE = 31
"""Characters that fit above a panel of three in a row."""
_WIDEST = 10.5  # inches of panels side by side
_MARGIN = 0.15  # inches
_PLAIN, _BOLD = 0.0075, 0.0088  # inches a character takes on average, for each point of its size


def applied() -> AbstractContextManager[None]:
    """The settings above, whatever the user's own are; for drawing and for saving."""
    context: AbstractContextManager[None] = mpl.rc_context({**mpl.rcParamsDefault, "backend": "agg", **_SETTINGS})
    return context


def line(index: int) -> dict[str, Any]:
    """Colour, marker and line style of the series with this number; 56 in a row look different."""
    return {
        "color": LINE_COLOURS[index % len(LINE_COLOURS)],
        "marker": LINE_MARKERS[index % len(LINE_MARKERS)],
        "linestyle": LINE_STYLES[index % len(LINE_STYLES)],
    }


@dataclass(frozen=True)
class Words:
    """What stands around the axes: the title, what is shown, what must be said (in colour), and the small print."""

    title: str
    subtitle: str
    notices: Sequence[str] = ()
    notes: Sequence[str] = ()


def fill(index: int) -> dict[str, Any]:
    """Colour, hatch and edge of the bar with this number; 8 in a row look different."""
    return {"edgecolor": BLACK, "linewidth": 0.6, **FILLS[index % len(FILLS)]}


def sheet(
    words: Words,
    panels: int,
    panel_size: tuple[float, float],
    legend: Sequence[str] = (),
    *,
    most_columns: int = 3,
    **subplots: Any,
) -> tuple[Any, list[Any]]:
    """A figure with `panels` axes of about `panel_size` inches, `most_columns` a row, and the words around them.

    Returns the part of the figure that holds the axes and below which a legend is hung, and the axes.
    """
    columns = min(panels, most_columns, max(1, int(_WIDEST / panel_size[0])))
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
    parts: Any = Figure(figsize=(width, sum(heights)), layout=layout).subfigures(3, 1, height_ratios=heights)
    above, middle, below = parts
    _write(above, header, width)
    _write(below, footer, width)
    axes = middle.subplots(rows, columns, squeeze=False, **subplots).ravel().tolist()
    for unused in axes[panels:]:
        unused.remove()
    return middle, axes[:panels]


def finish(
    body: Any, axes: Sequence[Any], handles: Sequence[Any], legend: Sequence[str], *, xlabel: str, ylabel: str = ""
) -> Figure:
    """Label the outer axes of a sheet, hang its legend below them, and return the figure."""
    for ax in axes:
        ax.set_xlabel(xlabel)
        ax.set_ylabel(ylabel)
        ax.label_outer()
    return hang(body, handles, legend)


def hang(body: Any, handles: Sequence[Any], legend: Sequence[str]) -> Figure:
    """Hang a legend below a sheet, where there is anything in it, and return the figure."""
    figure: Figure = body.figure
    if legend:
        columns = legend_columns(legend, figure.get_figwidth())
        body.legend(handles, legend, loc="outside lower center", ncols=columns, handlelength=3.2, handleheight=1.1)
    return figure


def handles(ax: Any, looks: Iterable[Mapping[str, Any]]) -> list[Any]:
    """Lines for a legend, which are not drawn."""
    return [ax.plot([], [], **look)[0] for look in looks]


def band(
    ax: Any, xs: Sequence[float], low: Sequence[float], high: Sequence[float], look: Mapping[str, Any], **how: Any
) -> None:
    ax.fill_between(xs, low, high, color=look["color"], alpha=0.12, linewidth=0, **how)


def legend_columns(labels: Sequence[str], width: float) -> int:
    """How many legend entries fit side by side in `width` inches."""
    return max(1, min(len(labels), int(width / (max(map(len, labels)) * 9 * _PLAIN + 0.85))))


def room(labels: Sequence[str], least: float) -> float:
    """Inches that a panel needs for its longest label, beside a note of its own."""
    return max([least, *(9 * _BOLD * len(label) + 0.9 for label in labels)])


def panel_title(title: str) -> str:
    """A title that fits above a panel of three in a row: on several lines where it is long."""
    return wrapped(title, PANEL_TITLE)


def wrapped(label: str, length: int) -> str:
    """A label on lines of at most so many characters, broken between its parts where that is possible."""
    lines: list[str] = []
    for part in label.split(" / "):
        if lines and len(lines[-1]) + len(" / ") + len(part) <= length:
            lines[-1] += f" / {part}"
        else:
            lines += _pieces(part, length)
    return "\n".join(lines)


def _pieces(part: str, length: int) -> list[str]:
    lines = [""]
    for piece in re.findall(r"[^-+_, ]*[-+_, ]?", part):
        if len(lines[-1]) + len(piece.rstrip()) > length:
            lines.append("")
        lines[-1] += piece
    return [
        line[start : start + length]
        for line in lines
        for start in range(0, len(line) or 1, length)
        if line or part == ""
    ]


def files(folder: Path, name: str) -> list[Path]:
    """Where the figure `name` stands in `folder`: its PNG and its SVG."""
    return [folder / f"{name}.png", folder / f"{name}.svg"]


def save(figure: Figure, out_dir: Path, name: str) -> list[Path]:
    """Write `name`.png and `name`.svg, without a date, so that the same figure gives the same bytes.

    Raises UsageError when they cannot be written; a file that stood there stays then.
    """
    png, svg = files(out_dir, name)
    pixels = io.BytesIO()
    figure.savefig(pixels, format="png", dpi=200)
    write_whole(png, [pixels.getvalue()])
    write_whole(svg, [drawing(figure)])
    return [png, svg]


def drawing(figure: Figure) -> str:
    """A figure as SVG, without a date; the same figure gives the same text."""
    text = io.StringIO()
    figure.savefig(text, format="svg", metadata={"Date": None})
    return _numbered(_rounded(text.getvalue()))


def _rounded(svg: str) -> str:
    """Coordinates to a thousandth of a point: the last bits of the layout differ from draw to draw."""
    return re.sub(r"\d+\.\d{4,}", lambda match: f"{float(match[0]):.3f}", svg)


def _numbered(svg: str) -> str:
    """Ids in the order they appear; matplotlib's hash the last bits of the layout, which differ from draw to draw."""
    ids: dict[str, str] = {}
    return re.sub(r'(?<=["#])[hmp][0-9a-f]{10}(?=[")])', lambda match: ids.setdefault(match[0], f"id{len(ids)}"), svg)


@dataclass(frozen=True)
class _Block:
    """A paragraph around the axes. `height` in inches."""

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
    whole = _height(blocks)
    y = whole - 0.1
    for block in blocks:
        part.text(_MARGIN / width, y / whole, "\n".join(block.lines), va="top", **block.style)
        y -= block.height
