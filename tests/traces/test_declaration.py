"""A field of the record is declared once; rows, schema and exports are derived from the declaration."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import repair_bench
from repair_bench.report.exports.flat import COLUMNS
from repair_bench.testing.made_up_runs import attempt, written
from repair_bench.traces.record.declaration import fields_of
from repair_bench.traces.record.records import Attempt, Completion
from repair_bench.traces.run.run_reader import load_rows

LOOK = """
import csv, json, sys
from pathlib import Path
import pyarrow.parquet
from repair_bench.report.exports import export
from repair_bench.traces.run.run_reader import load_rows
from repair_bench.traces.record.schema import attempt_schema
run = Path(sys.argv[1])
read = load_rows(run)
(row,) = read.rows
schema = attempt_schema()
(flat,) = csv.DictReader(export(read, "csv", run)[0].open(newline=""))
(nested,) = pyarrow.parquet.read_table(export(read, "parquet", run)[0]).to_pylist()
print(json.dumps({
    "row": [row.energy, row.completion.queued],
    "whole": [row.with_texts().energy, row.with_texts().completion.queued],
    "schema": [schema["properties"]["energy"], schema["$defs"]["Completion"]["properties"]["queued"]],
    "csv": [flat["energy"], flat["completion_queued"]],
    "parquet": [nested["energy"], nested["completion"]["queued"]],
    "again": row.with_texts().to_json()["completion"]["queued"],
}))
"""


@pytest.mark.slow
def test_column_needs_one_declaration(tmp_path):
    """Two fields are added to a copy of the package, with one line and a description each."""
    package = tmp_path / "repair_bench"
    shutil.copytree(Path(repair_bench.__file__).parent, package, ignore=shutil.ignore_patterns("tasks", "__pycache__"))
    file = package / "traces" / "record" / "records.py"
    text = file.read_text()
    for line, before in (
        ("energy: float | None = None", "    writer: str | None = None\n"),
        ("queued: int | None = None", "    finish_reason: str | None = None\n"),
    ):
        assert text.count(before) == 1
        text = text.replace(before, f'    {line}\n    """What it took."""\n{before}')
    file.write_text(text)

    made = attempt("p").to_json()
    made = {**made, "energy": 0.5, "completion": {**made["completion"], "queued": 7}}
    directory = written(tmp_path / "run", [json.dumps(made) + "\n"])
    command = [sys.executable, "-c", LOOK, directory]
    copied = {**os.environ, "PYTHONPATH": str(tmp_path)}
    done = subprocess.run(command, check=False, capture_output=True, cwd=tmp_path, env=copied)
    assert done.returncode == 0, done.stderr.decode()
    seen = json.loads(done.stdout)
    assert seen.pop("schema") == [
        {"description": "What it took.", "anyOf": [{"type": kind}, {"type": "null"}]} for kind in ("number", "integer")
    ]
    assert seen == {
        "row": [0.5, 7],
        "whole": [0.5, 7],
        "csv": ["0.5", "7"],
        "parquet": [0.5, 7],
        "again": 7,
    }


def test_on_disk_fields_are_read_on_access(tmp_path):
    made = attempt("w", code="x = 1", started_at="2026-01-01T00:00:00.000+00:00", extraction={"rule": "fence"})
    (row,) = load_rows(written(tmp_path / "run", [made])).rows
    on_disk = [field.name for field in fields_of(Attempt) if field.on_disk]
    assert {"run", "messages", "code", "extraction", "started_at"} <= set(on_disk)
    for name in on_disk:
        assert getattr(row, name) == getattr(made, name), name
        assert name not in row.__struct_fields__


def test_a_row_with_other_values_is_still_read_from_its_line(tmp_path):
    (row,) = load_rows(written(tmp_path / "run", [attempt("w", code="x")])).rows
    assert (row.replaced(model="m").model, row.replaced(model="m").code) == ("m", "x")
    assert attempt("w").replaced(model="m") == attempt("w", model="m")


def test_fields_are_those_of_the_declaration():
    fields = {field.name: field for field in fields_of(Completion)}
    assert (fields["text"].kind, fields["text"].on_disk) == (str, True)
    assert (fields["cost_usd"].kind, fields["cost_usd"].on_disk) == (float, False)
    assert [field.name for field in fields_of(Attempt) if field.record] == [
        "feedback",
        "completion",
        "outcome",
        "verdict",
        "fault",
        "probe",
    ]


def test_csv_columns_keep_their_positions():
    """Readers that use column numbers can also read files of an earlier version."""
    assert " ".join(COLUMNS) == (
        "id parent episode run model suite suite_version task_id framework category difficulty condition sample "
        "attempt feedback_policy feedback_text feedback_redacted prompt completion prompt_tokens completion_tokens "
        "cost_usd "
        "requests latency_seconds finish_reason code outcome exception_type exception_message cpu_seconds wall_seconds "
        "verdict error_class error_type quanbench_plus quantum_katas rule sealed problem fault fault_message "
        "off_policy writer stoppable executions reply reasoning_tokens cached_tokens published started_at finished_at "
        "critic_model critic critic_prompt_tokens critic_completion_tokens critic_cost_usd feedback_ran_status "
        "feedback_ran_exception_type feedback_ran_exception_message feedback_ran_stdout feedback_ran_cpu_seconds "
        "feedback_ran_wall_seconds questions probe_model probe probe_prompt_tokens probe_completion_tokens "
        "probe_cost_usd"
    )
