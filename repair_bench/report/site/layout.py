"""Where things stand in a site."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from repair_bench.traces.faults import UsageError
from repair_bench.traces.record_files import read_json

SITE = "site.json"
INDEX = "index.html"
CARD = "README.md"
CITATION = "CITATION.cff"
RUNS = "runs"
RECORD = "attempts.parquet"
DIGESTS = "attempts.b2"
FORMAT = 1
"""Of `site.json`."""


def is_site(directory: Path) -> bool:
    """Whether a folder is a site."""
    return (directory / SITE).is_file()


def folders_of(directory: Path) -> list[str]:
    """The folders of its runs. Raises UsageError where `site.json` cannot be read, or is of a newer version."""
    path = directory / SITE
    try:
        data = read_json(path)
        version, found = int(data["format"]), [str(run["folder"]) for run in data["runs"]]
    except (UsageError, OSError, ValueError, KeyError, TypeError) as error:
        raise UsageError(f"{path} is no list of published runs") from error
    if version > FORMAT:
        raise UsageError(f"{path} was written by a newer repair-bench: update it to read this site")
    if any(folders([name]) != [name] for name in found):
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
