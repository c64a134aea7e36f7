import dataclasses
import json
from importlib.resources import files

import jsonschema
import pytest
from odd_attempts import odd_attempts

from repair_bench.testing.made_up_runs import attempt, attempts_of
from repair_bench.traces.record import records
from repair_bench.traces.record.declaration import descriptions
from repair_bench.traces.record.schema import attempt_schema

SHIPPED = json.loads((files("repair_bench.traces.record.schema") / "attempt.schema.json").read_text(encoding="utf-8"))
LINE = json.loads(json.dumps(attempt("w", 1).to_json()))


def test_shipped_schema_matches_the_records():
    again = "repair-bench schema attempt --json > repair_bench/traces/record/schema/attempt.schema.json"
    assert attempt_schema() == SHIPPED, f"the records changed: {again}"
    jsonschema.Draft202012Validator.check_schema(SHIPPED)


@pytest.mark.parametrize(
    "record", [r for r in vars(records).values() if dataclasses.is_dataclass(r)], ids=lambda r: r.__name__
)
def test_every_field_of_a_record_is_described(record):
    assert list(descriptions(record)) == [f.name for f in dataclasses.fields(record)]
    assert all(descriptions(record).values())


@pytest.mark.parametrize("made", [*attempts_of("ewslnp"), attempt("f"), *odd_attempts()], ids=lambda a: a.id)
def test_lines_are_valid(made):
    line = json.loads(json.dumps(made.to_json()))
    assert list(jsonschema.Draft202012Validator(SHIPPED).iter_errors(line)) == []


@pytest.mark.slow
@pytest.mark.parametrize(
    "change",
    [
        {"verdict": None},
        {"fault": {"boundary": "model", "message": "503", "retries": 0}},
        {"attempt": "1"},
        {"verdict": {"kind": "lucky"}},
        {"messages": "text"},
        {"feedback": {"policy": "default"}},
    ],
    ids=str,
)
def test_schema_rejects_other_lines_than_attempts(change):
    jsonschema.validate(LINE, SHIPPED)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(LINE | change, SHIPPED)


@pytest.mark.parametrize("name", ["id", "verdict", "messages", "model"])
def test_fields_of_every_line_are_required(name):
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({key: value for key, value in LINE.items() if key != name}, SHIPPED)
