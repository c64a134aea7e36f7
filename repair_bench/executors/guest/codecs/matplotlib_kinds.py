"""Reduce Matplotlib figures to the parts that a test can read: axes, titles, ticks, lines, patches and texts.

The process that receives a figure rebuilds it from basic Matplotlib artists (lines, patches, texts and collections), in
the original order. Each artist is converted like an instance of the nearest class that `FORMS` contains: the artist's
own class or a base class. For example, a circle is reduced to its outline, and an annotation to its text. Images,
legends, three-dimensional artists, and objects that Matplotlib needs only for drawing (canvas, window, callbacks,
transforms) are not sent.
"""

from __future__ import annotations

from typing import Any, Callable, Dict, List, NamedTuple, Tuple

import numpy as np
from matplotlib import collections, container, lines, patches, path, projections, text
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ..kinds import CannotCross, Family, Kind

MAX_ARTISTS = 10_000
"""The maximum number of artists per figure, including ticks."""
MAX_AXES = 64
MAX_INCHES = 1000
MAX_DPI = 10_000
AXES = ("alpha", "aspect", "facecolor", "frame_on", "gid", "label", "visible", "zorder")
EVERY = ("alpha", "gid", "label", "visible", "zorder")
"""The properties that every artist has."""
PATCH = ("edgecolor", "facecolor", "fill", "hatch", "linestyle", "linewidth")
LINE = ("color", "drawstyle", "linestyle", "linewidth", "marker", "markeredgecolor", "markerfacecolor", "markersize")
TEXT = ("color", "fontfamily", "fontsize", "fontstyle", "fontweight", "rotation", "ha", "va")
COLLECTION = ("edgecolor", "facecolor", "linestyle", "linewidth")
SIDES = ("left", "center", "right")
ARTIST_LISTS = ("texts", "patches", "lines")
"""The figure attributes that contain the artists outside the figure's axes."""


class Form(NamedTuple):
    """The functions that convert Matplotlib artists of one class to plain data and back. `names`: the names of the
    properties that are converted in addition to the properties in `EVERY`.
    """

    to_parts: Callable[[Any], Any]
    from_parts: Callable[..., Any]
    names: Tuple[str, ...]


FORMS: Dict[type, Form] = {
    patches.Rectangle: Form(
        lambda artist: [plain(artist.get_xy()), artist.get_width(), artist.get_height(), float(artist.angle)],
        lambda xy, width, height, angle: patches.Rectangle(xy, width, height, angle=angle),
        PATCH,
    ),
    patches.Patch: Form(
        lambda artist: [_path_parts(artist.get_patch_transform().transform_path(artist.get_path()))],
        lambda parts: patches.PathPatch(_path(parts)),
        PATCH,
    ),
    lines.Line2D: Form(lambda artist: [_line_data(artist.get_xdata), _line_data(artist.get_ydata)], lines.Line2D, LINE),
    text.Text: Form(lambda artist: [*artist.get_position(), artist.get_text()], text.Text, TEXT),
    collections.Collection: Form(
        lambda artist: [
            list(map(_path_parts, artist.get_paths())),
            np.array(getattr(artist, "get_sizes", list)()),
            np.ma.filled(np.ma.asarray(artist.get_offsets(), float), np.nan),
        ],
        lambda found, sizes, offsets: collections.PathCollection(list(map(_path, found)), sizes, offsets=offsets),
        COLLECTION,
    ),
}
"""Maps classes of Matplotlib artists to the functions that convert these artists. If there is no entry for an artist's
own class, the entry of the nearest base class is used."""
NAMED = {kind.__name__: form for kind, form in FORMS.items()}


def exact() -> Dict[type, Kind]:
    return {Figure: Kind("Figure", _figure_parts, _figure)}


def families() -> List[Family]:
    axes = Kind(
        "Axes",
        lambda value: [value.figure.axes.index(value), _figure_parts(value.figure)],
        lambda parts: _figure(parts[1]).axes[parts[0]],
    )
    return [
        (lambda value: isinstance(value, Axes), axes),
        (lambda value: _class_of(value) is not None, Kind("artist", _artist_parts, _artist)),
    ]


