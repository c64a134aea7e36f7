"""Where things stand in a site."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import NotRequired, TypedDict

from repair_bench.traces.faults import UsageError
from repair_bench.traces.files.record_files import read_as
from repair_bench.traces.run.decisions import DECISIONS
from repair_bench.traces.run.run_files import DONORS, MANIFEST, ORIGIN
from repair_bench.traces.run.study_lock import STUDY_LOCK

SITE = "site.json"
INDEX = "index.html"
CARD = "README.md"
CITATION = "CITATION.cff"
RUNS = "runs"
RECORD = "attempts.parquet"
DIGESTS = "attempts.b2"
BESIDE = (STUDY_LOCK, DONORS, ORIGIN, DECISIONS)
"""What else decides the attempts of a run, where it has it."""
KEPT = (RECORD, DIGESTS, MANIFEST, *BESIDE)
"""The files of a run's folder from which its page is made."""
FORMAT = 1
"""Of `site.json`."""


class RunFields(TypedDict):
    """What is read of a run in `site.json`."""

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
    """The content of `site.json`. Raises UsageError where it cannot be read."""
    stated: SiteFields = read_as(directory / SITE, SiteFields)
    return stated


def folders_of(directory: Path) -> list[str]:
    """The folders of its runs. Raises UsageError where `site.json` cannot be read, or is of a newer version."""
    path, data = directory / SITE, stated(directory)
    if data["format"] > FORMAT:
        raise UsageError(f"{path} was written by a newer repair-bench: update it to read this site")
    found = [run["folder"] for run in data["runs"]]
    if folders(found) != found:
        raise UsageError(f"{path} names a folder that is none of a site")
    return found


def folders(names: Sequence[str]) -> list[str]:
    """What the folder of each run is called: its name as it may stand in an address, numbered where several agree."""
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
