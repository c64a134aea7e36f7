"""References executed by the real frameworks, many per child, because starting a child takes longer than they do."""

from collections.abc import Sequence
from dataclasses import replace

from repair_bench.coroutines import run_to_end
from repair_bench.executors.local import LocalExecutor
from repair_bench.frameworks import PYTHON
from repair_bench.suites.checks import Case, CircuitCheck
from repair_bench.suites.task import Task
from repair_bench.traces.record.records import Outcome

PROGRAM = """
SOURCES = {sources!r}


def {entry_point}(number, *args):
    names = {{}}
    exec(SOURCES[number], names)
    return names["{entry_point}"](*args)
"""


def outcomes(tasks: Sequence[Task], executor: LocalExecutor) -> list[Outcome]:
    """Return the observations of each task's reference for the calls of the first task. The references share only the
    child.
    """
    first = tasks[0]
    check = first.check
    assert isinstance(check, CircuitCheck)
    if first.language is not PYTHON:  # those that cannot share a child
        return [run_to_end(executor.run(check.program(first, task.reference or ""))) for task in tasks]
    source = PROGRAM.format(sources=[task.reference for task in tasks], entry_point=first.entry_point)
    cases = tuple(Case((number, *case.args), None) for number in range(len(tasks)) for case in check.cases)
    seen = run_to_end(executor.run(replace(check, cases=cases).program(first, source)))
    assert seen.status == "returned", seen
    made, calls = seen.value["cases"], len(check.cases)
    return [replace(seen, value={"cases": made[i : i + calls]}) for i in range(0, len(made), calls)]
