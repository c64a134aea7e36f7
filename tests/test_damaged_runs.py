"""Damage in one line of a run is reported, and deleting the line and resuming loses nothing."""

import json
import random
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from commands import Done, exit_code
from timeless import timeless_attempts

pytestmark = pytest.mark.slow

TEXTS = [
    *("", "zz", "01", "02", "qiskit", "cirq", "default", "verdict", "pass", "limit", "context", "exception"),
    *("conventions?bits=3", "conventions?bits=999999999", "sim/novice"),
    *("\ud800", "\x1b[31m", "<b>", "$x$", "x" * 5000),
]
INTEGERS = [0, 1, 2, 7, -1, 1001, 2**31, 2**63, 10**30, 10**300]
NUMBERS = [0.0, -1.0, 1e300, float("nan"), float("inf"), 3]
COMMANDS = [
    ["report", "{run}"],
    ["report", "{run}", "--json"],
    ["report", "{run}", "--html", "--out", "{out}/report.html"],
    ["compare", "--in", "{run}", "--by", "condition", "default", "verdict"],
    ["suites", "headroom", "{run}"],
    ["watch", "{run}", "--once"],
    ["export", "{run}", "--format", "csv", "--out", "{out}/a.csv"],
    ["publish", "{run}", "--out", "{out}/site"],
    ["plot", "{run}", "--kind", "errors", "--out", "{out}/plots"],
]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("runs") / "run"
    arguments = ["--model", "sim/journeyman", "--framework", "qiskit", "--limit", "3", "--max-attempts", "2"]
    exit_code("run", *arguments, "--feedback", "default", "--feedback", "verdict", "--out", str(directory))
    return directory


@pytest.mark.parametrize("name", ["attempts.jsonl", "completions.jsonl"])
def test_deleting_a_damaged_line_loses_nothing(run: Path, tmp_path: Path, cli: Callable[..., Done], name: str) -> None:
    whole = (run / name).read_bytes().splitlines(keepends=True)
    expected = timeless_attempts(run)
    for number in range(0, len(whole), 3 if name == "attempts.jsonl" else 7):
        directory = tmp_path / "run"
        shutil.copytree(run, directory)
        lines = [*whole[:number], b'{"id": "cut\n', *whole[number + 1 :], b'{"event": "refused", "key": "x"}\n'][:-1]
        (directory / name).write_bytes(b"".join([*lines, lines[0]]))
        for command in (["report"], ["run", "--resume"]) if name == "attempts.jsonl" else (["run", "--resume"],):
            done = cli(*command, str(directory))
            assert done.returncode == 2
            assert f"{name}, line {number + 1}: not a JSON object. Delete this line and resume the run" in done.stderr
        (directory / name).write_bytes(b"".join([*whole[:number], *whole[number + 1 :]]))
        done = cli("run", "--resume", str(directory))
        assert done.returncode == 0, done.stderr
        assert timeless_attempts(directory, repeated=True) == expected
        shutil.rmtree(directory)


def test_one_changed_field_never_ends_in_a_traceback(
    run: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    draw = random.Random(20)
    whole = [json.loads(line) for line in (run / "attempts.jsonl").read_text().splitlines()]
    for number in range(60):
        directory, out = tmp_path / f"{number}", tmp_path / f"out-{number}"
        out.mkdir()
        shutil.copytree(run, directory, ignore=shutil.ignore_patterns("plots"))
        lines = json.loads(json.dumps(whole))
        place, value = draw.choice([(p, v) for p, v in _leaves(draw.choice(lines)) if p[-1] != "content"])
        changed = draw.choice(lines)
        if not _set(changed, place, _another(value, draw)):
            continue
        (directory / "attempts.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
        command = [part.format(run=directory, out=out) for part in COMMANDS[number % len(COMMANDS)]]
        code = exit_code(*command)
        errors = capfd.readouterr().err
        assert code in (0, 2), (place, errors)
        assert code == 0 or len(errors.splitlines()) == 1, (place, errors)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("task_id", "02"),
        ("task_id", "zz"),
        ("condition", "verdict"),
        ("model", "m"),
        ("sample", 1),
        ("framework", "cirq"),
    ],
)
def test_an_attempt_of_another_episode_is_named(
    run: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str], field: str, value: Any
) -> None:
    whole = [json.loads(line) for line in (run / "attempts.jsonl").read_text().splitlines()]
    for number, line in enumerate(whole):
        if line[field] == value:
            continue
        directory = shutil.copytree(run, tmp_path / str(number))
        lines = [*whole[:number], {**line, field: value}, *whole[number + 1 :]]
        (directory / "attempts.jsonl").write_text("".join(f"{json.dumps(one)}\n" for one in lines))
        assert exit_code("report", str(directory)) == 2
        errors = capfd.readouterr().err
        assert len(errors.splitlines()) == 1
        assert f"line {number + 1}" in errors


def _leaves(value: Any, place: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from _leaves(inner, (*place, name))
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from _leaves(inner, (*place, number))
    else:
        yield place, value


def _set(value: Any, place: tuple[Any, ...], another: Any) -> bool:
    for name in place[:-1]:
        try:
            value = value[name]
        except (KeyError, IndexError, TypeError):
            return False
    if not isinstance(value, dict | list):
        return False
    try:
        value[place[-1]] = another
    except (IndexError, TypeError):
        return False
    return True


def _another(value: Any, draw: random.Random) -> Any:
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return draw.choice(INTEGERS)
    if isinstance(value, float):
        return draw.choice(NUMBERS)
    return draw.choice(TEXTS) if isinstance(value, str) else draw.choice([0, "x", [], {}, True])
