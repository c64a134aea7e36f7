"""Incorrect answers at the process boundary: changed messages of correct candidates, and how many of them pass.

The reference of each unit test runs once in a separate process, and its messages are recorded. The test then runs
against these messages many times, each time with one change (`mutants`): a changed value, an argument changed in place,
or a value of another type. A passed mutant is compared with the reference by its values and the behaviour of its
circuits, independently of the test. Passed mutants that differ are listed.

The seed, the task and a number determine each mutant: `--first 500 --mutants 1000` continues after `--mutants 500`.
Tasks of the built-in suites are judged from data, so the reference's observation is changed instead.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import copy
import itertools
import json
import os
import random
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from common import FOLDERS, parse, references, report
from compared import given, question, same_answer, same_form
from mutants import Mutator
from observations import changed_observation, same_observation
from replaying import Late, Recorded, Trial, alarm

from repair_bench.executors.guest import framework
from repair_bench.executors.guest.text import frame
from repair_bench.executors.local import LocalExecutor
from repair_bench.executors.program import Program
from repair_bench.executors.results import read_result
from repair_bench.suites.task import Task
from repair_bench.traces.record.records import Outcome

BUILT_IN = ("aligned", "conventions")
QUICK, FULL = 4, 330
"""Number of mutants per task."""
MAX_SECONDS = 60
"""CPU seconds for the mutants of a task. Slow tests therefore run fewer mutants."""
IN_PLACE = 0.15
"""The share of mutants that also change an argument."""


@dataclass
class Found:
    """Results of a task's mutants. `counts`: by outcome; `different`: passed mutants that differ from the reference."""

    suite: str
    task: str
    weak: bool = False
    counts: Counter[str] = field(default_factory=Counter)
    different: list[dict[str, Any]] = field(default_factory=list)


def main() -> None:
    options = _options()
    numbers = range(options.first, options.mutants)

    def on_task(found: Found) -> None:
        if options.list:
            print(json.dumps({**vars(found), "counts": dict(found.counts)}), flush=True)

    rows, _ = measure(options.suites, numbers, every=options.every, seed=options.seed, on_task=on_task)
    report("Incorrect answers at the process boundary", rows, options.json)


def measure(
    names: Sequence[str], numbers: range, *, every: int, seed: int, on_task: Callable[[Found], None] = lambda _: None
) -> tuple[list[dict[str, Any]], list[Found]]:
    """Return a row per suite, and the results of each task. `on_task`: called with each finished task."""
    adapter = framework.load("qiskit", extra_imports=True)
    sys.modules["matplotlib"].use("Agg")
    rows, all_found = [], []
    for name in names:
        tasks = references(name)[::every]
        found = []
        for one in _observed(tasks, seed, numbers) if name in BUILT_IN else _tested(tasks, adapter, seed, numbers):
            on_task(one)
            found += [one] if one.counts else []
        rows += [_row(name, found)] if found else []
        all_found += found
    return rows, all_found


def _options() -> argparse.Namespace:
    options = parse(
        __doc__,
        suites={"nargs": "+", "default": [*FOLDERS, *BUILT_IN], "help": "which suites [all]"},
        mutants={"type": int, "help": f"number of the last mutant of each task [{FULL}]"},
        first={"type": int, "default": 0, "help": "number of the first mutant"},
        every={"type": int, "help": "use every n-th task"},
        list={
            "action": "store_true",
            "help": "list passed mutants that differ from the reference, including those of weak tasks",
        },
    )
    options.mutants = options.mutants or (QUICK if options.quick else FULL)
    options.every = options.every or (20 if options.quick else 1)
    return options


def _row(name: str, found: list[Found]) -> dict[str, Any]:
    counts = sum((one.counts for one in found), Counter[str]())
    passed = [one for one in found if one.different]
    return {
        "suite": name,
        "tasks": len(found),
        "mutants": sum(counts.values()),
        "refused": counts["malformed"],
        "failed": counts["failed"] + counts["late"] + counts["crashed"],
        "the same": counts["same"] + counts["asked otherwise"],
        "passed": counts["passed"],
        "of weak tasks": sum(len(one.different) for one in passed if one.weak),
        "tasks passed wrongly": " ".join(one.task for one in passed if not one.weak) or None,
    }


def _tested(tasks: list[Task], adapter: Any, seed: int, numbers: range) -> Iterator[Found]:
    return (_of_task(task, adapter, seed, numbers) for task in tasks)


def _is_weak(task: Task) -> bool:
    """Whether the errata call the task's test weak."""
    return bool(task.weak or task.lenient)


def _of_task(task: Task, adapter: Any, seed: int, numbers: range) -> Found:
    """Return the results of a task's mutants, which run in children and cannot affect the next task."""
    found = Found(task.suite, task.id, _is_weak(task))
    while numbers:
        done = 0
        for one in _in_a_child(task, adapter, seed, numbers):
            if one is None:
                return found
            outcome, what = one
            found.counts[outcome] += 1
            if outcome == "passed":
                found.different.append({"number": numbers[done], "what": what})
            done += 1
        found.counts["crashed"] += 1
        numbers = numbers[done + 1 :]
    return found


