"""Official files of QuanBench+, in which malformed content is refused with its place."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from repair_bench.suites.fetch import SOURCES
from repair_bench.suites.quanbench_plus import loader
from repair_bench.traces.faults import UsageError

FILES = list(SOURCES["quanbench-plus"].files)


@pytest.fixture
def data(datasets: Path, tmp_path: Path) -> Path:
    """Return a copy of the official files."""
    for name in FILES:
        shutil.copy(datasets / "quanbench-plus" / name, tmp_path)
    return tmp_path


def complaint(data: Path) -> str:
    with pytest.raises(UsageError) as error:
        loader.load(data=data)
    assert "\n" not in str(error.value)
    return str(error.value)


def edit(path: Path, line: int, change: Callable[[dict[str, Any]], Any]) -> None:
    lines = path.read_text(encoding="utf-8").split("\n")
    lines[line - 1] = json.dumps(change(json.loads(lines[line - 1])))
    path.write_text("\n".join(lines), encoding="utf-8")


@pytest.mark.parametrize("name", FILES)
def test_a_missing_file_is_named(data: Path, name: str) -> None:
    (data / name).unlink()
    assert complaint(data) == f"{data / name}: cannot be read: No such file or directory"


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    assert "nowhere" in complaint(tmp_path / "nowhere")


def test_without_a_folder_the_error_names_the_files(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    with pytest.raises(UsageError, match=r"--data DIR.*canonical_solutions\.json"):
        loader.load(data=None)


@pytest.mark.parametrize("name", FILES)
def test_a_truncated_file_is_refused_with_its_name(data: Path, name: str) -> None:
    whole = (data / name).read_bytes()
    for part in (0, 1, 2, len(whole) // 3, len(whole) // 2, len(whole) - 40, len(whole) - 3):
        (data / name).write_bytes(whole[:part])
        assert name in complaint(data)


def test_a_file_truncated_within_a_line_names_the_line(data: Path) -> None:
    path = data / "cirq.jsonl"
    lines = path.read_text(encoding="utf-8").split("\n")
    path.write_text("\n".join([*lines[:6], lines[6][:50]]), encoding="utf-8")
    assert complaint(data).startswith(f"{path}, line 7: is not JSON")


def test_a_file_truncated_between_lines_names_the_missing_task(data: Path) -> None:
    path = data / "pennylane.jsonl"
    lines = path.read_text(encoding="utf-8").split("\n")
    path.write_text("\n".join(lines[:10]) + "\n", encoding="utf-8")
    missing = "32 of 42 tasks are missing, the first 12"
    assert complaint(data) == f"{path}: {missing}; the last task is in {path}, line 10; is the file truncated?"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda task: {**task, "entry_point": 3}, "entry_point: Input should be a valid string"),
        (lambda task: {**task, "entry_point": "not a name"}, "entry_point: "),
        (lambda task: {**task, "complete_prompt": None}, "complete_prompt: "),
        (lambda task: {**task, "canonical_solution": ["x"]}, "canonical_solution: "),
        (lambda task: {**task, "category": "OTHER"}, "category: "),
        (lambda task: {**task, "task_id": 4}, "task_id: "),
        (lambda task: {**task, "task_id": "05"}, "task_id: 05 is not a published task"),
        (lambda task: {**task, "task_id": "01"}, "task_id: 01 occurs twice"),
        (lambda task: {**task, "hints": []}, "hints: Extra inputs are not permitted"),
        (lambda task: {k: v for k, v in task.items() if k != "category"}, "category: Field required"),
        (lambda task: [task], "Input should be a valid dictionary"),
        (lambda task: {**task, "complete_prompt": "\ud800"}, "cannot be used as JSON"),
    ],
)
def test_a_wrong_field_names_file_and_line(data: Path, change: Callable[[Any], Any], message: str) -> None:
    path = data / "qiskit.jsonl"
    edit(path, 4, change)
    assert complaint(data).startswith(f"{path}, line 4: {message}")


def first(**fields: Any) -> Callable[[Any], Any]:
    """Return a change of the first stored answer."""
    return lambda stored: [{**stored[0], **fields}, *stored[1:]]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda stored: [{"01": stored}], ", item 1: task_id: Field required"),
        (lambda stored: [*stored[:2], None, *stored[3:]], ", item 3: "),
        (lambda stored: [*stored, stored[0]], ", item 43: task_id: 01 occurs twice"),
        (lambda stored: stored[1:], ": 1 of 42 tasks are missing, the first 01"),
        (first(canonical_output=[1.0, 0.0, 0.0]), ", item 1: canonical_output has 3 entries, which is not a"),
        (first(canonical_output=[0.5, 0.1]), ", item 1: canonical_output is not a probability distribution"),
        (first(canonical_output=[2.0, -1.0]), ", item 1: canonical_output is not a probability distribution"),
        (first(canonical_output=["1", "0"]), ", item 1: canonical_output.0: "),
        (first(error=None), ", item 1: error: Extra inputs are not permitted"),
    ],
)
def test_a_wrong_stored_answer_names_its_item(data: Path, change: Callable[[Any], Any], message: str) -> None:
    path = data / loader.STORED
    lines = map(json.dumps, change(json.loads(path.read_text())))
    path.write_text("[" + ",\n".join(lines) + "]")
    assert complaint(data).startswith(f"{path}{message}")


def test_a_folder_instead_of_a_file_is_named(data: Path) -> None:
    (data / loader.STORED).unlink()
    (data / loader.STORED).mkdir()
    assert complaint(data).startswith(f"{data / loader.STORED}: cannot be read")


def test_blank_lines_and_other_line_ends_are_read(data: Path) -> None:
    path = data / "qiskit.jsonl"
    path.write_bytes(b"\n" + path.read_bytes().replace(b"\n", b"\r\n") + b"\r\n\r\n")
    assert len(loader.load(data=data).tasks) == 126
