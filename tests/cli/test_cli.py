"""The command line from a user's view: quick help; invalid input gives one clear line and exit code 2."""

import json
import os
import subprocess
import sys

import pytest

from repair_bench.frameworks import BUILT_IN

CLI = [sys.executable, "-m", "repair_bench"]
HEAVY = ("litellm", "langgraph", "matplotlib", "numpy", "scipy", *BUILT_IN)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "heavy"),
    [
        (["--help"], (*HEAVY, "asyncio", "msgspec", "pydantic")),
        (["run", "--help"], HEAVY),
        (["suites", "--help"], HEAVY),
        (["grade", "--help"], HEAVY),
    ],
)
def test_help_imports_nothing_heavy(arguments, heavy) -> None:
    script = (
        "import sys\nfrom repair_bench.cli import app\n"
        f"try:\n    app({arguments!r})\nexcept SystemExit:\n    pass\n"
        f"print([name for name in {heavy!r} if name in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True)
    assert done.stderr.strip() == "[]"
    assert "Usage: " in done.stdout


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["run", "--suite", "nonesuch"], "nonesuch"),
        (["run", "--framework", "braket"], "braket"),
        (["run", "--model", "sim/nobody"], "nobody"),
        (["run", "--model", "sim/bernoulli?first=2&repair=0"], "first"),
        (["run", "--model", ""], "model"),
        (["run", "--max-attempts", "-1"], "--max-attempts"),
        (["run", "--max-attempts", "many"], "--max-attempts"),
        (["run", "--samples", "0"], "--samples"),
        (["run", "--limit", "0"], "--limit"),
        (["run", "--concurrency", "0"], "--concurrency"),
        (["run", "-c", "repair.history=none"], "repair.history"),
        (["run", "--nonesuch"], "--nonesuch"),
        (["run", "--suite", "quanbench-plus"], "--data"),
        (["run", "--suite", "quanbench-plus", "--data", "nowhere"], "nowhere"),
        (["run", "--resume", "nowhere"], "nowhere"),
        (["report", "nowhere"], "nowhere"),
        (["plot", "nowhere"], "nowhere"),
        (["grade", "nowhere.jsonl", "--suite", "aligned", "--out", "verdicts.jsonl"], "nowhere.jsonl"),
        (["suites", "show", "nonesuch"], "nonesuch"),
        (["nonesuch"], "nonesuch"),
    ],
    ids=" ".join,
)
def test_invalid_input_prints_one_line_and_exits_with_2(cli, arguments, says, tmp_path) -> None:
    done = cli(*arguments)
    assert done.returncode == 2, done.stderr
    assert says in done.stderr
    assert "Traceback" not in done.stderr
    assert len([line for line in done.stderr.splitlines() if line and not line.startswith(("Usage:", "Try "))]) == 1
    assert list(tmp_path.iterdir()) == []  # nothing was written


def test_directory_with_another_run_is_not_changed(cli, tmp_path) -> None:
    (tmp_path / "run.json").write_text('{"experiment": {}}')
    done = cli("run", "--out", str(tmp_path))
    assert done.returncode == 2
    assert "--resume" in done.stderr
    assert [p.name for p in tmp_path.iterdir()] == ["run.json"]
    assert (tmp_path / "run.json").read_text() == '{"experiment": {}}'


@pytest.mark.slow
@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("not json", "solutions.jsonl:2"),
        ("[1, 2]", "solutions.jsonl:2"),
        ('{"task_id": "16", "framework": "qiskit"}', "solutions.jsonl:2"),
        ('{"task_id": "99", "framework": "qiskit", "code": ""}', "99"),
        ('{"task_id": "16", "framework": "braket", "code": ""}', "braket"),
    ],
)
def test_invalid_line_of_solutions_is_reported_by_number(cli, line, says, tmp_path) -> None:
    good = '{"task_id": "16", "framework": "qiskit", "code": "x = 1"}'
    (tmp_path / "solutions.jsonl").write_text(f"{good}\n{line}\n")
    done = cli("grade", "solutions.jsonl", "--suite", "aligned", "--out", "out.jsonl")
    assert done.returncode == 2
    assert says in done.stderr
    assert "Traceback" not in done.stderr
    assert [p.name for p in tmp_path.iterdir()] == ["solutions.jsonl"]


