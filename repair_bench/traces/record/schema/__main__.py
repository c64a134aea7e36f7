"""Print the schema."""

import json

from repair_bench.traces.record.schema import attempt_schema

print(json.dumps(attempt_schema(), indent=2))  # noqa: T201
