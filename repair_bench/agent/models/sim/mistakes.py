"""Generate simulated answers with mistakes.

This module chooses mistakes and inserts them into the reference program. From an earlier answer, the module reads which
mistakes the answer contains.

A label identifies a mistake by a name and a number. In `gate_dropped:3`, `gate_dropped` is a kind of mutation, and 3 is
the number of the mutant. In `undefined_name:0`, `undefined_name` is a mistake that raises an exception, and 0 is the
number of the variant. Every answer lists its mistakes in one line. This list marks the answer as simulated, and tells
the model in later attempts which mistakes the answer contains.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from random import Random
from typing import Any

from repair_bench.agent.models.base import Request
from repair_bench.frameworks import FRAMEWORKS
from repair_bench.suites.mutations import Mutant, mutants
from repair_bench.suites.mutations.mistakes import MISTAKES, plant
from repair_bench.suites.task import Task

Label = str

_MARK = "simulated model: planted "
MARKED = re.compile(rf"{_MARK}(?P<labels>\w+(?::\d+)?(?:, \w+:\d+)*)")
_NONE = "nothing"
_NO_REFERENCE = "no_reference"
_VARIANTS = 12


def mark(planted: Sequence[Label]) -> str:
    """Return the line that marks an answer as simulated and names its mistakes."""
    return _MARK + (", ".join(planted) or _NONE)


def last_mark(
    messages: Sequence[Mapping[str, Any]], pattern: re.Pattern[str]
) -> tuple[re.Match[str], Sequence[Mapping[str, Any]]] | None:
    """Return the last mark in a conversation, and the messages from the marked message onwards; None if there is no
    mark.
    """
    for index in range(len(messages) - 1, -1, -1):
        if marks := list(pattern.finditer(messages[index]["content"])):
            return marks[-1], messages[index:]
    return None


def labels(found: re.Match[str]) -> list[Label]:
    return [] if found["labels"] == _NONE else found["labels"].split(", ")


def stream(name: str, request: Request) -> Random:
    """Return a random number generator that depends only on the seed and the attempt."""
    return Random(f"{name} {request.seed} {request.attempt}")  # noqa: S311 - a simulation, not a secret


def is_raising(label: Label) -> bool:
    return label.split(":")[0] in MISTAKES


def is_solvable(task: Task) -> bool:
    """Whether the task's reference is a program."""
    if task.reference is None:
        return False
    try:
        _counts(task.reference, task.framework)
    except SyntaxError:
        return False
    return True


def draw_raising(rng: Random, kinds: Iterable[str] = MISTAKES) -> Label:
    """Return a random mistake that makes the program raise an exception.

    `kinds`: the names of the mistakes to choose from. Every check rejects a program that contains a mistake listed in
    `CERTAIN`.
    """
    return f"{rng.choice(tuple(kinds))}:{rng.randrange(_VARIANTS)}"


def draw_wrong(rng: Random, task: Task) -> Label | None:
    """Return a mutant whose result is incorrect, or None if the reference has no mutants."""
    counts = _counts(task.reference or "", task.framework)
    if not counts:
        return None
    kind = rng.choice(list(counts))
    return f"{kind}:{rng.randrange(counts[kind])}"


def draw_unsolved(rng: Random) -> Label:
    """Return the label of an incorrect program for a task without a reference program."""
    return f"{_NO_REFERENCE}:{rng.randrange(_VARIANTS)}"


def planted_source(task: Task, planted: Sequence[Label]) -> str:
    """Return the reference program with the mistakes in `planted` inserted.

    Mutations are inserted first. Mistakes that raise an exception are inserted after the mutations.
    """
    if task.reference is None or not is_solvable(task):
        return _unsolved(task, planted)
    source = task.reference
    wrong = [_parts(label) for label in planted if not is_raising(label)]
    lines = {part: _mutant(source, task.framework, *part).line for part in wrong}
    # from the bottom up, so that a mutation does not move the lines of the others
    for part in sorted(wrong, key=lambda part: -lines[part]):
        source = _mutant(source, task.framework, *part).source
    for name, variant in (_parts(label) for label in planted if is_raising(label)):
        source = plant(name, source, task.framework, task.entry_point, variant)
    return source


def _parts(label: Label) -> tuple[str, int]:
    name, number = label.split(":")
    return name, int(number)


@lru_cache(maxsize=4096)
def _counts(source: str, framework: str) -> Counter[str]:
    return Counter(mutant.kind for mutant in mutants(source, framework))


@lru_cache(maxsize=1024)
def _mutant(source: str, framework: str, kind: str, number: int) -> Mutant:
    """Return one of the mutants that mutations of the kind `kind` produce. `number`: the number of this mutant.

    If earlier mutations of the program left no place for a mutation of this kind, return the program unchanged.
    """
    choices = list(mutants(source, framework, [kind]))
    return choices[number % len(choices)] if choices else Mutant(kind, "", source, 0)


_BODIES = (
    ["raise NotImplementedError"],
    ["circuit = {empty}", "return circuit"],
    ["circuit = {empty}", "return add_gates(circuit)"],
    ["..."],
)


def _unsolved(task: Task, planted: Sequence[Label]) -> str:
    number = _parts(planted[0])[1]
    framework = FRAMEWORKS[task.framework]
    lines = [line.format(empty=framework.empty_circuit) for line in _BODIES[number % len(_BODIES)]]
    head = f"{framework.import_line}\n\n\ndef {task.entry_point}(*args, **kwargs):\n"
    note = f"    # no reference solution in {task.framework}: the simulated model cannot solve this task\n"
    return head + note + "".join(f"    {line}\n" for line in lines)