def _in_a_child(task: Task, adapter: Any, seed: int, numbers: range) -> Iterator[tuple[str, str] | None]:
    """Yield the results of `fuzz` from a child, and None at the end."""
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            os.close(read)
            with (
                os.fdopen(write, "w") as pipe,
                Path(os.devnull).open("w") as nothing,
                contextlib.redirect_stdout(nothing),
            ):
                for one in itertools.chain(fuzz(task, adapter, seed, numbers), [None]):
                    pipe.write(json.dumps(one) + "\n")
                    pipe.flush()
        except BaseException:  # noqa: BLE001 - a child process must not return
            traceback.print_exc()
        finally:
            os._exit(0)
    os.close(write)
    with os.fdopen(read) as pipe:
        yield from map(json.loads, pipe)
    os.waitpid(pid, 0)


def fuzz(task: Task, adapter: Any, seed: int, numbers: range) -> Iterator[tuple[str, str]]:
    """Yield the result of each mutant of a unit test, with its description.

    A result is "passed", "same", "asked otherwise" (the test calls the mutant in a way that was not recorded),
    "failed", "malformed" or "late". Nothing is yielded unless the reference passes twice.
    """
    trial = Trial(task, adapter)
    passed, said = trial.record()
    start = time.process_time()
    if not passed or trial.replay([_bytes(message) for message in said.received]) != "passed":
        return
    most = int(MAX_SECONDS / (time.process_time() - start)) + 1
    for number in numbers[:most]:
        outcome, what = "late", ""
        with contextlib.suppress(Late), alarm():
            messages, what = mutant(said, f"{seed} {task.suite} {task.id} {number}")
            outcome = trial.replay([_bytes(message) for message in messages])
            if outcome == "passed":
                outcome = _of_passed(said, messages, trial.peer.calls)
        yield outcome, what


def _of_passed(said: Recorded, messages: list[Any], calls: list[Any]) -> str:
    """Classify a passed mutant: "passed" if it is incorrect."""
    if same_answer(said.received, messages, {place: given(call) for place, call in said.calls.items()}):
        return "same"
    as_before = all(same_form(given(call), given(other)) for call, other in zip(said.asked, calls, strict=False))
    return "passed" if as_before else "asked otherwise"


def _observed(tasks: list[Task], seed: int, numbers: range) -> Iterator[Found]:
    """Yield the results of changed observations, for tasks that are judged from data."""
    executor = LocalExecutor(workers=1)
    try:
        for task in tasks:
            found = Found(task.suite, f"{task.id} {task.framework}", _is_weak(task))
            program = task.check.program(task, task.reference or "")
            outcome = asyncio.run(executor.run(program))
            if task.check.judge(task, outcome).kind == "pass":
                for number in numbers:
                    value, what = changed_observation(outcome.value, random.Random(f"{seed} {found.task} {number}"))
                    kind = _judged(task, program, value)
                    if kind == "passed" and same_observation(outcome.value, value):
                        kind = "same"
                    if kind == "passed":
                        found.different.append({"number": number, "what": what})
                    found.counts[kind] += 1
            yield found
    finally:
        executor.shutdown()


def _judged(task: Task, program: Program, value: Any) -> str:
    """Return the verdict on a child process that sends this value."""
    result = read_result(program.call, frame({"status": "returned", "value": value}))
    if result is None:
        return "malformed"
    return "passed" if task.check.judge(task, Outcome(result.status, result.value)).kind == "pass" else "failed"


def mutant(said: Recorded, seed: str) -> tuple[list[Any], str]:
    """Return a candidate's messages with one change, and its description.

    The candidate remains a function: the same call is always changed in the same way.
    """
    messages = copy.deepcopy(said.received)
    places = [place for place, message in enumerate(messages) if "value" in message and place in said.calls]
    if not places:
        return messages, "nothing"
    chosen, what = question(said.calls[random.Random(seed).choice(places)]), ""
    for place in places:
        if question(said.calls[place]) == chosen:
            what = _change(messages[place], said.calls[place], random.Random(seed + " change"))
    return messages, what


def _change(message: dict[str, Any], call: dict[str, Any], choose: random.Random) -> str:
    """Change the reply to this call."""
    arguments, mutator = given(call), Mutator(choose.random())
    if arguments and choose.random() < IN_PLACE:
        return _in_place(message, arguments, choose, mutator)
    pair = next((pair for pair in message["changed"] if pair[0] == message["same"]), None)
    if pair is None and message["changed"] and message["value"] is None and message["same"] is None:
        pair = choose.choice(message["changed"])
    if pair is not None:
        pair[1], what = mutator.of_the_same_type(pair[1])
        return f"argument {pair[0]}: {what}"
    before = message["value"] if message["same"] is None else arguments[message["same"]]
    message["value"], what = mutator.changed(before)
    message["same"] = None
    return what


def _in_place(message: dict[str, Any], arguments: list[Any], choose: random.Random, mutator: Mutator) -> str:
    """Change an argument in place and return the changed reply."""
    number = choose.randrange(len(arguments))
    changed, what = mutator.of_the_same_type(arguments[number])
    if choose.random() < 0.7:
        returned = copy.deepcopy(changed)
        if choose.random() < 0.3 and message["same"] is None:
            returned, _ = mutator.changed(message["value"])
        message.update(same=None, value=returned)
    message["changed"] = [pair for pair in message["changed"] if pair[0] != number] + [[number, changed]]
    return f"argument {number} in place: {what}"


def _bytes(message: Any) -> bytes:
    return json.dumps(message).encode()


if __name__ == "__main__":
    main()
