"""Answers with data that cannot be recorded, among 499 others: the run completes, resumes and is exported."""

import json
from pathlib import Path

import pytest

from repair_bench import suites
from repair_bench.agent.experiment.file import Experiment
from repair_bench.agent.models.base import Request
from repair_bench.coroutines import run_to_end
from repair_bench.executors.program import Executor
from repair_bench.report.exports import FORMATS, export
from repair_bench.testing.driving import drive
from repair_bench.testing.scripted_model import ScriptedModel
from repair_bench.traces.run.run_reader import load_rows

pytestmark = pytest.mark.slow

SAMPLES = 12

SEND = """
import os, stat, struct

def {name}(*_):
    body = b'{{"status": "returned", "value": {{"cases": [{{"kind": "other", "type": "t", "repr": "r", "problem": "p"'
    body = (body + {more} + b'}}]}}}}')
    for fd in range(3, 64):
        try:
            if stat.S_ISFIFO(os.fstat(fd).st_mode):
                data = struct.pack("!I", len(body)) + body
                while data:
                    data = data[os.write(fd, data):]
        except OSError:
            continue
    os._exit(0)
"""
POISONS = [
    """b', "extra": ' + b'[' * 970 + b']' * 970""",
    """b', "mismatch": ' + b'9' * 10_000""",
    """b', "repr": "' + rb'\\\\ud800' + b'"'""",
    """b''.join(b', "key %d": "%s"' % (i, b'x' * 1000) for i in range(12_000))""",
    """b', "gates": NaN'""",
]
"""The bytes of the fields of an observation."""


def answer(request: Request) -> str:
    """Return a quick incorrect answer, or for the first task of the later samples a poisoned one."""
    name = request.task.entry_point
    poisoned = request.task.id == "01" and request.sample < len(POISONS)
    code = SEND.format(name=name, more=POISONS[request.sample]) if poisoned else f"def {name}(*_):\n    return None\n"
    return f"```python\n{code}\n```"


def test_poisoned_answers_affect_no_other_answer(executor: Executor, tmp_path: Path) -> None:
    check_poisoned(executor, tmp_path)


def check_poisoned(executor: Executor, tmp_path: Path) -> None:
    """Run all answers, then resume from half of the record, then export."""
    experiment = Experiment(models=("scripted/test",), frameworks=("qiskit",), samples=SAMPLES, max_attempts=0)
    episodes = experiment.episodes([run_to_end(suites.load("aligned"))])
    assert len(episodes) == 499 + len(POISONS)
    directory, model = tmp_path / "run", ScriptedModel(answer)
    result, attempts, _ = drive(directory, episodes, [model], executor=executor, concurrency=8)
    assert (result.pending, result.faults, len(attempts)) == (0, 0, len(episodes))

    poisoned = [one for one in attempts if one.task_id == "01" and one.sample < len(POISONS)]
    assert [(one.outcome.status, one.verdict.kind) for one in poisoned] == [("malformed", "wrong_answer")] * len(
        POISONS
    )
    honest = [one for one in attempts if one not in poisoned]
    last = {one.task_id: one.verdict for one in honest if one.sample == SAMPLES - 1}
    assert len(honest) == 499
    assert all(one.outcome.status == "returned" and one.verdict == last[one.task_id] for one in honest)

    file = directory / "attempts.jsonl"
    assert file.stat().st_size < 20 << 20
    lines = file.read_text().splitlines(keepends=True)
    gone = {json.loads(line)["id"] for line in lines[250:]}
    file.write_text("".join(lines[:250]))
    result, resumed, _ = drive(directory, episodes, [model], executor=executor, concurrency=8, resume=True)
    assert (result.pending, result.faults) == (0, 0)
    assert {one.id: one.verdict for one in resumed} == {one.id: one.verdict for one in attempts}
    assert len(gone) == len(episodes) - 250

    run = load_rows(directory)
    assert len(run.rows) == len(episodes)
    for name in FORMATS.keys() - {"instances"}:  # refused without hidden instances
        assert export(run, name, directory)
