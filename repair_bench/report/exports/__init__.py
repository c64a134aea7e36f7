"""Export runs in the formats of other tools.

To add a format, write a module with `write(run, out) -> list[Path]` and add a line to `FORMATS`. Attempts are read and
written one at a time, so that runs of any length can be exported.
"""

from __future__ import annotations

from pathlib import Path
from pkgutil import resolve_name

from repair_bench.traces.faults import UsageError
from repair_bench.traces.run.run_files import MANIFEST
from repair_bench.traces.run.run_reader import Run

FORMATS = {
    "parquet": ("repair_bench.report.exports.parquet:write", "attempts.parquet"),
    "csv": ("repair_bench.report.exports.flat:write", "attempts.csv"),
    "instances": ("repair_bench.report.exports.instances:write", "instances.csv"),
}
"""Maps each format to its export function, which is imported on first use, and to the default output file in the run
directory."""


def export(run: Run, name: str, directory: Path, out: Path | None = None) -> list[Path]:
    """Export a run, by default into its own directory, and return the written files.

    Raises UsageError if the format is unknown, a package is missing, a path cannot be written, or `out` may be one of a
    run's own files.
    """
    if name not in FORMATS:
        raise UsageError(f"Unknown format {name!r}. Choose from {', '.join(FORMATS)}.")
    writer, default = FORMATS[name]
    place = out or directory / default
    suffix = Path(default).suffix
    if place.suffix != suffix and (place.parent / MANIFEST).exists():
        raise UsageError(f"{place.parent} contains a run: in this directory, choose an --out that ends in {suffix}")
    try:
        written: list[Path] = resolve_name(writer)(run, place)
    except OSError as error:
        raise UsageError(f"{error.filename or place} cannot be written: {error.strerror or error}") from error
    return written
