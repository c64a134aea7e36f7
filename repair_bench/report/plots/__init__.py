"""Figures of a run.

A kind of plot is a function `figure(attempts, manifest) -> Figure`, listed in `KINDS` or registered by another package
under the entry point `repair_bench.plots`. The function raises `NothingToDraw` if the run has no data for the plot.
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
"""The kinds of plots and their functions, imported on first use."""
OBSERVED = {"information": "repair_bench.report.plots.information:figure"}
"""The kinds of plots for tasks that leave a convention unspecified. The functions are called as `figure(observed,
manifest)`."""
INSTANCES = {"horizon": "repair_bench.report.plots.horizon:figure"}
"""The kinds of plots for tasks with hidden instances."""
AFTER_RUN = ("repair-curve", "errors")
"""The kinds of plots that are drawn at the end of a run. All other plots are drawn on request."""
BUILT_IN = KINDS | OBSERVED | INSTANCES


class NothingToDraw(UsageError):  # noqa: N818 - a run without data for a plot is not an error
    """Raised if a run has no data for a kind of plot; the message states the reason."""


def of_runs(attempts: Iterable[Recorded] = (), observed: Sequence[Observed] = ()) -> list[str]:
    """Return the kinds of plots available for a run; kinds from other packages come last. `observed`: see `draw`."""
    measured = any(a.verdict is not None and a.verdict.evidence.get("instances") for a in attempts)
    ours = [*KINDS, *(OBSERVED if observed else ()), *(INSTANCES if measured else ())]
    return [*ours, *(kind for kind in plugins.names("plots") if kind not in BUILT_IN)]


def check(kinds: Sequence[str]) -> None:
    known = [*of_runs(), *OBSERVED, *INSTANCES]
    if unknown := [kind for kind in kinds if kind not in known]:
        raise UsageError(f"Unknown plot {unknown[0]!r}. Choose from {', '.join(known)}.")


def draw(
    kind: str, attempts: Sequence[Recorded], manifest: Manifest, out_dir: Path, observed: Sequence[Observed] = ()
) -> list[Path]:
    """Draw one kind of plot as `<kind>.png` and `<kind>.svg` in `out_dir`; the same run always gives identical files.

    `observed`: the episodes as the ideal observer sees them. Raises UsageError for an unknown kind. Raises
    NothingToDraw if the run has no data for the plot; no files are written then.
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
    """Return a plot as SVG text. `kind`: a name, or a function of the attempts and the manifest."""
    from repair_bench.report.plots.style import applied, drawing

    figure = _figure_of(kind) if isinstance(kind, str) else kind
    with applied():
        return drawing(figure(observed if kind in OBSERVED else attempts, manifest))


def _figure_of(kind: str) -> Any:
    check([kind])
    return resolve_name(BUILT_IN[kind]) if kind in BUILT_IN else plugins.load("plots", kind)


def draw_all(
    kinds: Iterable[str],
    attempts: Sequence[Recorded],
    manifest: Manifest,
    out_dir: Path,
    observed: Sequence[Observed] = (),
    *,
    say: Callable[[list[str]], None],
) -> Iterator[Path]:
    """Draw several kinds of plots and yield the paths of the files.

    If a run has no data for a plot, the plot's old files are removed and `say` receives the reason.
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
        say([f"Not drawn: {', '.join(missing)}: {reason}"])
