"""The commands about this machine and its interpreters, and the effect of `--python` on a run."""

import json
import subprocess
import sys

import pytest


@pytest.mark.parametrize("command", [["run"], ["grade", "in.jsonl", "--suite", "aligned", "--out", "out.jsonl"]])
@pytest.mark.parametrize(
    ("option", "value", "says"),
    [
        ("--python", "old", "FRAMEWORK=INTERPRETER"),
        ("--python", "braket=old", "braket"),
        (
            "--python",
            "qiskit=old",
            "'old' is neither an interpreter nor the name of an environment (available: none yet",
        ),
        ("--require-sandbox", "perhaps", "choose from strict, best, none"),
    ],
)
def test_impossible_request_prints_one_line_and_exits_with_2(cli, command, option, value, says, tmp_path):
    (tmp_path / "in.jsonl").write_text('{"task_id": "16", "framework": "qiskit", "code": "x = 1"}\n')
    code, _, errors = cli(*command, option, value)
    assert code == 2, errors
    assert says in errors
    assert len(errors.splitlines()) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["in.jsonl"]


@pytest.mark.slow
def test_doctor_reports_this_machine(cli, tmp_path):
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / "envs" / "mine"], check=True, timeout=60)
    code, out, errors = cli("doctor", "--json")
    assert code == 0, errors
    found = json.loads(out)
    assert list(found) == ["machine", "sandbox", "frameworks", "environments", "datasets"]
    assert all(row["state"] and row["without"] for row in found["sandbox"])
    assert [row["framework"] for row in found["frameworks"]] == ["qiskit", "pennylane", "cirq", "openqasm3"]
    assert "qiskit" in found["frameworks"][0]["packages"]
    assert [row["name"] for row in found["environments"]] == ["mine"]
    assert all(row["files"].startswith("absent: `repair-bench suites fetch") for row in found["datasets"])
    _, printed, _ = cli("doctor")
    assert [name for name in (*found, "seccomp", "mine") if name not in printed] == []
    assert json.loads(cli("env", "list", "--json")[1]) == found["environments"]
    assert cli("env", "remove", "mine")[0] == 0
    assert cli("env", "remove", "mine") == (2, "", "repair-bench: there is no environment named 'mine'\n")


def test_drift_is_printed_as_a_table(cli, tmp_path):
    graded = {"task_id": "16", "framework": "qiskit", "code": "x", "seconds": 0.1}
    passed = {**graded, "verdict": "pass", "error_type": "pass", "detail": ""}
    raised = {**graded, "verdict": "exception", "error_type": "ImportError", "detail": "ImportError: no execute"}
    (tmp_path / "old.jsonl").write_text(json.dumps(passed) + "\n")
    (tmp_path / "new.jsonl").write_text(json.dumps(raised) + "\n")
    code, out, errors = cli("drift", "old.jsonl", "new.jsonl")
    assert code == 0, errors
    assert "1 of 1 verdicts changed. 1 answers were graded twice: 1 passed before and 0 after" in out
    assert "no execute" in out
    assert json.loads(cli("drift", "old.jsonl", "new.jsonl", "--json")[1])["changed"][0]["line"] == 1
    code, out, errors = cli("drift", "old.jsonl", "nowhere.jsonl")
    assert (code, out) == (2, "")
    assert "nowhere.jsonl" in errors


@pytest.mark.slow
def test_recorded_interpreter_is_never_executed(cli, tmp_path):
    own = f"qiskit={sys.executable}"
    run = ["run", "--framework", "qiskit", "--limit", "2", "--max-attempts", "0", "--out", "r"]
    code, _, errors = cli(*run, "--python", own)
    assert code == 0, errors
    stored = tmp_path / "r" / "run.json"
    manifest = json.loads(stored.read_text())
    assert manifest["resources"]["pythons"] == {"qiskit": sys.executable}
    assert sys.executable not in json.dumps(manifest["experiment"])
    assert set(manifest["experiment"]["versions"]) == {"driver", "qiskit"}

    (tmp_path / "elsewhere").write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    (tmp_path / "elsewhere").chmod(0o755)
    assert cli("run", "--resume", "r", "--python", "qiskit=./elsewhere")[0] == 0

    manifest["experiment"]["versions"]["qiskit"]["qiskit"] = "0.46.0"
    manifest["resources"]["pythons"] = {"qiskit": "gone"}
    stored.write_text(json.dumps(manifest))
    code, _, errors = cli("run", "--resume", "r")
    assert code == 2
    assert "run.json names the interpreter gone for qiskit; to use it, pass --python qiskit=INTERPRETER" in errors
    code, _, errors = cli("run", "--resume", "r", "--python", own)
    assert code == 2
    assert "qiskit 0.46.0 -> " in errors
    assert f"`pip --python {sys.executable} install qiskit==0.46.0`" in errors
    code, _, errors = cli("run", "--resume", "r", "--python", own, "--accept-versions")
    assert code == 0, errors
    (session,) = json.loads(stored.read_text())["resumed"]
    assert session["accepted"] == ["versions.qiskit.qiskit"]
    assert session["changed"]["versions.qiskit.qiskit"][0] == "0.46.0"
    assert session["changed"]["resources.pythons.qiskit"] == ["gone", sys.executable]
    assert "VERSIONS CHANGED during the run: qiskit 0.46.0 -> " in cli("report", "r")[1]
    assert cli("run", "--resume", "r", "--python", own)[0] == 0, "accepted once, it is accepted"
    assert len(json.loads(stored.read_text())["resumed"]) == 1
