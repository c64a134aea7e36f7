"""The tasks of an edition and their prompts. Nothing is executed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path

from repair_bench.frameworks import FRAMEWORKS, USUAL
from repair_bench.suites import wording
from repair_bench.suites.horizon import render
from repair_bench.suites.horizon.check import BudgetCheck
from repair_bench.suites.horizon.edition import EXAMPLE, NAME, Edition, drawn
from repair_bench.suites.horizon.family import Circuit, Family, Instance
from repair_bench.suites.sources import ImportPath, no_import_path, unmet
from repair_bench.suites.task import Suite, Task

VERSION = "1"
ENTRY_POINT = "solve"
PARAMETERS = "instance"
EXAMPLE_SIZE = 4
"""The size of the example instance in the prompt."""
TEMPLATE = Path(__file__).parent / "prompt.j2"


def load(*, name: str = NAME, frameworks: Collection[str] = USUAL, import_path: ImportPath = no_import_path) -> Suite:
    """Return the tasks of an edition for the chosen frameworks.

    A framework in which no solver can be written has no tasks.
    """
    edition = Edition.of(name)
    tasks = [
        task_of(edition, family, size, framework)
        for family in edition.chosen()
        for size in edition.sizes
        for framework in render.SUPPORTED
    ]
    excluded = {name: unmet(packages=FRAMEWORKS[name].needs, path=import_path(name)) for name in render.SUPPORTED}
    chosen = tuple(replace(t, excluded=excluded[t.framework]) for t in tasks if t.framework in frameworks)
    return Suite(edition.name, VERSION, _content_hash(edition, tasks), chosen)


def task_of(edition: Edition, family: Family, size: int, framework: str) -> Task:
    instances = edition.instances_of(family, size)
    budgets = tuple(edition.budget(one.planted) for one in instances)
    return Task(
        suite=edition.name,
        id=f"{family.name}-{size}",
        framework=framework,
        entry_point=ENTRY_POINT,
        prompt=_prompt(edition, family, size, framework),
        starter=wording.starter(
            framework,
            entry_point=ENTRY_POINT,
            parameters=PARAMETERS,
            args=(),
            title=family.title,
            kind="circuit",
        ),
        check=BudgetCheck(family, size, instances, budgets, edition.seconds),
        category="decomposition",
        reference=solver(edition, family, size, framework),
        title=f"{family.title}, {size} qubits",
        concepts=("circuit optimisation",),
    )


def solver(
    edition: Edition, family: Family, size: int, framework: str, answers: Mapping[int, Circuit] | None = None
) -> str:
    """Return a program that looks up the circuit for an instance in a table.

    `answers`: the circuits, keyed by the number of the instance; by default, the hidden circuits of all instances.
    Visible instances have the numbers 0, 1, ...; hidden ones follow. For an instance without a stored circuit, the
    program returns an empty circuit.
    """
    instances = edition.instances_of(family, size)
    if answers is None:
        return render.solver(framework, _plants(instances))
    known = {instances[number].key: circuit for number, circuit in answers.items()}
    return render.solver(framework, render.packed(known))


@cache
def _plants(instances: tuple[Instance, ...]) -> str:
    return render.packed({instance.key: instance.plant for instance in instances})


def _prompt(edition: Edition, family: Family, size: int, framework: str) -> str:
    known = FRAMEWORKS[framework]
    example = drawn(family.name, EXAMPLE_SIZE, EXAMPLE, 1)[0]
    text = wording.rendered(
        TEMPLATE,
        language=known.title,
        statement=family.statement,
        gates=[render.SPELLED[framework].get(gate, gate) for gate in family.gates],
        returned=wording.returned(framework, "circuit", qubits=size),
        size=size,
        slack=f"{edition.slack:g}",
        seconds=f"{edition.seconds:g}",
        count=edition.instances,
        example=example,
        written=json.dumps(example.data),
    )
    return text.strip() + "\n"


def _content_hash(edition: Edition, tasks: Collection[Task]) -> str:
    """Return a hash of the prompts, instances, budgets and limits."""
    texts = [(task.id, task.framework, task.prompt, task.starter) for task in tasks]
    problems = [
        (family.name, size, [(one.key, edition.budget(one.planted)) for one in edition.instances_of(family, size)])
        for family in edition.chosen()
        for size in edition.sizes
    ]
    made = json.dumps([texts, problems, edition.seconds], sort_keys=True)
    return hashlib.sha256(made.encode()).hexdigest()
