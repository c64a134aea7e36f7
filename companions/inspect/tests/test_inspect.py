"""A task under `inspect eval`, and logs of runs, both opened by Inspect."""

import json
import math
import subprocess
import sys
from pathlib import Path

from inspect_ai.log import list_eval_logs, read_eval_log, read_eval_log_sample_summaries
from repair_bench_inspect.logs import convert

from repair_bench.testing.made_up_runs import attempt, attempts_of, run, written
from repair_bench.traces.record.records import Completion, FaultRecord
from repair_bench.traces.run.manifest import Manifest
from repair_bench.traces.run.run_reader import load_rows

BIN = Path(sys.executable).parent
SAMPLES = "01 qiskit,16 qiskit,02 qiskit"


def by_command(*arguments, cwd):
    command = [BIN / arguments[0], *arguments[1:]]
    return subprocess.run(command, cwd=cwd, check=True, stdout=subprocess.PIPE, text=True, timeout=600).stdout


def scores(log):
    return {score.name: score.metrics["mean"].value for score in log.results.scores}


def test_task_runs_under_inspect_eval(tmp_path):
    options = ("--sample-id", SAMPLES, "--display", "none", "--log-dir", str(tmp_path / "logs"))
    by_command("inspect", "eval", "scripted_task.py", *options, cwd=Path(__file__).parent)
    (info,) = list_eval_logs(str(tmp_path / "logs"))
    log = read_eval_log(info)
    assert (log.status, log.eval.task) == ("success", "aligned")
    found = {sample.id: (sample.scores["graded"].value, sample.store["attempts"]) for sample in log.samples}
    assert found == {
        "01 qiskit": ({"first_answer": 1.0, "repaired": 1.0}, 1),
        "16 qiskit": ({"first_answer": 0.0, "repaired": 1.0}, 2),
        "02 qiskit": ({"first_answer": 0.0, "repaired": 0.0}, 3),
    }
    assert scores(log) == {"first_answer": 1 / 3, "repaired": 2 / 3}
    (repaired,) = (sample for sample in log.samples if sample.id == "16 qiskit")
    assert [message.role for message in repaired.messages] == ["system", "user", "assistant", "user", "assistant"]
    assert "NameError" in repaired.messages[3].text
    (listed,) = json.loads(by_command("inspect", "log", "list", "--log-dir", "logs", "--json", cwd=tmp_path))
    assert listed["task"] == "aligned"


def test_run_is_converted_to_logs(tmp_path):
    surrogate = {"messages": [{"role": "user", "content": "\ud800"}], "completion": Completion("\ud800<script>", {})}
    attempts = [
        *attempts_of("ewp", "good", task_id="07", sample=2),
        *attempts_of("www", "bad", task_id="08"),
        attempt("w", 0, "cut", task_id="09", **surrogate),
        attempt("f", 1, "cut", task_id="09", fault=FaultRecord("model", "503")),
    ]
    manifest = Manifest.from_json({"experiment": {"max_attempts": 2}, "simulated": ["sim/one"]})
    directory = written(tmp_path / "run", attempts, manifest)
    by_command("repair-bench-inspect", str(directory), "--log-dir", "logs", cwd=tmp_path)
    (info,) = list_eval_logs(str(tmp_path / "logs"))
    log = read_eval_log(info)
    assert (log.status, log.eval.model, len(read_eval_log_sample_summaries(info))) == ("success", "sim/one", 3)
    assert scores(log) == {"first_answer": 0.0, "repaired": 0.5}
    good, bad, cut = (next(s for s in log.samples if s.id == f"{n} qiskit") for n in ("07", "08", "09"))
    assert (good.epoch, good.scores["graded"].value["repaired"], bad.scores["graded"].value["repaired"]) == (3, 1, 0)
    assert [event.event for event in good.events].count("model") == 3
    assert [sum(usage.total_tokens for usage in s.model_usage.values()) for s in (good, bad, cut)] == [330, 330, 0]
    assert math.isnan(cut.scores["graded"].value["repaired"])
    assert "503" in cut.error.message
    assert "SIMULATED" in log.eval.metadata["notices"][0]
    assert json.loads(by_command("inspect", "log", "dump", info.name, cwd=tmp_path))["eval"]["task"] == "aligned"


def test_each_model_has_a_log_with_safe_names(tmp_path):
    attempts, manifest = run(models=("a/b", "a-b", "m" * 400), tasks=2)
    logs = convert(load_rows(written(tmp_path / "run", attempts, manifest)), tmp_path / "logs")
    assert len(set(logs)) == 3
    assert all(path.parent == tmp_path / "logs" and len(path.name) < 255 and path.exists() for path in logs)
    names = ["../../evil", "/etc/passwd", "a\0b", "\x1b[31m", "x" * 400, "BasicGates/1.1", "."]
    attempts = [attempt("p", 0, f"e{number}", task_id=name) for number, name in enumerate(names)]
    (log,) = convert(load_rows(written(tmp_path / "odd", attempts)), tmp_path / "odd-logs")
    ids = {sample.id for sample in read_eval_log(log).samples}
    assert len(ids) == len(names)
    assert "BasicGates/1.1 qiskit" in ids
    assert all(name.isprintable() and ".." not in name and not name.startswith("/") for name in ids)


def test_unreadable_run_ends_with_one_line(tmp_path):
    command = [BIN / "repair-bench-inspect", str(tmp_path)]
    done = subprocess.run(command, check=False, capture_output=True, text=True, cwd=tmp_path, timeout=300)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