@pytest.mark.slow
def test_grade_keeps_order_and_other_keys(cli, tmp_path) -> None:
    body = ["qc = QuantumCircuit(2)", "qc.h(0)", "qc.cx(0, 1)", "return qc"]
    right = "from qiskit import QuantumCircuit\n\ndef Bell_State():\n" + "".join(f"    {line}\n" for line in body)
    lines = [
        {"task_id": "16", "framework": "qiskit", "code": right, "note": "mine"},
        {"task_id": "16", "framework": "qiskit", "completion": "I cannot."},
        {"task_id": "16", "framework": "qiskit", "code": "def Bell_State():\n    raise ValueError('no')"},
        {"task_id": "16", "framework": "qiskit", "completion": f"```python\n{right.replace('h(0)', 'x(0)')}```"},
        {"task_id": "16", "framework": "qiskit", "code": "x = 1"},
    ]
    (tmp_path / "in.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    done = cli("grade", "in.jsonl", "--suite", "aligned", "--out", "out.jsonl")
    assert done.returncode == 0, done.stderr
    graded = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    assert [g["verdict"] for g in graded] == ["pass", "no_code", "exception", "wrong_answer", "no_code"]
    assert [{k: g[k] for k in line} for g, line in zip(graded, lines, strict=True)] == lines
    assert "executed with python 3" in done.stdout
    assert graded[2]["error_type"] == "ValueError"
    assert cli("grade", "in.jsonl", "--suite", "aligned", "--out", "out.jsonl").returncode == 2


@pytest.mark.slow
@pytest.mark.usefixtures("drawn")
def test_run_without_all_answers_prints_no_results(cli, tmp_path) -> None:
    run = ["run", "--framework", "qiskit", "--limit", "1", "--max-attempts", "0", "--model", "manual/m", "--out", "r"]
    assert "FB@" not in (done := cli(*run)).stdout
    assert "m contains 1 prompt without an answer" in done.stderr
    assert not (tmp_path / "r" / "plots").exists()
    for prompt in (tmp_path / "m").iterdir():
        (prompt / "answer.md").write_text("I do not know.")
    done = cli("run", "--resume", "r", "--model", "manual/m")
    assert "FB@0" in done.stdout or "Pass@1" in done.stdout
    assert (tmp_path / "r" / "plots").exists()


@pytest.mark.slow
@pytest.mark.usefixtures("drawn")
def test_small_run_is_reported_plotted_and_resumed(cli, tmp_path) -> None:
    run = ["run", "--framework", "qiskit", "--limit", "3", "--max-attempts", "2", "--out", "r"]
    done = cli(*run)
    assert done.returncode == 0, done.stderr
    assert "FB@" in done.stdout
    assert "SIMULATED" in done.stdout
    assert "Run directory: r. For the full HTML report: repair-bench report r --html" in done.stderr
    first, second = done.stderr.splitlines()[:2]
    assert first.startswith("sandbox: ")
    assert second.startswith("episodes 3/3  Pass@1 ")
    names = {p.name for p in (tmp_path / "r" / "plots").iterdir()}
    assert names >= {"repair-curve.png", "repair-curve.svg", "errors.png", "errors.svg"}
    assert "SIMULATED" in (tmp_path / "r" / "plots" / "repair-curve.svg").read_text()
    manifest = json.loads((tmp_path / "r" / "run.json").read_text())
    assert manifest["experiment"]["max_attempts"] == 2
    lines = [json.loads(line) for line in (tmp_path / "r" / "attempts.jsonl").read_text().splitlines()]
    assert len({line["episode"] for line in lines}) == 3
    for line in lines:
        assert (line["verdict"] is None) != (line["fault"] is None)
        assert line["completion"]["cost_usd"] is None

    before = (tmp_path / "r" / "attempts.jsonl").read_bytes()
    assert cli(*run).returncode == 2
    assert cli("run", "--resume", "r").returncode == 0  # nothing is pending
    changed = cli("run", "--resume", "r", "--max-attempts", "3")
    assert changed.returncode == 2
    assert "max_attempts: 2 -> 3" in changed.stderr
    assert (tmp_path / "r" / "attempts.jsonl").read_bytes() == before

    (tmp_path / "no_folder").write_text("")
    undrawn = cli("plot", "r", "--kind", "errors", "--out", "no_folder")
    assert (undrawn.returncode, undrawn.stdout) == (2, "")
    assert undrawn.stderr == "repair-bench: no_folder/errors.png cannot be written: File exists\n"

    rows = json.loads(cli("report", "r", "--json").stdout)
    assert rows
    shown = cli("show", "r", lines[0]["episode"][:8])
    assert shown.returncode == 0
    assert "verdict: " in shown.stdout


def test_the_graph_is_printed_as_mermaid(cli) -> None:
    done = cli("graph")
    assert done.returncode == 0
    assert "graph TD" in done.stdout
    assert "feedback --> generate" in done.stdout


def test_suites_are_listed_and_a_prompt_shown(cli) -> None:
    assert "aligned" in cli("suites", "list").stdout
    shown = cli("suites", "show", "aligned", "16", "--framework", "cirq").stdout
    assert "Bell_State" in shown
    assert "cirq" in shown


@pytest.mark.slow
def test_candidates_cannot_read_our_environment(tmp_path) -> None:
    code = "import os\n\ndef Bell_State():\n    raise ValueError(sorted(os.environ.items()))\n"
    (tmp_path / "in.jsonl").write_text(json.dumps({"task_id": "16", "framework": "qiskit", "code": code}))
    done = subprocess.run(
        [*CLI, "grade", "in.jsonl", "--suite", "aligned", "--out", "out.jsonl"],
        cwd=tmp_path,
        env={**os.environ, "OPENAI_API_KEY": "sk-canary"},
        capture_output=True,
        timeout=120,
        check=True,
    )
    assert b"canary" not in done.stdout + done.stderr
    detail = (tmp_path / "out.jsonl").read_text()
    assert "ValueError" in detail
    assert "canary" not in detail
