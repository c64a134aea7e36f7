"""Printable names for figures, filters and URLs.

The names of models, tasks and conditions come from users and data sets. Control characters, lone surrogates, and marks
that change the writing direction are replaced, so that a name looks the same everywhere.
"""

from __future__ import annotations

from dataclasses import asdict, replace
from operator import attrgetter
from typing import Any

from repair_bench.traces.record.lazy_attempt import Recorded
from repair_bench.traces.record.printable import printable
from repair_bench.traces.run.manifest import Manifest
from repair_bench.traces.run.study_lock import Comparison

_FIELDS = (
    *("id", "parent", "episode", "model", "suite", "suite_version"),
    *("task_id", "framework", "category", "difficulty", "condition"),
)
_names = attrgetter(*_FIELDS)


def plain(value: Any) -> Any:
    """Make all strings in JSON data printable, but keep line breaks."""
    if isinstance(value, dict):
        return {plain(key): plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [plain(item) for item in value]
    return printable(value, keep="\n") if isinstance(value, str) else value


def plainly_stated(manifest: Manifest) -> Manifest:
    """Return a manifest in which all texts, including the names in comparisons, are printable."""
    planned = manifest.planned
    if planned is not None:
        planned = {Comparison(**plain(asdict(one))): pairs for one, pairs in planned.items()}
    return replace(manifest, stated=plain(manifest.stated), planned=planned)


def plainly_named(attempt: Recorded) -> Recorded:
    """Replace unprintable characters in names recorded with an attempt, such as the model. Text written by a model is
    left unchanged.
    """
    changed: dict[str, Any] = {
        name: printable(value, keep="\n")
        for name, value in zip(_FIELDS, _names(attempt), strict=True)
        if isinstance(value, str) and not value.isprintable()
    }
    return attempt.replaced(**changed) if changed else attempt
