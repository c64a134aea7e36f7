"""Records without the fields that differ between two runs of one experiment."""

import json
from pathlib import Path
from typing import Any

VARYING = ("run", "started_at", "finished_at", "cpu_seconds", "wall_seconds", "latency_seconds")
"""Names and times."""


def timeless(value: Any) -> Any:
    """Return JSON data without the fields that differ between runs."""
    if isinstance(value, dict):
        return {key: timeless(inner) for key, inner in value.items() if key not in VARYING}
    return [timeless(inner) for inner in value] if isinstance(value, list | tuple) else value


def timeless_attempts(directory: str | Path, *, repeated: bool = False) -> dict[tuple[str, str], dict[str, Any]]:
    """Return the attempts of a run by episode and id. Each may have one line only, unless they may be `repeated`."""
    lines = [json.loads(line) for line in Path(directory, "attempts.jsonl").read_text().splitlines()]
    found = {(line["episode"], line["id"]): timeless(line) for line in lines}
    assert repeated or len(found) == len(lines), "an attempt was made twice"
    return found
