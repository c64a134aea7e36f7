"""Figures of a run. A kind is one function `figure(attempts, manifest) -> Figure`: a line in `KINDS`, or an entry point
`repair_bench.plots` of another package. It raises `NothingToDraw` for a run of which it would say nothing.

The figures of a suite's grader are made of the files that `repair-bench suites audit` and `calibrate` write: see
`OF_FILES`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any

from repair_bench import plugins
from repair_bench.traces.faults import UsageError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from repair_bench.analysis.information import Observed
    from repair_bench.traces.manifest import Manifest
    from repair_bench.traces.row import Recorded

KINDS = {
    "repair-curve": "repair_bench.report.plots.repair_curve:figure",
    "errors": "repair_bench.report.plots.errors:figure",
    "errors-quanbench-plus": "repair_bench.report.plots.errors:quanbench_plus",
    "errors-quantum-katas": "repair_bench.report.plots.errors:quantum_katas",
    "heatmap": "repair_bench.report.plots.heatmap:figure",
    "pass-at-k": "repair_bench.report.plots.pass_at_k:figure",
    "prefill": "repair_bench.report.plots.prefill:figure",
    "aggregate": "repair_bench.report.plots.aggregate:figure",
    "budget": "repair_bench.report.plots.budget:figure",
    "categories": "repair_bench.report.plots.categories:figure",
    "strategies": "repair_bench.report.plots.strategies:figure",
    "survival": "repair_bench.report.plots.survival:figure",
}
"""The kinds of plots of a run and what draws them, imported when first drawn."""
OBSERVED = {"information": "repair_bench.report.plots.information:figure"}
"""The kinds that are drawn of what the ideal observer sees of a run, `figure(observed, manifest)`, where its tasks hide
a convention."""
AFTER_RUN = ("repair-curve", "errors")
"""What is drawn when a run ends; the others when they are asked for."""
OF_FILES = {
    "certificate": ("suites audit", "repair_bench.report.plots.certificate", "draw_certificate"),
    "calibration": ("suites calibrate", "repair_bench.report.plots.calibration", "draw_calibration"),
}
"""The kinds that are drawn from `<kind>.json`, the command that writes it, and the module and function that draw them;
`Data` of the module is the type of the file."""


class NothingToDraw(UsageError):  # noqa: N818 - it is no error that a run is another
    """A run holds nothing that a kind of plot would show. The message says why, and what to do where there is a way."""


def choose(directory: Path, kinds: Sequence[str] | None) -> tuple[list[str], list[str]]:
    """The kinds to draw of the run in `directory`, and those to draw from its files; without `kinds` all there are.

    Raises UsageError for a kind that does not exist.
    """
    check(kinds or ())
    if kinds:
        return [kind for kind in kinds if kind not in OF_FILES], [kind for kind in kinds if kind in OF_FILES]
    of_files = [kind for kind in OF_FILES if (directory / f"{kind}.json").exists()]
    return ([] if of_files and not (directory / "run.json").exists() else of_runs()), of_files


def of_runs(observed: Sequence[Observed] = ()) -> list[str]:
    """The kinds of plots of a run, those of other packages last. `observed`: see `draw`."""
    ours = [*KINDS, *(OBSERVED if observed else ())]
    return [*ours, *(kind for kind in plugins.names("plots") if kind not in (*KINDS, *OBSERVED, *OF_FILES))]


def check(kinds: Sequence[str]) -> None:
    """Raises UsageError for a kind that does not exist."""
    known = [*of_runs(), *OBSERVED, *OF_FILES]
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
    if kind in OF_FILES:
        raise UsageError(
            f"{kind} is not drawn from a run: give the directory that `repair-bench {OF_FILES[kind][0]} --out` wrote"
        )
    ours = KINDS | OBSERVED
    return resolve_name(ours[kind]) if kind in ours else plugins.load("plots", kind)


def draw_file(kind: str, directory: Path, out_dir: Path) -> list[Path]:
    """Draw a kind of `OF_FILES` from the file in `directory`. Raises UsageError when it is missing or unreadable, and
    NothingToDraw as `draw` does.
    """
    from repair_bench.traces.record_files import check_contained, read_as

    command, module, drawn_by = OF_FILES[kind]
    path = directory / f"{kind}.json"
    check_contained(directory)
    try:
        data = read_as(path, resolve_name(f"{module}:Data"))
    except FileNotFoundError:
        raise UsageError(
            f"{directory} holds no {path.name}: make it by `repair-bench {command} SUITE --out DIR`"
        ) from None
    written: list[Path] = resolve_name(f"{module}:{drawn_by}")(data, out_dir)
    return written
