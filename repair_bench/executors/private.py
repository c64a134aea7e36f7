"""The paths that candidates must not read: expected answers, datasets, caches and runs."""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Iterable
from pathlib import Path

from repair_bench.executors.guest.sandbox import secrets

PACKAGE = Path(__file__).resolve().parents[1]
"""The folder of this package, which contains the expected answers of the built-in suites."""


def cache_folder() -> Path:
    """Return the folder that contains the datasets downloaded by this user."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "repair-bench"


def private_paths(given: Iterable[Path] = ()) -> list[str]:
    """Return the absolute paths that every fork server hides. `given`: the paths of the datasets and runs that this
    session uses.
    """
    paths = [*map(Path, _installed(tuple(sys.path))), cache_folder(), *given]
    return [str(path.absolute()) for path in dict.fromkeys(paths)]


@functools.cache
def _installed(path: tuple[str, ...]) -> tuple[str, ...]:  # noqa: ARG001 - cache key
    compiled = [sys.pycache_prefix] if sys.pycache_prefix else []
    return (str(PACKAGE), *secrets.copies(), *secrets.suite_packages(), *compiled)
