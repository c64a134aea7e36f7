"""The names of the files and folders of a site."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import NotRequired, TypedDict

from repair_bench.traces.faults import UsageError
from repair_bench.traces.files.record_files import read_as
from repair_bench.traces.run.decisions import DECISIONS
from repair_bench.traces.run.run_files import MANIFEST, ORIGIN, PLACEBO_SOURCES
from repair_bench.traces.run.study_lock import STUDY_LOCK

SITE = "site.json"
INDEX = "index.html"
CARD = "README.md"
BENCHMARK = "eval.yaml"
CITATION = "CITATION.cff"
RUNS = "runs"
RECORD = "attempts.parquet"
DIGESTS = "attempts.b2"
INPUTS = (STUDY_LOCK, PLACEBO_SOURCES, ORIGIN, DECISIONS)
"""Optional files on which a run's attempts depend."""
KEPT = (RECORD, DIGESTS, MANIFEST, *INPUTS)
"""The files from which the page of a run is built."""
FORMAT = 1
"""The version of `site.json`."""


class RunFields(TypedDict):
    folder: str
    notes: NotRequired[list[str]]


class SiteFields(TypedDict):
    format: int
    runs: list[RunFields]
    made_with: NotRequired[dict[str, str]]
    authors: NotRequired[list[str]]


def is_site(directory: Path) -> bool:
    return (directory / SITE).is_file()


def stated(directory: Path) -> SiteFields:
    stated: SiteFields = read_as(directory / SITE, SiteFields)
    return stated


def folders_of(directory: Path) -> list[str]:
    """Return the folders of a site's runs. Raises UsageError if `site.json` is unreadable or in a newer format."""
    path, data = directory / SITE, stated(directory)
    if data["format"] > FORMAT:
        raise UsageError(f"{path} was written by a newer version. Update repair-bench to read this site.")
    found = [run["folder"] for run in data["runs"]]
    if folders(found) != found:
        raise UsageError(f"{path} lists a folder outside the site")
    return found


def folders(names: Sequence[str]) -> list[str]:
    """Return a folder name for each run: the run's name in characters that URLs allow, numbered if not unique."""
    taken: set[str] = set()
    found = []
    for name in names:
        plain = re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-.") or "run"
        number, folder = 1, plain
        while folder.lower() in taken:
            number += 1
            folder = f"{plain}-{number}"
        taken.add(folder.lower())
        found.append(folder)
    return found
