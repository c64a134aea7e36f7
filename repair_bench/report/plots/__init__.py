"""Figures of a run. A kind is one function `figure(attempts, manifest) -> Figure`: a line in `KINDS`, or an entry point
`repair_bench.plots` of another package. It raises `NothingToDraw` for a run of which it would say nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any

from repair_bench import plugins
from repair_bench.traces.faults import UsageError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from repair_bench.analysis.feedback_use.use import Observed
    from repair_bench.traces.record.lazy_attempt import Recorded
    from repair_bench.traces.run.manifest import Manifest

KINDS = {
    "repair-curve": "repair_bench.report.plots.repair_curve:figure",
    "errors": "repair_bench.report.plots.errors:figure",
    "heatmap": "repair_bench.report.plots.heatmap:figure",
    "budget": "repair_bench.report.plots.budget:figure",
    "survival": "repair_bench.report.plots.survival:figure",
}
"""The kinds of plots of a run and what draws them, imported when first drawn."""
OBSERVED = {"information": "repair_bench.report.plots.information:figure"}
"""The kinds that are drawn of what the ideal observer sees of a run, `figure(observed, manifest)`, where its tasks hide
a convention."""
AFTER_RUN = ("repair-curve", "errors")
"""What is drawn when a run ends; the others when they are asked for."""


class NothingToDraw(UsageError):  # noqa: N818 - it is no error that a run is another
    """A run holds nothing that a kind of plot would show. The message says why, and what to do where there is a way."""


def of_runs(observed: Sequence[Observed] = ()) -> list[str]:
    """The kinds of plots of a run, those of other packages last. `observed`: see `draw`."""
    ours = [*KINDS, *(OBSERVED if observed else ())]
    return [*ours, *(kind for kind in plugins.names("plots") if kind not in (*KINDS, *OBSERVED))]


def check(kinds: Sequence[str]) -> None:
    """Raises UsageError for a kind that does not exist."""
    known = [*of_runs(), *OBSERVED]
    if unknown := [kind for kind in kinds if kind not in known]:
        raise UsageError(f"no plot is called {unknown[0]!r}: choose from {', '.join(known)}")


def draw(
    kind: str, attempts: Sequence[Recorded], manifest: Manifest, out_dir: Path, observed: Sequence[Observed] = ()
) -> list[Path]:
    """Draw one kind of a run as `<kind>.png` and `<kind>.svg` in `out_dir`; the same run gives the same bytes.

    `observed`: what the ideal observer sees of the run. Raises UsageError for an unknown kind, and NothingToDraw, with
    no file written, where the figure would say nothing.
    """
    from repair_bench.report.plots.style import applied, save

    figure = _figure_of(kind)
    with applied():
        return save(figure(observed if kind in OBSERVED else attempts, manifest), out_dir, kind)


def svg(
    kind: str | Callable[..., Figure],
    attempts: Sequence[Recorded],
    manifest: Manifest,
    observed: Sequence[Observed] = (),
) -> str:
    """The same as the text of an SVG alone. `kind`: a name, or a function of the attempts and the manifest."""
    from repair_bench.report.plots.style import applied, drawing

    figure = _figure_of(kind) if isinstance(kind, str) else kind
    with applied():
        return drawing(figure(observed if kind in OBSERVED else attempts, manifest))


def _figure_of(kind: str) -> Any:
    check([kind])
    ours = KINDS | OBSERVED
    return resolve_name(ours[kind]) if kind in ours else plugins.load("plots", kind)


def drawn(
    kinds: Iterable[str],
    attempts: Sequence[Recorded],
    manifest: Manifest,
    out_dir: Path,
    observed: Sequence[Observed] = (),
    *,
    say: Callable[[list[str]], None],
) -> Iterator[Path]:
    """Draw several kinds as `draw` does, and yield the files.

    The files of kinds with nothing to draw are removed, and `say` takes the reasons.
    """
    from repair_bench.report.plots.style import files

    undrawn: dict[str, list[str]] = {}
    for kind in kinds:
        try:
            yield from draw(kind, attempts, manifest, out_dir, observed)
        except NothingToDraw as why:
            undrawn.setdefault(str(why), []).append(kind)
            for path in files(out_dir, kind):
                try:
                    path.unlink(missing_ok=True)
                except OSError as error:
                    raise UsageError(f"{path} cannot be removed: {error.strerror}") from error
    for reason, missing in undrawn.items():
        say([f"not drawn: {', '.join(missing)}: {reason}"])
