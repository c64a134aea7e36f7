"""The JSON Schema of a line of `attempts.jsonl`, derived from the records.

To update the schema file, run `repair-bench schema attempt --json > attempt.schema.json` in this folder.
"""

from __future__ import annotations

from typing import Any

import msgspec

from repair_bench.traces.record import records
from repair_bench.traces.record.declaration import descriptions


def attempt_schema() -> dict[str, Any]:
    """Return the schema as JSON data. It allows unknown fields, because later versions may add some."""
    _, parts = msgspec.json.schema_components([records.Attempt], ref_template="#/$defs/{name}")
    for name, part in parts.items():
        part["description"] = " ".join(part["description"].split())
        for field, text in descriptions(getattr(records, name)).items():
            part["properties"][field]["description"] = text
            part["properties"][field].pop("default", None)
    attempt = parts.pop("Attempt")
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **attempt,
        "title": f"Attempt, format {records.SCHEMA}",
        "oneOf": [
            {"required": [name], "properties": {name: {"not": {"type": "null"}}}} for name in ("verdict", "fault")
        ],
        "$defs": parts,
    }
