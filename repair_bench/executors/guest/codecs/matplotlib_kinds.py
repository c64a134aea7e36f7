"""Matplotlib's figures by what can be read of them: axes, ticks, titles, images, legends, and the artists in them.

A figure is made anew of plain artists of the same classes, in the same order. What it was drawn with (a canvas, a
window, callbacks, shared axes) stays behind.
"""

from __future__ import annotations

from typing import Any, Dict, List

import numpy as np
from matplotlib import container, image, legend, projections
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.gridspec import GridSpec

from ..codec import CannotCross, Family, Kind
from .matplotlib_artists import TEXT, add, artist_apart, class_of, made, plain, properties, set_properties

MAX_ARTISTS = 10_000
"""Of a figure, ticks counted."""
MAX_AXES = 64
MAX_INCHES = 1000
MAX_DPI = 10_000
AXES = ("alpha", "aspect", "facecolor", "frame_on", "gid", "label", "visible", "zorder")


def exact() -> Dict[type, Kind]:
    return {Figure: Kind("Figure", _figure_apart, _figure)}


def families() -> List[Family]:
    axes = Kind("Axes", lambda value: [value.figure.axes.index(value), _figure_apart(value.figure)], _one_of_a_figure)
    return [
        (lambda value: isinstance(value, Axes), axes),
        (lambda value: class_of(value) is not None, Kind("artist", artist_apart, made)),
    ]


def _one_of_a_figure(parts: Any) -> Any:
    index, figure = parts
    return _figure(figure).axes[index]


def _image_apart(value: Any) -> List[Any]:
    array = np.ma.filled(value.get_array(), np.nan) if np.ma.is_masked(value.get_array()) else value.get_array()
    limits = plain(value.get_clim())
    return ["image", np.asarray(array), plain(value.get_extent()), value.origin, value.get_cmap().name, limits]


def _image(axes: Any, parts: Any) -> Any:
    _, array, extent, origin, colours, limits = parts
    picture = image.AxesImage(axes, cmap=colours, origin=origin, extent=extent)
    picture.set_data(array)
    picture.set_clim(*limits)
    axes.add_image(picture)
    return picture


def _axis_names(axes: Any) -> str:
    return "xyz" if hasattr(axes, "get_zlim") else "xy"


def _axis_apart(axes: Any, name: str) -> List[Any]:
    axis = getattr(axes, name + "axis")
    labels = axis.get_ticklabels()
    return [
        axis.get_label_text(),
        axis.get_scale(),
        plain(getattr(axes, "get_%slim" % name)()),
        np.array(axis.get_ticklocs()),
        [label.get_text() for label in labels],
        [properties(label, TEXT) for label in labels[:1]],
        bool(axis.get_visible()),
    ]


def _axis(axes: Any, name: str, parts: Any) -> None:
    title, scale, limits, ticks, labels, style, visible = parts
    axis = getattr(axes, name + "axis")
    if scale != axis.get_scale():
        axis._set_axes_scale(scale)
    axis.set_label_text(title)
    if len(labels) == len(ticks):
        axis.set_ticks(ticks, labels)
    else:  # they are hidden
        axis.set_ticks(ticks)
        axis.set_tick_params(label1On=False, label2On=False)
    for label in axis.get_ticklabels():
        for values in style:
            set_properties(label, values, TEXT)
    getattr(axes, "set_%slim" % name)(*limits)
    axis.set_visible(visible)


def _legend_apart(value: Any) -> List[Any]:
    texts = [entry.get_text() for entry in value.get_texts()]
    handles = getattr(value, "legend_handles", None) or getattr(value, "legendHandles", [])
    title = value.get_title().get_text()
    known = [artist_apart(handle) for handle in handles if class_of(handle) is not None]
    if len(known) != len(texts):
        raise CannotCross("a legend with an entry of its own kind")
    return [known, texts, title, plain(value._loc)]


def _legend(parent: Any, parts: Any) -> Any:
    handles, texts, title, place = parts
    drawn = legend.Legend(parent, list(map(made, handles)), texts, title=title or None)
    drawn.set_loc(place if isinstance(place, (int, tuple)) else 0)
    return drawn


def _children(axes: Any) -> List[Any]:
    """What was drawn in axes, in order: neither their frame, titles and legend nor other axes."""
    own = [*axes.spines.values(), axes.title, axes._left_title, axes._right_title, axes.patch, axes.get_legend()]
    return [
        child
        for child in axes.get_children()
        if not any(child is part for part in own)
        and (class_of(child) is not None or isinstance(child, image.AxesImage))
    ]


