"""The command `repair-bench grade`, with any input line and any interruption."""

import io
import json
import os
import re
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from repair_bench.grading import answers_file
from repair_bench.grading.graded_lines import Tally
from repair_bench.suites.task import Suite
from repair_bench.traces.faults import UsageError

COMMAND = [sys.executable, "-m", "repair_bench", "grade", "in.jsonl", "--suite", "aligned", "--out", "out.jsonl"]
RIGHT = """
from qiskit import QuantumCircuit

def Bell_State():
    qc = QuantumCircuit(2)
    qc.h(0)
    qc.cx(0, 1)
    return qc
"""
SLOW = f"import time\ntime.sleep(1.5)\n{RIGHT}"
LONE = "\ud800"
PART, ABOUT = "out.jsonl.part", "out.jsonl.part.json"


def answer(code: str = RIGHT, **more: Any) -> dict[str, Any]:
    return {"task_id": "16", "framework": "qiskit", "code": code, **more}


def write(folder: Path, *lines: dict[str, Any] | bytes) -> None:
    rows = [line if isinstance(line, bytes) else json.dumps(line).encode() for line in lines]
    (folder / "in.jsonl").write_bytes(b"".join(row + b"\n" for row in rows))


def grade(folder: Path, *options: str, **more: Any) -> subprocess.CompletedProcess[str]:
    command = [*COMMAND, "--workers", "1", *options]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300, check=False, **more)


def graded(folder: Path, name: str = "out.jsonl") -> list[dict[str, Any]]:
    """Return the lines between line feeds, each of which must be valid UTF-8 and JSON."""
    raw = (folder / name).read_bytes()
    assert raw.endswith(b"\n")
    rows = raw.decode("utf-8").splitlines()
    assert len(rows) == raw.count(b"\n")
    return [json.loads(row, parse_constant=pytest.fail) for row in rows]


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


@pytest.mark.slow
def test_no_answer_loses_the_others(tmp_path: Path) -> None:
    lines: list[dict[str, Any] | bytes] = [
        answer(),
        answer(f"{RIGHT}# {LONE}"),
        {"task_id": "16", "framework": "qiskit", "completion": f"```python{RIGHT}# {LONE}\n```"},
        answer("def Bell_State():\n    raise ValueError(chr(0xd800))"),
        answer(note=LONE),
        json.dumps(answer(note="one\u2028two\x85three\x0bfour"), ensure_ascii=False).encode(),
        answer(verdict=["mine"], verdicts={"mine": []}, error_type=1, sealed={}, detail=LONE, seconds="long"),
        answer(note=json.loads("[" * 98 + "]" * 98)),
        answer(),
    ]
    write(tmp_path, *lines)
    done = grade(tmp_path, "--json")
    assert done.returncode == 0, done.stderr
    found = graded(tmp_path)
    kinds = ["pass", "exception", "exception", "exception", *["pass"] * 5]
    assert [line["verdict"] for line in found] == kinds
    assert [line["error_type"] for line in found[1:3]] == ["UnicodeEncodeError"] * 2
    assert json.loads(done.stdout)["verdicts"] == {"pass": 6, "exception": 3}
    assert found[4]["note"] == LONE
    assert found[5]["note"] == "one\u2028two\x85three\x0bfour"
    assert "verdicts" not in found[6]
    assert (found[6]["sealed"], found[6]["detail"]) == ("data", "")
    assert names(tmp_path) == {"in.jsonl", "out.jsonl"}


@pytest.mark.slow
def test_what_was_graded_can_be_graded_again(tmp_path: Path) -> None:
    write(tmp_path, answer(), answer(RIGHT.replace("h(0)", "x(0)")))
    assert grade(tmp_path, "--rule", "exact", "--rule", "paper").returncode == 0
    first = graded(tmp_path)
    assert [line["verdicts"] for line in first] == [dict.fromkeys(["exact", "paper"], kind) for kind in
                                                   ("pass", "wrong_answer")]  # fmt: skip
    (tmp_path / "out.jsonl").rename(tmp_path / "in.jsonl")
    done = grade(tmp_path)
    assert done.returncode == 0, done.stderr
    assert [line["verdict"] for line in graded(tmp_path)] == ["pass", "wrong_answer"]
    assert not any("verdicts" in line for line in graded(tmp_path))


