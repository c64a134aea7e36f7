import csv
import functools
import json
import shutil
import subprocess
import sys
import zipfile

import pytest
from odd_attempts import CLEAN, odd_attempts
from pyarrow import parquet

from repair_bench.report.exports import export
from repair_bench.report.exports.flat import COLUMNS
from repair_bench.report.site import layout, record
from repair_bench.testing.made_up_runs import attempt, attempts_of, run, written
from repair_bench.traces.faults import UsageError
from repair_bench.traces.record.records import Completion
from repair_bench.traces.run.manifest import Manifest
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


def test_inspect_log_per_model_and_sample_per_episode(tmp_path):
    attempts, manifest = run(models=("sim/one", "m/two"), tasks=4)
    directory = written(tmp_path / "run", attempts, manifest)
    files = export(load_rows(directory), "inspect", directory)
    assert [f.name for f in files] == ["aligned_m-two_default.eval", "aligned_sim-one_default.eval"]
    with zipfile.ZipFile(files[0]) as log:
        names = [name for name in log.namelist() if name.startswith("samples/")]
        header = json.loads(log.read("header.json"))
        summaries = json.loads(log.read("summaries.json"))
        sample = json.loads(log.read("samples/00 cirq_epoch_1.json"))
    assert len(names) == len(summaries) == header["results"]["total_samples"] == 12
    solved = sum(s["scores"]["repaired"]["value"] == "C" for s in summaries)
    assert header["results"]["scores"][1]["metrics"]["accuracy"]["value"] == solved / 12
    assert [e["event"] for e in sample["events"]].count("model") == sample["metadata"]["attempts"]
    assert sample["messages"][-1] == {"role": "assistant", "content": "code"}


def asked(temperature, seed, reasoning):
    usage = {"prompt_tokens": 100, "completion_tokens": 10}
    details = {"completion_tokens_details": {"reasoning_tokens": reasoning}} if reasoning is not None else {}
    params = {"model": "x", "temperature": temperature, "seed": seed, "stop": "END", "reasoning_effort": "high"}
    return Completion("code", usage | details, 0.25, params=params)


def inspect_log(directory, attempts):
    (file,) = export(load_rows(written(directory, attempts)), "inspect", directory)
    with zipfile.ZipFile(file) as log:
        samples = {n: json.loads(log.read(n)) for n in log.namelist() if n.startswith("samples/")}
        return json.loads(log.read("header.json")), samples


def test_inspect_gets_usage_reasoning_tokens_and_parameters(tmp_path):
    made = [
        attempt("e", 0, "a", completion=asked(0.0, 1, 4)),
        attempt("p", 1, "a", completion=asked(0.8, 2, 3)),
        attempt("p", 0, "b", task_id="02", completion=asked(0.0, 3, 2)),
    ]
    header, samples = inspect_log(tmp_path, made)
    sums = {"input_tokens": 300, "output_tokens": 30, "total_tokens": 330, "reasoning_tokens": 9, "total_cost": 0.75}
    assert header["stats"]["model_usage"] == {"sim/one": sums}
    assert samples["samples/01 qiskit_epoch_1.json"]["model_usage"]["sim/one"]["reasoning_tokens"] == 7
    first = {"temperature": 0.0, "stop_seqs": ["END"], "extra_body": {"reasoning_effort": "high"}}
    assert header["eval"]["model_generate_config"] == header["plan"]["config"] == first
    calls = [e for e in samples["samples/01 qiskit_epoch_1.json"]["events"] if e["event"] == "model"]
    assert [call["config"] for call in calls] == [first | {"seed": 1}, first | {"temperature": 0.8, "seed": 2}]


def test_inspect_gets_no_sum_of_unreported_usage(tmp_path):
    partly = [attempt("e", 0, "a", completion=asked(0.0, 1, 4)), attempt("p", 1, "a", completion=asked(0.0, 1, None))]
    header, _ = inspect_log(tmp_path / "partly", partly)
    assert "reasoning_tokens" not in header["stats"]["model_usage"]["sim/one"]
    silent = [*partly, attempt("p", 0, "b", task_id="02", completion=Completion("code"))]
    assert inspect_log(tmp_path / "silent", silent)[0]["stats"]["model_usage"] == {}


def test_infrastructure_error_has_no_score_in_inspect(odd):
    (file,) = odd("inspect")
    with zipfile.ZipFile(file) as log:
        faulty = json.loads(log.read("samples/BasicGates/1.1 qiskit_epoch_1.json"))
        whole = log.read("samples/01 qiskit_epoch_1.json").decode()
    assert faulty["scores"] == {}
    assert "infrastructure error (model): 503" in faulty["error"]["message"]
    assert not any(broken in whole for broken in ("NaN", "Infinity", "\\ud800"))


def test_run_without_attempts_or_verdicts_is_exported(tmp_path):
    for name, attempts in (("empty", []), ("faults", [attempt("f", 0, "a"), attempt("f", 0, "b", sample=1)])):
        directory = written(tmp_path / name, attempts)
        read = load_rows(directory)
        (file,) = export(read, "csv", directory)
        with file.open(newline="") as lines:
            assert len(list(csv.DictReader(lines))) == len(attempts)
        assert len(export(read, "inspect", directory)) == bool(attempts)
        export(read, "parquet", directory)


def test_impossible_export_is_a_usage_error(odd, tmp_path):
    with pytest.raises(UsageError, match=r"Unknown format 'xlsx'\. Choose from parquet, csv, inspect"):
        odd("xlsx")
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="cannot be written"):
        odd("csv", out=tmp_path / "file" / "x.csv")