def plain(value: Any) -> Any:
    """Convert a property to plain values, or to None if it contains anything other than numbers and text."""
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, (bool, int, float)):
        return value if type(value) in (bool, int, float) else float(value)
    if isinstance(value, np.ndarray):
        return value if value.dtype.kind in "biufUS" else None
    return tuple(map(plain, value)) if isinstance(value, (list, tuple)) else None


def _path_parts(value: Any) -> List[Any]:
    return [np.array(value.vertices), None if value.codes is None else np.array(value.codes)]


def _path(parts: Any) -> Any:
    vertices, codes = parts
    return path.Path(vertices, codes)


def _line_data(read: Any) -> Any:
    """Return the coordinates of a line as the program passed them to Matplotlib. Coordinates that are neither numbers
    nor text, such as dates, are converted to numbers.
    """
    given = read()
    if isinstance(given, list) and all(type(number) in (int, float) for number in given):
        return given
    data = np.array(given)
    return data if data.dtype.kind in "biufU" else np.array(read(orig=False), float)


def _class_of(artist: Any) -> Any:
    """Return an artist's own class or nearest base class that is a key of `FORMS`.

    Return None for a three-dimensional artist, or if no class of the artist is a key of `FORMS`.
    """
    classes = type(artist).__mro__
    if any(kind.__module__.startswith("mpl_toolkits.") for kind in classes):
        return None
    return next((kind for kind in classes if kind in FORMS), None)


def _artist_parts(artist: Any) -> List[Any]:
    kind = _class_of(artist)
    form = FORMS[kind]
    return [kind.__name__, form.to_parts(artist), _properties(artist, (*EVERY, *form.names))]


def _properties(artist: Any, names: Tuple[str, ...]) -> Dict[str, Any]:
    # on three-dimensional axes, some artists are None
    return {name: plain(getattr(artist, "get_" + name)()) for name in names if getattr(artist, "set_" + name, None)}


def _artist(parts: Any) -> Any:
    name, data, shown = parts
    form = NAMED[name]
    artist = form.from_parts(*data)
    _set_properties(artist, shown, (*EVERY, *form.names))
    return artist


def _set_properties(artist: Any, values: Any, names: Tuple[str, ...]) -> None:
    for name in names:
        value = values.get(name)
        if value is None or (name == "alpha" and isinstance(artist, collections.Collection)):
            continue
        if not isinstance(value, (bool, int, float, str, tuple, np.ndarray)):
            raise CannotCross("a property of an artist has an unsupported type: %s" % type(value).__name__)
        getattr(artist, "set_" + name)(value)


def _add(axes: Any, parts: Any) -> Any:
    artist = _artist(parts)
    label = artist.get_label()
    if isinstance(artist, lines.Line2D):
        axes.add_line(artist)
    elif isinstance(artist, patches.Patch):
        axes.add_patch(artist)
    elif isinstance(artist, collections.Collection):
        axes.add_collection(artist, autolim=False)
    else:
        axes.add_artist(artist)
    artist.set_label(label)
    return artist


def _axis_names(axes: Any) -> str:
    return "xyz" if hasattr(axes, "get_zlim") else "xy"


def _axis_parts(axes: Any, name: str) -> List[Any]:
    axis = getattr(axes, name + "axis")
    labels = axis.get_ticklabels()
    return [
        axis.get_label_text(),
        axis.get_scale(),
        plain(getattr(axes, "get_%slim" % name)()),
        np.array(axis.get_ticklocs()),
        [label.get_text() for label in labels],
        bool(axis.get_visible()),
    ]


def _axis(axes: Any, name: str, parts: Any) -> None:
    title, scale, limits, ticks, labels, visible = parts
    axis = getattr(axes, name + "axis")
    if scale != axis.get_scale():
        axis._set_axes_scale(scale)
    axis.set_label_text(title)
    if len(labels) == len(ticks):
        axis.set_ticks(ticks, labels)
    else:  # the labels are hidden
        axis.set_ticks(ticks)
        axis.set_tick_params(label1On=False, label2On=False)
    getattr(axes, "set_%slim" % name)(*limits)
    axis.set_visible(visible)


