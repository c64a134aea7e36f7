"""Figures of a run. A new kind is one module with `figure(attempts, manifest) -> Figure`, and one line in `KINDS`."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from repair_bench.traces.faults import UsageError
from repair_bench.traces.records import Attempt

KINDS = {
    "repair-curve": "repair_bench.traces.plots.repair_curve",
    "errors": "repair_bench.traces.plots.errors",
}
"""The kinds of plots and their modules, imported when first drawn."""


def draw(kind: str, attempts: Sequence[Attempt], manifest: dict[str, Any], out_dir: Path) -> list[Path]:
    """Draw one kind as `<kind>.png` and `<kind>.svg` in `out_dir`; the same run gives the same bytes.

    Raises UsageError for an unknown kind.
    """
    if kind not in KINDS:
        raise UsageError(f"no plot is called {kind!r}: choose from {', '.join(KINDS)}")
    from repair_bench.traces.plots.style import applied, save

    module = importlib.import_module(KINDS[kind])
    with applied():
        return save(module.figure(attempts, manifest), out_dir, kind)