@pytest.mark.slow
def test_a_pipe_is_read(tmp_path: Path) -> None:
    command = [*COMMAND[:4], "/dev/stdin", *COMMAND[5:]]
    done = subprocess.run(
        command, cwd=tmp_path, input=json.dumps(answer()), capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
    assert [line["verdict"] for line in graded(tmp_path)] == ["pass"]


DEEP = b'{"task_id": "16", "framework": "qiskit", "code": "x = 1", "note": ' + b"[" * 500 + b"]" * 500 + b"}"
TOO_DEEP_TO_READ = DEEP.replace(b"[", b"[" * 400).replace(b"]", b"]" * 400)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("row", "says"),
    [
        (DEEP, "more than 100 levels deep"),
        (TOO_DEEP_TO_READ, "more than 100 levels deep"),
        (json.dumps(answer(task_id=["16"])).encode(), "no task ['16']"),
        (json.dumps(answer(framework={"a": 1})).encode(), "in framework {'a': 1}"),
        (json.dumps(answer(task_id="\x1b[2J" * 50)).encode(), r"no task '\x1b[2J"),
        (json.dumps(answer(task_id=LONE)).encode(), r"no task '\ud800'"),
        (
            b'{"task_id": "16", "framework": "qiskit", "code": "x = 1", "note": NaN}',
            "Out of range float values are not JSON compliant",
        ),
        (
            b'{"task_id": "16", "framework": "qiskit", "code": "x = 1", "note": 1e999}',
            "Out of range float values are not JSON compliant",
        ),
        (b'{"task_id": "16", "framework": "qiskit", "code": "\xff"}', "not UTF-8"),
        (b'{"task_id": "16", "framework": "qiskit", "code": ["x"]}', "expected an object"),
        (b"\x00", "not JSON"),
    ],
)
def test_an_invalid_line_is_a_one_line_error_with_exit_code_2(tmp_path: Path, row: bytes, says: str) -> None:
    write(tmp_path, answer(), b"", row)
    done = grade(tmp_path)
    assert done.returncode == 2, done.stderr
    assert says in done.stderr
    assert "in.jsonl:3: " in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert len(done.stderr) < 300
    assert names(tmp_path) == {"in.jsonl"}


def begin(folder: Path, lines: int, **more: Any) -> subprocess.Popen[str]:
    """Start a grading, and wait until that number of lines is done."""
    command = [*COMMAND, "--workers", "1"]
    running = subprocess.Popen(
        command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True, **more
    )
    until = time.monotonic() + 120
    while not ((folder / PART).exists() and (folder / PART).read_bytes().count(b"\n") >= lines):
        assert running.poll() is None, running.communicate()
        assert time.monotonic() < until
        time.sleep(0.05)
    return running


def without_seconds(file: Path) -> bytes:
    """Return the bytes of the output, without the times."""
    return re.sub(rb'"seconds":[^,}]+', b"", file.read_bytes())


SOME = [answer(note=1), answer("x = 1", note=2), *(answer(SLOW, note=number) for number in range(3, 6)), answer(note=6)]


@pytest.mark.slow
@pytest.mark.parametrize(("number", "code"), [(signal.SIGKILL, -signal.SIGKILL), (signal.SIGINT, 130)])
def test_the_same_command_resumes_a_stopped_grading(tmp_path: Path, number: int, code: int) -> None:
    write(tmp_path, *SOME)
    running = begin(tmp_path, 3)
    os.kill(running.pid, number)
    _, said = running.communicate(timeout=60)
    assert running.returncode == code
    assert names(tmp_path) == {"in.jsonl", PART, ABOUT}
    kept = (tmp_path / PART).read_bytes()
    assert 3 <= kept.count(b"\n") < len(SOME)
    if number == signal.SIGINT:
        assert said.endswith(f"Interrupted. {PART} contains the finished part; repeat the command to continue.\n")
    with (tmp_path / PART).open("ab") as file:
        file.write(b'{"torn": ')  # as after a kill during a write

    other = grade(tmp_path, "--rule", "paper")
    assert other.returncode == 2
    assert 'rules[0]: "exact" -> "paper"' in other.stderr
    assert "remove the file, or choose another --out" in other.stderr

    done = grade(tmp_path)
    assert done.returncode == 0, done.stderr
    assert f"{kept.count(bytes([10]))} of 6 answers were already graded" in done.stdout
    assert "pass 5" in done.stdout
    assert (tmp_path / "out.jsonl").read_bytes().startswith(kept)
    assert names(tmp_path) == {"in.jsonl", "out.jsonl"}
    assert done.stderr.splitlines()[-1] == "graded 6/6  pass 5  no_code 1  time left 0:00"
    (tmp_path / "out.jsonl").rename(tmp_path / "stopped.jsonl")
    assert grade(tmp_path).returncode == 0
    assert len(graded(tmp_path)) == 6
    assert without_seconds(tmp_path / "stopped.jsonl") == without_seconds(tmp_path / "out.jsonl")


