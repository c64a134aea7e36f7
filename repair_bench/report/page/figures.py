"""Every kind of plot, as SVG that can stand with others in one page."""

from __future__ import annotations

import multiprocessing
import signal
import sys
import threading
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any

from markupsafe import Markup

from repair_bench.analysis.feedback_use.use import Observed
from repair_bench.report import plots
from repair_bench.report.plots import style
from repair_bench.traces.record.lazy_attempt import Recorded
from repair_bench.traces.run.manifest import Manifest

_SVG = "http://www.w3.org/2000/svg"
_XLINK = "{http://www.w3.org/1999/xlink}href"
_COLOURS = {
    style.BLACK: "var(--ink)",
    style.PAPER: "var(--page)",
    style.GREY: "var(--soft)",
    style.GRID: "var(--rule)",
    style.SHADE: "var(--raised)",
    style.WARNING: "var(--warn-ink)",
}
"""What is no data, and the colours of the page for it: `assets/theme.css`."""
_DROPPED = {f"{{{_SVG}}}metadata", f"{{{_SVG}}}style", f"{{{_SVG}}}script"}


@dataclass(frozen=True)
class Inline:
    """A figure: its kind, the kind in words, and its SVG."""

    kind: str
    title: str
    svg: Markup


Drawn = tuple[list[Inline], dict[str, list[str]]]


def inline(
    manifest: Manifest,
    attempts: Sequence[Recorded],
    observed: Sequence[Observed] = (),
    kinds: Sequence[str] | None = None,
) -> Drawn:
    """All kinds in their order, those of other packages last; then, by reason, the titles of those that say nothing.

    `observed`: see `plots.draw`. `kinds`: those that are drawn, None for all.
    """
    figures: list[Inline] = []
    undrawn: dict[str, list[str]] = {}
    for kind in plots.of_runs(observed) if kinds is None else kinds:
        title = kind.replace("-", " ").capitalize()
        try:
            figures.append(figure(kind, title, plots.svg(kind, attempts, manifest, observed)))
        except plots.NothingToDraw as why:
            undrawn.setdefault(str(why), []).append(title)
    return figures, undrawn


@contextmanager
def in_background(*arguments: Any) -> Iterator[Callable[[], Drawn]]:
    """Draw in a second process what `inline` draws, while the caller goes on; the function waits for it.

    Drawn here, when the function is called, where a copy of this process is not safe: on macOS, or with threads.
    """
    if sys.platform != "linux" or threading.active_count() > 1:
        yield lambda: inline(*arguments)
        return
    receiver, sender = multiprocessing.Pipe(duplex=False)
    process = multiprocessing.get_context("fork").Process(target=_draw, args=(sender, arguments), daemon=True)
    process.start()
    sender.close()

    def drawn() -> Drawn:
        try:
            result: Drawn | Exception = receiver.recv()
        except EOFError:  # the process was killed
            return inline(*arguments)
        if isinstance(result, Exception):
            raise result
        return result

    try:
        yield drawn
    finally:
        process.kill()
        process.join()
        receiver.close()


def _draw(sender: Connection, arguments: tuple[Any, ...]) -> None:
    """The second process. It ends by a signal without a word: the first one says what has to be said."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)
    try:
        result: Drawn | Exception = inline(*arguments)
    except Exception as error:  # noqa: BLE001 - raised again in the first process
        result = error
    sender.send(result)


def figure(kind: str, title: str, svg: str) -> Inline:
    """A figure as it stands in a page. `svg`: the text of its file."""
    return Inline(kind, title, embeddable(svg, kind, f"Figure: {title}"))


def embeddable(svg: str, prefix: str, label: str) -> Markup:
    """An SVG file as an element of a page.

    Its ids begin with `prefix`, so that those of several do not collide; metadata, comments and rules that would reach
    the whole page are left out; it is as wide as its place. What is no data takes the page's colours, light or dark.
    """
    root = ET.fromstring(svg)  # noqa: S314 - drawn by matplotlib, a line before
    for parent in root.iter():
        for child in [c for c in parent if c.tag in _DROPPED]:
            parent.remove(child)
    hatches = {part for pattern in root.iter(f"{{{_SVG}}}pattern") for part in pattern.iter()}
    for element in root.iter():
        if "id" in element.attrib:
            element.set("id", f"{prefix}-{element.attrib['id']}")
        if (target := element.attrib.pop(_XLINK, "")).startswith("#"):
            element.set("href", f"#{prefix}-{target[1:]}")
        for name, value in element.attrib.items():
            if "url(#" in value:
                element.set(name, value.replace("url(#", f"url(#{prefix}-"))
        if element not in hatches:  # they lie on the colours of the data
            _take_colours(element)
    # as wide as drawn at most: points are 4/3 of a pixel
    root.set("width", f"{float(root.attrib['width'].removesuffix('pt')) * 4 / 3:.0f}")
    del root.attrib["height"]
    root.set("role", "img")
    root.set("aria-label", label)
    ET.register_namespace("", _SVG)
    return Markup(ET.tostring(root, encoding="unicode"))  # noqa: S704 - made of parsed elements, escaped as they were written


def _take_colours(element: ET.Element) -> None:
    """Set the colours of an element that are no data to those of the page."""
    rules = [element.attrib.get("style", "")]
    rules += [f"{name}: {element.attrib.pop(name)}" for name in ("fill", "stroke") if name in element.attrib]
    if rule := "; ".join(filter(None, rules)):
        for drawn, shown in _COLOURS.items():
            rule = rule.replace(drawn.lower(), shown)
        element.set("style", rule)
