"""Plots as SVG elements that can share a page."""

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
"""Maps each colour that is not used for data to its replacement in `assets/theme.css`."""
_DROPPED = {f"{{{_SVG}}}metadata", f"{{{_SVG}}}style", f"{{{_SVG}}}script"}


@dataclass(frozen=True)
class Inline:
    kind: str
    title: str
    svg: Markup


Inlined = tuple[list[Inline], dict[str, list[str]]]


def inline(
    manifest: Manifest,
    attempts: Sequence[Recorded],
    observed: Sequence[Observed] = (),
    kinds: Sequence[str] | None = None,
) -> Inlined:
    """Return the figures of `kinds`, or of all kinds if `kinds` is None, and a list of figures that cannot be drawn.

    The titles of figures that cannot be drawn are grouped by reason. `observed`: see `plots.draw`.
    """
    figures: list[Inline] = []
    undrawn: dict[str, list[str]] = {}
    for kind in plots.of_runs(attempts, observed) if kinds is None else kinds:
        title = kind.replace("-", " ").capitalize()
        try:
            figures.append(figure(kind, title, plots.svg(kind, attempts, manifest, observed)))
        except plots.NothingToDraw as why:
            undrawn.setdefault(str(why), []).append(title)
    return figures, undrawn


@contextmanager
def in_background(*arguments: Any) -> Iterator[Callable[[], Inlined]]:
    """Run `inline` in a second process, and yield a function that waits for the result.

    Forking is not safe on macOS, or while several threads run. In these cases, no second process is started, and the
    yielded function itself calls `inline`.
    """
    if sys.platform != "linux" or threading.active_count() > 1:
        yield lambda: inline(*arguments)
        return
    receiver, sender = multiprocessing.Pipe(duplex=False)
    process = multiprocessing.get_context("fork").Process(target=_draw, args=(sender, arguments), daemon=True)
    process.start()
    sender.close()

    def figures() -> Inlined:
        try:
            result: Inlined | Exception = receiver.recv()
        except EOFError:  # the process was killed
            return inline(*arguments)
        if isinstance(result, Exception):
            raise result
        return result

    try:
        yield figures
    finally:
        process.kill()
        process.join()
        receiver.close()


def _draw(sender: Connection, arguments: tuple[Any, ...]) -> None:
    """Draw the figures in the second process.

    A signal ends the second process without a message, because the first process reports the signal.
    """
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)
    try:
        result: Inlined | Exception = inline(*arguments)
    except Exception as error:  # noqa: BLE001 - raised again in the first process
        result = error
    sender.send(result)


def figure(kind: str, title: str, svg: str) -> Inline:
    return Inline(kind, title, embeddable(svg, kind, f"Figure: {title}"))


def embeddable(svg: str, prefix: str, label: str) -> Markup:
    """Convert an SVG file to an element that can be embedded in a page.

    All ids start with `prefix`, so that the ids of different figures do not collide. Metadata and comments are removed.
    Style rules are also removed, because these rules would affect the whole page. Everything except the data is drawn
    in the page's colours.
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
        if element not in hatches:  # hatches overlay the colours of the data
            _take_colours(element)
    # no wider than drawn: a point is 4/3 of a pixel
    root.set("width", f"{float(root.attrib['width'].removesuffix('pt')) * 4 / 3:.0f}")
    del root.attrib["height"]
    root.set("role", "img")
    root.set("aria-label", label)
    ET.register_namespace("", _SVG)
    return Markup(ET.tostring(root, encoding="unicode"))  # noqa: S704 - made of parsed elements, escaped as they were written


def _take_colours(element: ET.Element) -> None:
    """Replace the colours of an element, except colours that represent data, with the colours of the page."""
    rules = [element.attrib.get("style", "")]
    rules += [f"{name}: {element.attrib.pop(name)}" for name in ("fill", "stroke") if name in element.attrib]
    if rule := "; ".join(filter(None, rules)):
        for colour, shown in _COLOURS.items():
            rule = rule.replace(colour.lower(), shown)
        element.set("style", rule)
