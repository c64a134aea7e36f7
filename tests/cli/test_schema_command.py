"""`repair-bench schema`: every field in words, and as JSON Schema."""

import json
import re

import pytest
from typer.testing import CliRunner

from repair_bench.agent.experiment.file import Experiment
from repair_bench.cli import app
from repair_bench.traces.record.schema import attempt_schema

SCHEMAS = {"experiment": Experiment.model_json_schema(), "attempt": attempt_schema()}


@pytest.mark.parametrize("what", SCHEMAS)
def test_every_field_is_a_line_with_its_meaning(what):
    printed = CliRunner().invoke(app, ["schema", what]).output
    told = " ".join(printed.split())
    parts = [SCHEMAS[what], *SCHEMAS[what].get("$defs", {}).values()]
    fields = [(n, f) for part in parts for n, f in part.get("properties", {}).items()]
    assert len(fields) > 20
    for name, field in fields:
        meaning = " ".join(field.get("description", "").split())
        assert re.search(rf"(^| ){name} \([^)]*\) {re.escape(meaning)}", told), name
    assert "{" not in printed.split("\n")[0]
    assert max(map(len, printed.splitlines())) <= 140


@pytest.mark.parametrize("what", SCHEMAS)
def test_json_is_the_schema(what):
    assert json.loads(CliRunner().invoke(app, ["schema", what, "--json"]).output) == json.loads(
        json.dumps(SCHEMAS[what])
    )