@pytest.fixture(scope="session")
def inspect_python(tmp_path_factory):
    """Return an interpreter with inspect-ai, whose requirements conflict with those of this project."""
    place = tmp_path_factory.mktemp("inspect")
    python = place / "bin" / "python"
    if uv := shutil.which("uv"):
        steps = [[uv, "venv", "--clear", place], [uv, "pip", "install", "--python", python, "inspect-ai==0.3.285"]]
    else:
        steps = [[sys.executable, "-m", "venv", place], [python, "-m", "pip", "install", "inspect-ai==0.3.285"]]
    for step in steps:
        try:
            subprocess.run(step, check=True, capture_output=True, timeout=900)
        except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as error:
            pytest.skip(f"inspect-ai cannot be installed here: {error}")
    return python


READ_LOG = """
import json, sys
from inspect_ai.log import read_eval_log, read_eval_log_sample, read_eval_log_sample_summaries
log = read_eval_log(sys.argv[1])
samples = {
    f"{s.id} {s.epoch}": {
        "scores": {name: score.value for name, score in (s.scores or {}).items()},
        "models": sum(e.event == "model" for e in s.events),
        "text": s.output.completion,
        "error": s.error and s.error.message,
        "tokens": sum(u.total_tokens for u in s.model_usage.values()),
        "temperatures": [e.config.temperature for e in s.events if e.event == "model"],
        "equal": read_eval_log_sample(sys.argv[1], s.id, s.epoch).metadata == s.metadata,
    }
    for s in log.samples
}
accuracy = {score.name: score.metrics["accuracy"].value for score in log.results.scores}
summaries = read_eval_log_sample_summaries(sys.argv[1])
print(json.dumps({"status": log.status, "model": log.eval.model, "accuracy": accuracy, "samples": samples,
                  "summaries": len(summaries), "notices": log.eval.metadata["notices"],
                  "reasoning": [u.reasoning_tokens for u in log.stats.model_usage.values()],
                  "temperature": log.eval.model_generate_config.temperature}))
"""


def read_by_inspect(python, file):
    done = subprocess.run([python, "-c", READ_LOG, file], check=False, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.slow
def test_inspect_reads_the_logs(tmp_path, inspect_python):
    attempts = [
        *odd_attempts(),
        *attempts_of("ewp", "good", task_id="07", sample=2),
        *attempts_of("www", "bad", task_id="08"),
    ]
    directory = written(
        tmp_path / "run", attempts, Manifest.from_json({"experiment": {"max_attempts": 2}, "simulated": ["sim/one"]})
    )
    (file,) = export(load_rows(directory), "inspect", directory)
    log = read_by_inspect(inspect_python, file)
    assert (log["status"], log["model"], log["summaries"]) == ("success", "sim/one", 4)
    assert log["accuracy"] == {"first_answer": 0.0, "repaired": 0.5}
    good, faulty = log["samples"]["07 qiskit 3"], log["samples"]["BasicGates/1.1 qiskit 1"]
    assert (good["scores"], good["models"], good["tokens"]) == ({"first_answer": "I", "repaired": "C"}, 3, 330)
    assert all(sample["equal"] for sample in log["samples"].values())
    assert faulty["scores"] == {}
    assert "503" in faulty["error"]
    assert "<script>alert(1)</script>" in log["samples"]["01 qiskit 1"]["text"]
    assert "SIMULATED" in log["notices"][0]


@pytest.mark.slow
def test_inspect_reads_usage_and_parameters(tmp_path, inspect_python):
    made = [attempt("e", 0, completion=asked(0.0, 1, 4)), attempt("p", 1, completion=asked(0.8, 2, 3))]
    (file,) = export(load_rows(written(tmp_path, made)), "inspect", tmp_path)
    log = read_by_inspect(inspect_python, file)
    assert (log["reasoning"], log["temperature"]) == ([7], 0.0)
    assert log["samples"]["01 qiskit 1"]["temperatures"] == [0.0, 0.8]


def test_names_in_an_inspect_log_are_safe_and_unique(tmp_path):
    names = ["../../evil", "/etc/passwd", "..\\..\\evil", "a\0b", "a\x01b", "\x1b[31m", "x" * 400]
    names += ["BasicGates/1.1", "."]
    attempts = [attempt("p", 0, f"e{number}", task_id=name) for number, name in enumerate(names)]
    directory = written(tmp_path / "run", attempts)
    (log,) = export(load_rows(directory), "inspect", directory)
    with zipfile.ZipFile(log) as archive:
        members = [name for name in archive.namelist() if name.startswith("samples/")]
        ids = [json.loads(archive.read(name))["id"] for name in members]
    assert len(set(members)) == len(names)
    assert members == [f"samples/{name}_epoch_1.json" for name in ids]
    assert "BasicGates/1.1 qiskit" in ids
    for member in members:
        assert member.isprintable()
        assert len(member) < 255
        assert not {"", ".", ".."} & set(member.split("/"))
        assert "\\" not in member


def test_models_with_similar_file_names_have_separate_logs(tmp_path):
    attempts = [attempt("p", 0, f"e{n}", model=name) for n, name in enumerate(("a/b", "a-b", "a:b", "m" * 400))]
    directory = written(tmp_path / "run", attempts)
    logs = export(load_rows(directory), "inspect", directory)
    assert len({log.name for log in logs}) == 4
    assert all(log.exists() and len(log.name) < 255 for log in logs)