def _children(axes: Any) -> List[Any]:
    """Return the artists in axes, in drawing order, excluding the frame, the titles, the legend and nested axes."""
    own = [*axes.spines.values(), axes.title, axes._left_title, axes._right_title, axes.patch]
    return [
        child
        for child in axes.get_children()
        if not any(child is part for part in own) and _class_of(child) is not None
    ]


def _axes_parts(axes: Any) -> Dict[str, Any]:
    children = _children(axes)
    numbers = {id(child): index for index, child in enumerate(children)}
    return {
        "projection": axes.name,
        "box": plain(axes.get_position(original=True).bounds),
        "properties": _properties(axes, AXES),
        "shown": bool(axes.axison),
        "titles": [axes.get_title(side) for side in SIDES],
        "axes": [_axis_parts(axes, name) for name in _axis_names(axes)],
        "children": list(map(_artist_parts, children)),
        "bars": [
            [[numbers[id(bar)] for bar in found], found.get_label(), getattr(found, "orientation", None)]
            for found in axes.containers
            if isinstance(found, container.BarContainer) and all(id(bar) in numbers for bar in found)
        ],
    }


def _axes(figure: Any, parts: Any) -> None:
    if parts["projection"] not in projections.get_projection_names():
        raise CannotCross("axes of another projection")
    axes = figure.add_axes(parts["box"], projection=parts["projection"])
    children = [_add(axes, child) for child in parts["children"]]
    for numbers, label, orientation in parts["bars"]:
        bars = [children[number] for number in numbers]
        axes.add_container(container.BarContainer(bars, label=label, orientation=orientation))
    for side, title in zip(SIDES, parts["titles"]):
        axes.set_title(title, loc=side)
    for name, axis in zip(_axis_names(axes), parts["axes"]):
        _axis(axes, name, axis)
    _set_properties(axes, parts["properties"], AXES)
    (axes.set_axis_on if parts["shown"] else axes.set_axis_off)()


def _figure_parts(figure: Any) -> Dict[str, Any]:
    above = figure._suptitle
    return {
        "size": [float(inches) for inches in figure.get_size_inches()],
        "dpi": float(figure.get_dpi()),
        "colours": [plain(figure.get_facecolor()), plain(figure.get_edgecolor())],
        "title": None if above is None else above.get_text(),
        "label": str(figure.get_label()),
        "axes": list(map(_axes_parts, figure.axes)),
        **{name: [_artist_parts(one) for one in getattr(figure, name) if one is not above] for name in ARTIST_LISTS},
    }


def _figure(parts: Any) -> Any:
    _check_size(parts)
    face, edge = parts["colours"]
    figure = Figure(tuple(parts["size"]), parts["dpi"], facecolor=face, edgecolor=edge)
    figure.set_label(str(parts["label"]))
    for axes in parts["axes"]:
        _axes(figure, axes)
    if parts["title"] is not None:
        figure.suptitle(parts["title"])
    for name in ARTIST_LISTS:
        for child in parts[name]:
            artist = _artist(child)
            figure.add_artist(artist)
            figure.artists.remove(artist)  # moves it to the list of its kind
            getattr(figure, name).append(artist)
    return figure


def _check_size(parts: Any) -> None:
    count = sum(len(parts[name]) for name in ARTIST_LISTS)
    for axes in parts["axes"]:
        count += len(axes["children"]) + sum(len(axis[3]) for axis in axes["axes"])
    if count > MAX_ARTISTS or len(parts["axes"]) > MAX_AXES:
        raise CannotCross("the figure has too many artists (%d) or too many axes" % count)
    if not (all(0 < inches <= MAX_INCHES for inches in parts["size"]) and 0 < parts["dpi"] <= MAX_DPI):
        raise CannotCross("the size or the resolution of the figure is not supported")
