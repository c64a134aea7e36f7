"""Matplotlib's artists by what can be read of them: lines, patches, texts, collections; and made anew of it.

An artist is made of the same class, or of the nearest one that is listed; a patch of a class that is not becomes its
outline. What it was drawn with stays behind.
"""

from __future__ import annotations

from typing import Any, Callable, Dict, List, NamedTuple, Tuple

import numpy as np
from matplotlib import collections, lines, patches, path, text
from matplotlib.artist import Artist
from mpl_toolkits.mplot3d import art3d, proj3d

from ..codec import CannotCross

EVERY = ("alpha", "gid", "label", "visible", "zorder")
"""What every artist can be asked for and told."""
PATCH = ("edgecolor", "facecolor", "fill", "hatch", "linestyle", "linewidth")
LINE = ("color", "drawstyle", "linestyle", "linewidth", "marker", "markeredgecolor", "markerfacecolor", "markersize")
TEXT = ("color", "fontfamily", "fontsize", "fontstyle", "fontweight", "rotation", "ha", "va")
COLLECTION = ("edgecolor", "facecolor", "linestyle", "linewidth")
PLACES: Dict[str, Callable[[Any], Any]] = {
    "axes": lambda axes: axes.transAxes,
    "figure": lambda axes: axes.figure.transFigure,
    "x": lambda axes: axes.get_xaxis_transform(),
    "y": lambda axes: axes.get_yaxis_transform(),
}
"""Coordinates other than those of the data."""


class Arrow3D(art3d.Patch3D, patches.FancyArrowPatch):  # type: ignore[misc]
    """An arrow in space, such as Qiskit draws on its spheres; `ends`: its two points, shape (2, 3)."""

    def __init__(self, ends: Any, style: str) -> None:
        patches.FancyArrowPatch.__init__(self, (0, 0), (0, 0), arrowstyle=style)
        self._segment3d = [tuple(map(float, point)) for point in ends]

    def get_path(self) -> Any:
        """Its outline as it is shown now."""
        return patches.FancyArrowPatch.get_path(self)

    def do_3d_projection(self) -> float:
        """Move to where the axes show it now. Gives its depth."""
        x, y, z = proj3d.proj_transform(*zip(*self._segment3d), self.axes.get_proj())  # type: ignore[union-attr]
        self.set_positions((x[0], y[0]), (x[1], y[1]))
        return float(min(z))


class Form(NamedTuple):
    """How the artists of one class are described and made."""

    apart: Callable[[Any], Any]
    together: Callable[..., Any]
    names: Tuple[str, ...]


def _line_in_space(x: Any, y: Any, z: Any, *shown: Any) -> Any:
    line = art3d.Line3D(x, y, z)
    lines.Line2D.set_data(line, *shown)
    return line


FORMS: Dict[type, Form] = {
    patches.Rectangle: Form(
        lambda artist: [plain(artist.get_xy()), artist.get_width(), artist.get_height(), float(artist.angle)],
        lambda xy, width, height, angle: patches.Rectangle(xy, width, height, angle=angle),
        PATCH,
    ),
    patches.Circle: Form(lambda artist: [plain(artist.center), artist.radius], patches.Circle, PATCH),
    patches.Ellipse: Form(
        lambda artist: [plain(artist.get_center()), artist.width, artist.height, float(artist.angle)],
        lambda center, width, height, angle: patches.Ellipse(center, width, height, angle=angle),
        PATCH,
    ),
    patches.Arc: Form(
        lambda artist: [
            plain(artist.get_center()),
            *(artist.width, artist.height, float(artist.angle), artist.theta1, artist.theta2),
        ],
        lambda center, width, height, angle, first, last: patches.Arc(
            center, width, height, angle=angle, theta1=first, theta2=last
        ),
        tuple(name for name in PATCH if name != "fill"),
    ),
    patches.Wedge: Form(
        lambda artist: [plain(artist.center), artist.r, artist.theta1, artist.theta2, artist.width],
        lambda center, radius, first, last, width: patches.Wedge(center, radius, first, last, width=width),
        PATCH,
    ),
    patches.Polygon: Form(lambda artist: [np.array(artist.get_xy())], patches.Polygon, PATCH),
    patches.FancyArrowPatch: Form(
        lambda artist: [plain(artist._posA_posB), _arrow_path(artist), _arrow_style(artist)],
        lambda ends, parts, style: patches.FancyArrowPatch(
            *(ends or ()), path=None if parts is None else _path(parts), arrowstyle=style
        ),
        PATCH,
    ),
    patches.PathPatch: Form(
        lambda artist: [_path_apart(artist.get_path())], lambda parts: patches.PathPatch(_path(parts)), PATCH
    ),
    patches.Patch: Form(
        lambda artist: [_path_apart(artist.get_patch_transform().transform_path(artist.get_path()))],
        lambda parts: patches.PathPatch(_path(parts)),
        PATCH,
    ),
    lines.Line2D: Form(lambda artist: [_line_data(artist.get_xdata), _line_data(artist.get_ydata)], lines.Line2D, LINE),
    art3d.Line3D: Form(
        lambda artist: [np.array(data) for data in (*artist.get_data_3d(), *artist.get_data())], _line_in_space, LINE
    ),
    Arrow3D: Form(
        lambda artist: [[list(map(float, point)) for point in artist._segment3d], _arrow_style(artist)], Arrow3D, PATCH
    ),
    text.Text: Form(lambda artist: [*artist.get_position(), artist.get_text()], text.Text, TEXT),
    text.Annotation: Form(
        lambda artist: [
            artist.get_text(),
            *map(plain, (artist.xy, artist.xyann, artist.xycoords, artist.anncoords)),
        ],
        text.Annotation,
        TEXT,
    ),
    art3d.Text3D: Form(lambda artist: [*map(float, artist.get_position_3d()), artist.get_text()], art3d.Text3D, TEXT),
    collections.LineCollection: Form(
        lambda artist: [list(map(np.array, artist.get_segments()))], collections.LineCollection, COLLECTION
    ),
    collections.PathCollection: Form(
        lambda artist: [list(map(_path_apart, artist.get_paths())), np.array(artist.get_sizes()), _offsets(artist)],
        lambda found, sizes, offsets: collections.PathCollection(list(map(_path, found)), sizes, offsets=offsets),
        COLLECTION,
    ),
    collections.Collection: Form(
        lambda artist: [list(map(_path_apart, artist.get_paths()))],
        lambda found: collections.PathCollection(list(map(_path, found))),
        COLLECTION,
    ),
    art3d.Line3DCollection: Form(
        lambda artist: [list(map(np.array, artist._segments3d))], art3d.Line3DCollection, COLLECTION
    ),
    art3d.Poly3DCollection: Form(lambda artist: [_faces(artist)], art3d.Poly3DCollection, COLLECTION),
}
"""By class. An artist takes the form of the first of its classes that has one."""
NAMED = {kind.__name__: form for kind, form in FORMS.items()}


