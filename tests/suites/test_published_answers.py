"""Published answers of real models, which `grade` judges like the published test in a plain process.

The plain process does not use this package: prompt, answer and test form one program for a new interpreter, and exit
code 0 is a pass. It has no seed, so differing verdicts are repeated: if the plain process contradicts itself, the
difference is random.
"""

import json
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from sampled import LONG, sampled

from repair_bench import suites
from repair_bench.coroutines import run_to_end
from repair_bench.executors.fork_server import ENVIRONMENT
from repair_bench.prompts.extraction.extract import extract
from repair_bench.prompts.extraction.source import defines
from repair_bench.suites.checks import UnitTestCheck
from repair_bench.suites.task import Task

SUITE = "qiskit-humaneval"
EVERY = 24
"""One of this number of answers is run in a plain process, which takes seconds."""
AGAIN = 5
"""Number of repetitions of the plain process for a differing verdict."""
SECONDS = 600

Question = tuple[str, str | None]
"""A task, and the code of an answer."""


def graded(answers: list[dict[str, Any]], data: Path, folder: Path) -> list[dict[str, Any]]:
    lines = [{name: answer[name] for name in ("task_id", "framework", "completion")} for answer in answers]
    (folder / "answers.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    command = [sys.executable, "-m", "repair_bench", "grade", "answers.jsonl", "--suite", SUITE, "--data", str(data)]
    subprocess.run([*command, "--out", "verdicts.jsonl"], cwd=folder, check=True, capture_output=True, timeout=3000)
    with (folder / "verdicts.jsonl").open(encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def plain_program(task: Task, code: str) -> str:
    check = task.check
    assert isinstance(check, UnitTestCheck)
    return f"{check.preamble}\n{check.program(task, code).source}\n{check.test}\ncheck({task.entry_point})\n"


def passes(program: str, folder: Path) -> bool:
    done = subprocess.run(
        [sys.executable, "-s", "-c", program],
        env={**ENVIRONMENT, "HOME": str(folder), "MPLCONFIGDIR": str(folder)},
        cwd=folder,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=SECONDS,
        check=False,
    )
    return done.returncode == 0


@pytest.mark.slow
def test_no_published_right_answer_is_lost_in_extraction(answers: list[dict[str, Any]], datasets: Path) -> None:
    tasks = {task.id: task for task in run_to_end(suites.load(SUITE, data=datasets / SUITE)).tasks}
    right = [(tasks[answer["task_id"]], answer["completion"]) for answer in answers if answer["theirs"]]
    assert len(right) == 152
    for task, completion in right:
        code = extract(completion, entry_point=task.entry_point, starter=task.starter).code
        assert code is not None, task.id
        assert defines(code, task.entry_point) == 3, task.id


@pytest.mark.slow
def test_verdicts_equal_those_of_the_test_in_a_plain_process(
    answers: list[dict[str, Any]], datasets: Path, tmp_path: Path
) -> None:
    data = datasets / SUITE
    tasks = {task.id: task for task in run_to_end(suites.load(SUITE, data=data)).tasks}
    answers = [answer for answer in answers if answer["task_id"] not in LONG]
    lines = graded(answers, data, tmp_path)
    assert [line["task_id"] for line in lines] == [answer["task_id"] for answer in answers]

    def asked(line: dict[str, Any]) -> Question:
        task = tasks[line["task_id"]]
        return task.id, extract(line["completion"], entry_point=task.entry_point, starter=task.starter).code

    ours: dict[Question, set[str]] = {}
    for line in lines:
        if line["verdict"] is not None:
            ours.setdefault(asked(line), set()).add(line["verdict"])
    assert all(len(kinds) == 1 for kinds in ours.values()), "the same answer has two verdicts"

    def plain(one: Question) -> bool:
        name, code = one
        return code is not None and passes(plain_program(tasks[name], code), tmp_path)

    def differing() -> Iterator[tuple[Question, bool]]:
        with ThreadPoolExecutor(2) as pool:
            some = sampled(list(ours), EVERY)
            for one, theirs in zip(some, pool.map(plain, some), strict=True):
                if ("pass" in ours[one]) is not theirs:
                    yield one, theirs

    wrong, luck = [], []
    for one, theirs in list(differing()):
        again = [plain(one) for _ in range(AGAIN)]
        said = f"{one[0]}: {' '.join(ours[one])} here, {'pass' if theirs else 'fails'} there"
        (luck if len({theirs, *again}) == 2 else wrong).append(f"{said} ({sum(again)} of {AGAIN} pass again)")
    sys.stdout.write("\n".join(["luck:", *luck, "wrong:", *wrong, ""]))  # seen with -s
    assert wrong == []