@pytest.mark.slow
def test_a_disk_that_is_full_loses_nothing(tmp_path: Path) -> None:
    write(tmp_path, *(answer(note="x" * 30_000, number=number) for number in range(4)))
    done = grade(tmp_path, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (70_000, -1)))
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith("repair-bench: infrastructure error (trace): ")
    assert "Traceback" not in done.stderr
    assert (tmp_path / PART).read_bytes().count(b"\n") == 2
    done = grade(tmp_path)
    assert done.returncode == 0, done.stderr
    assert "2 of 4 answers were already graded" in done.stdout
    assert [(line["number"], line["verdict"]) for line in graded(tmp_path)] == [(n, "pass") for n in range(4)]


@pytest.mark.slow
def test_lines_of_another_grading_are_left_alone(tmp_path: Path) -> None:
    write(tmp_path, answer(), answer(f"import time\ntime.sleep(150)\n{RIGHT}"))
    running = begin(tmp_path, 1)
    beside = grade(tmp_path)
    assert beside.returncode == 2
    assert "is being written by another process" in beside.stderr
    running.kill()
    running.communicate(timeout=60)
    kept = (tmp_path / PART).read_bytes()
    write(tmp_path, answer())
    done = grade(tmp_path)
    assert done.returncode == 2
    assert "contains lines graded with other inputs (solutions: " in done.stderr
    (tmp_path / ABOUT).unlink()
    done = grade(tmp_path)
    assert done.returncode == 2
    assert "does not record the inputs used for grading. Remove the file" in done.stderr
    assert len([line for line in done.stderr.splitlines() if not line.startswith("sandbox: ")]) == 1
    assert (tmp_path / PART).read_bytes() == kept


def test_a_published_verdict_is_true_false_or_null(suite: Suite) -> None:
    def column(*values: Any) -> list[Any]:
        file = io.BytesIO(b"".join(json.dumps(answer(theirs=value)).encode() + b"\n" for value in values))
        return [line["theirs"] for line, _ in answers_file.read(file, Path("in.jsonl"), suite, "theirs")]

    assert column(True, False, None) == [True, False, None]
    for wrong in ("pass", 1, [], {}):
        with pytest.raises(UsageError, match=r'in.jsonl:2: "theirs" must be true'):
            column(True, wrong)


@pytest.mark.slow
def test_published_verdicts_are_compared_with_ours(tmp_path: Path) -> None:
    wrong = RIGHT.replace("h(0)", "x(0)")
    write(
        tmp_path,
        answer(theirs=True),
        answer(theirs=False),
        answer(wrong, theirs=True),
        answer("x", theirs=False),
        answer(),
    )
    done = grade(tmp_path, "--verdict-field", "theirs")
    assert done.returncode == 0, done.stderr
    assert (
        "\ncompared with theirs: 2 of 4 verdicts agree (50.0%), kappa 0.000; 1 without a published verdict\n"
        in done.stdout
    )
    assert "\nours pass, published fail: 1: 16 qiskit (line 2)\n" in done.stdout
    assert "\nours wrong answer: value, published pass: 1: 16 qiskit (line 3)\n" in done.stdout
    assert [line.get("theirs") for line in graded(tmp_path)] == [True, False, True, False, None]
    (tmp_path / "out.jsonl").unlink()
    none = grade(tmp_path, "--verdict-field", "their")
    assert none.returncode == 2
    assert none.stderr.splitlines() == [none.stderr.strip()]
    assert 'no line in in.jsonl has a field "their"' in none.stderr
    assert names(tmp_path) == {"in.jsonl"}


def test_what_oracles_dispute_is_counted() -> None:
    tally = Tally(("semantic",))
    for verdict, published in (
        ("pass", "pass"),
        ("pass", "wrong_answer"),
        ("exception", "pass"),
        ("limit", "pass"),
        ("pass", None),  # it has no oracle
    ):
        line = {"verdict": verdict, "error_type": verdict, "sealed": "stub"}
        tally.add(line if published is None else {**line, "published": published})
    assert tally.figures()["oracles"] == {"answers": 4, "fails_right": 1, "passes_wrong": 2}
