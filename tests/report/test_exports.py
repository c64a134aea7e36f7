import csv
import dataclasses
import functools
import json
import sys

import pytest
from odd_attempts import CLEAN, odd_attempts
from pyarrow import parquet

from repair_bench.report.exports import export
from repair_bench.report.exports.flat import COLUMNS
from repair_bench.report.site import layout, record
from repair_bench.testing.made_up_runs import attempt, written
from repair_bench.traces.faults import UsageError
from repair_bench.traces.record.records import Completion
from repair_bench.traces.run.run_reader import load_rows


@pytest.fixture
def odd(tmp_path):
    directory = written(tmp_path / "run", odd_attempts())
    return functools.partial(export, load_rows(directory), directory=directory)


def test_csv_has_one_row_per_attempt(odd):
    (file,) = odd("csv")
    assert file == odd.keywords["directory"] / "attempts.csv"
    assert b"\0" not in file.read_bytes()
    with file.open(newline="", encoding="utf-8") as lines:
        first, second, faulty = csv.DictReader(lines)
    assert list(first) == list(COLUMNS)
    assert first["code"] == first["completion"] == f"'{CLEAN}"
    assert first["exception_message"] == f"'{CLEAN}"
    assert (first["error_type"], first["prompt_tokens"], first["cost_usd"]) == ("wrong answer: value", "3", "")
    assert (second["code"], second["verdict"], second["prompt_tokens"], second["cost_usd"]) == (
        "'-1",
        "pass",
        "",
        "0.5",
    )
    assert second["off_policy"] == "True"
    assert (faulty["fault"], faulty["verdict"], faulty["error_class"]) == ("model", "", "")


def test_texts_in_csv_never_start_a_formula(odd):
    (file,) = odd("csv")
    with file.open(newline="", encoding="utf-8") as lines:
        cells = [cell for line in csv.reader(lines) for cell in line]
    assert any(cell.startswith("'=") for cell in cells)
    assert not [cell for cell in cells if cell[:1] in {"=", "+", "-", "@", "\t", "\r"}]


def test_parquet_keeps_nested_fields(odd):
    (file,) = odd("parquet")
    first, second, faulty = parquet.read_table(file).to_pylist()
    assert first["code"] == first["outcome"]["exception"]["message"] == first["messages"][0]["content"] == CLEAN
    assert first["outcome"]["cpu_seconds"] == 0.5
    assert json.loads(first["completion"]["usage"]) == {"prompt_tokens": 3, "details": {"cached": 1}}
    assert json.loads(first["verdict"]["evidence"]) == {"cases": [{"distance": "inf", "got": {"00": "nan"}}]}
    assert (first["prompt_tokens"], first["completion_tokens"], first["error_class"]) == (3, None, "wrong answer")
    assert (second["feedback"]["policy"], second["off_policy"], second["completion"]["cost_usd"]) == (
        "default",
        True,
        0.5,
    )
    assert faulty["verdict"] is None
    assert faulty["fault"]["boundary"] == "model"
    assert faulty["completion"] is None


def test_parquet_restores_lists_without_a_fixed_shape(tmp_path):
    ran = {"completion": {"text": "print(1)"}, "runs": [{"call": None, "code": "1", "outcome": None, "shown": "1"}]}
    refused = Completion("code", dropped=["seed", "temperature"])
    made = [
        attempt("w", 0, "one", completion=refused, executions=1, steps=[ran]),
        attempt("p", 1, "one", completion=Completion("code", dropped=None), steps=[]),
        attempt("f", 0, "two"),
    ]
    record.write_record(load_rows(written(tmp_path / "run", made)), tmp_path / "site")
    first, second, faulty = parquet.read_table(tmp_path / "site" / layout.RECORD).to_pylist()
    assert json.loads(first["completion"]["dropped"]) == ["seed", "temperature"]
    assert json.loads(first["steps"]) == [ran]
    assert (second["completion"]["dropped"], second["steps"], faulty["completion"]) == (None, "[]", None)
    assert list(record.read_record(tmp_path / "site")) == [(one, True) for one in made]


def test_parquet_without_pyarrow_says_what_to_install(odd, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(UsageError, match=r"pip install 'repair-bench\[export\]'"):
        odd("parquet")


@pytest.mark.slow
def test_every_attempt_is_exported_in_groups(tmp_path):
    made = [attempt("p", 0, f"e{n:04}") for n in range(2_500)]
    directory = written(tmp_path / "run", made)
    (file,) = export(load_rows(directory), "parquet", directory)
    found = parquet.ParquetFile(file)
    assert (found.metadata.num_rows, found.metadata.num_row_groups) == (2_500, 3)
    assert found.read().column("id").to_pylist() == [a.id for a in made]


def test_run_without_attempts_or_verdicts_is_exported(tmp_path):
    for name, attempts in (("empty", []), ("faults", [attempt("f", 0, "a"), attempt("f", 0, "b", sample=1)])):
        directory = written(tmp_path / name, attempts)
        read = load_rows(directory)
        (file,) = export(read, "csv", directory)
        with file.open(newline="") as lines:
            assert len(list(csv.DictReader(lines))) == len(attempts)
        export(read, "parquet", directory)


def test_impossible_export_is_a_usage_error(odd, tmp_path):
    with pytest.raises(UsageError, match=r"Unknown format 'xlsx'\. Choose from parquet, csv, instances"):
        odd("xlsx")
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="cannot be written"):
        odd("csv", out=tmp_path / "file" / "x.csv")


@pytest.mark.parametrize("name", ["csv", "parquet"])
def test_export_does_not_replace_files_of_a_run(odd, name):
    journal = odd.keywords["directory"] / "attempts.jsonl"
    before = journal.read_bytes()
    with pytest.raises(UsageError, match=rf"choose an --out that ends in \.{name}"):
        odd(name, out=journal)
    assert journal.read_bytes() == before


@pytest.mark.parametrize("name", ["csv", "parquet"])
def test_failed_export_keeps_the_old_file(odd, name, tmp_path):
    out = tmp_path / "out"
    out.write_text("old")
    run = load_rows(odd.keywords["directory"])

    def rows():
        yield run.rows[0]
        raise KeyError("more")

    with pytest.raises(KeyError):
        export(dataclasses.replace(run, rows=rows()), name, tmp_path, out)
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir() if path.is_file()] == [("out", "old")]