def _axes_apart(axes: Any) -> Dict[str, Any]:
    children = _children(axes)
    numbers = {id(child): index for index, child in enumerate(children)}
    spec = axes.get_subplotspec()
    return {
        "projection": axes.name,
        "box": plain(axes.get_position(original=True).bounds),
        "cell": None if spec is None else list(map(int, spec.get_geometry())),
        "told": properties(axes, AXES),
        "shown": bool(axes.axison),
        "titles": [axes.get_title(place) for place in ("left", "center", "right")],
        "axes": [_axis_apart(axes, name) for name in _axis_names(axes)],
        "children": [
            _image_apart(child) if isinstance(child, image.AxesImage) else artist_apart(child) for child in children
        ],
        "bars": [
            [[numbers[id(bar)] for bar in found], found.get_label(), getattr(found, "orientation", None)]
            for found in axes.containers
            if isinstance(found, container.BarContainer) and all(id(bar) in numbers for bar in found)
        ],
        "legend": None if axes.get_legend() is None else _legend_apart(axes.get_legend()),
        "view": [float(axes.elev), float(axes.azim)] if hasattr(axes, "elev") else None,
    }


def _axes(figure: Any, parts: Any) -> None:
    if parts["projection"] not in projections.get_projection_names():
        raise CannotCross("axes of another projection")
    if parts["cell"] is None:
        axes = figure.add_axes(parts["box"], projection=parts["projection"])
    else:
        rows, columns, first, last = parts["cell"]
        if not 0 < rows * columns <= MAX_ARTISTS:
            raise CannotCross("%s by %s cells" % (rows, columns))
        cells = GridSpec(rows, columns)
        axes = figure.add_subplot(
            cells[first : last + 1] if rows == 1 or columns == 1 else _cells(cells, columns, first, last),
            projection=parts["projection"],
        )
        axes.set_position(parts["box"])
    if parts["view"] is not None:
        axes.view_init(*parts["view"])
    children = [_image(axes, child) if child[0] == "image" else add(axes, child) for child in parts["children"]]
    for bars, label, orientation in parts["bars"]:
        axes.add_container(
            container.BarContainer([children[bar] for bar in bars], label=label, orientation=orientation)
        )
    for place, title in zip(("left", "center", "right"), parts["titles"]):
        axes.set_title(title, loc=place)
    for name, axis in zip(_axis_names(axes), parts["axes"]):
        _axis(axes, name, axis)
    if parts["legend"] is not None:
        axes.legend_ = _legend(axes, parts["legend"])
    set_properties(axes, parts["told"], AXES)
    (axes.set_axis_on if parts["shown"] else axes.set_axis_off)()


def _cells(cells: Any, columns: int, first: int, last: int) -> Any:
    top, left, bottom, right = *divmod(first, columns), *divmod(last, columns)
    return cells[top : bottom + 1, left : right + 1]


def _figure_apart(figure: Any) -> Dict[str, Any]:
    above = figure._suptitle
    return {
        "size": [float(inches) for inches in figure.get_size_inches()],
        "dpi": float(figure.get_dpi()),
        "colours": [plain(figure.get_facecolor()), plain(figure.get_edgecolor())],
        "title": None if above is None else above.get_text(),
        "label": str(figure.get_label()),
        "axes": list(map(_axes_apart, figure.axes)),
        "texts": [artist_apart(child) for child in figure.texts if child is not above],
        "patches": [artist_apart(child) for child in figure.patches],
        "lines": [artist_apart(child) for child in figure.lines],
        "legends": list(map(_legend_apart, figure.legends)),
    }


def _figure(parts: Any) -> Any:
    _bound(parts)
    face, edge = parts["colours"]
    figure = Figure(tuple(parts["size"]), parts["dpi"], facecolor=face, edgecolor=edge)
    figure.set_label(str(parts["label"]))
    for axes in parts["axes"]:
        _axes(figure, axes)
    if parts["title"] is not None:
        figure.suptitle(parts["title"])
    for name in ("texts", "patches", "lines"):
        for child in parts[name]:
            artist = made(child)
            figure.add_artist(artist)
            figure.artists.remove(artist)  # it is kept with its like
            getattr(figure, name).append(artist)
    figure.legends.extend(_legend(figure, found) for found in parts["legends"])
    return figure


def _bound(parts: Any) -> None:
    """Raises CannotCross for a figure that would take long to make or to draw."""
    count = sum(len(parts[name]) for name in ("texts", "patches", "lines"))
    for axes in parts["axes"]:
        count += len(axes["children"]) + sum(len(axis[3]) for axis in axes["axes"])
        count += sum(len(found[0]) for found in (axes["legend"], *parts["legends"]) if found)
    if count > MAX_ARTISTS or len(parts["axes"]) > MAX_AXES:
        raise CannotCross("a figure of %d parts" % count)
    if not (all(0 < inches <= MAX_INCHES for inches in parts["size"]) and 0 < parts["dpi"] <= MAX_DPI):
        raise CannotCross("a figure of another size")