def plain(value: Any) -> Any:
    """A property in plain values. None for one that is not made of numbers and texts."""
    if value is None or isinstance(value, (bool, int, float, str)):
        return value if type(value) in (bool, int, float, str, type(None)) else _plain_number(value)
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        return value if value.dtype.kind in "biufUS" else None
    if isinstance(value, (list, tuple)):
        return tuple(map(plain, value))
    return None


def _plain_number(value: Any) -> Any:
    return str.__str__(value) if isinstance(value, str) else float(value)


def _path_apart(value: Any) -> List[Any]:
    return [np.array(value.vertices), None if value.codes is None else np.array(value.codes)]


def _path(parts: Any) -> Any:
    vertices, codes = parts
    return path.Path(vertices, codes)


def _arrow_path(artist: Any) -> Any:
    return None if artist._path_original is None else _path_apart(artist._path_original)


def _arrow_style(artist: Any) -> str:
    styles = patches.ArrowStyle.get_styles()
    return next(name for name, kind in styles.items() if type(artist.get_arrowstyle()) is kind)


def _line_data(read: Any) -> Any:
    """The data of a line as they were given, or in numbers where they were objects."""
    given = read()
    if isinstance(given, list) and all(type(number) in (int, float) for number in given):
        return given
    data = np.array(given)
    return data if data.dtype.kind in "biufU" else np.array(read(orig=False), float)


def _offsets(artist: Any) -> Any:
    return np.ma.filled(np.ma.asarray(artist.get_offsets(), float), np.nan)


def _faces(artist: Any) -> List[Any]:
    """The corners of the faces of a solid, each an array of shape (corners, 3)."""
    faces = getattr(artist, "_faces", None)
    if faces is not None:  # one array, the corners that a face lacks masked
        return [np.array(face[~np.ma.getmaskarray(face).any(axis=1)], float) for face in np.ma.asarray(faces)]
    return [np.array(artist._vec[:3, part].T, float) for part in artist._segslices]


def class_of(artist: Any) -> Any:
    """The first of its classes that has a form; None where none has."""
    if isinstance(artist, art3d.Patch3D) and isinstance(artist, patches.FancyArrowPatch):
        return Arrow3D  # each library has a class of its own for this
    return next((kind for kind in type(artist).__mro__ if kind in FORMS), None)


def artist_apart(artist: Any) -> List[Any]:
    """Its class, its own data, its properties, and in whose coordinates it stands."""
    kind = class_of(artist)
    form = FORMS[kind]
    return [kind.__name__, form.apart(artist), properties(artist, (*EVERY, *form.names)), _place(artist)]


def properties(artist: Any, names: Tuple[str, ...]) -> Dict[str, Any]:
    """What an artist answers to `get_` of each name that it can also be told."""
    # in space axes, some are None
    return {name: plain(getattr(artist, "get_" + name)()) for name in names if getattr(artist, "set_" + name, None)}


def _place(artist: Any) -> str:
    axes = artist.axes
    if axes is None or not artist.is_transform_set():
        return "data"
    transform = Artist.get_transform(artist)
    return next((name for name, of in PLACES.items() if transform == of(axes)), "data")


def made(parts: Any) -> Any:
    """An artist from what `artist_apart` gave."""
    name, data, shown, _ = parts
    form = NAMED[name]
    artist = form.together(*data)
    set_properties(artist, shown, (*EVERY, *form.names))
    return artist


def set_properties(artist: Any, values: Any, names: Tuple[str, ...]) -> None:
    """Tell an artist those of its properties that are known. Raises CannotCross for a value that is no plain one."""
    for name in names:
        value = values.get(name)
        if value is None or (name == "alpha" and isinstance(artist, collections.Collection)):
            continue
        if not isinstance(value, (bool, int, float, str, tuple, np.ndarray)):
            raise CannotCross("a property of an artist: %s" % type(value).__name__)
        getattr(artist, "set_" + name)(value)


def add(axes: Any, parts: Any) -> Any:
    """Put an artist into axes as the library's own drawing functions do."""
    artist = made(parts)
    place = parts[3]
    if place in PLACES:
        artist.set_transform(PLACES[place](axes))
    label = artist.get_label()
    if isinstance(artist, lines.Line2D):
        axes.add_line(artist)
    elif isinstance(artist, patches.Patch) and not isinstance(artist, art3d.Patch3D):
        axes.add_patch(artist)
    elif isinstance(artist, collections.Collection):
        axes.add_collection(artist, autolim=False)
    else:
        axes.add_artist(artist)
    artist.set_label(label)
    return artist
