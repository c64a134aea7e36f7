"""The tasks of an edition and their prompts. Correct answers are computed from circuits; nothing is executed."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from itertools import product
from typing import Any

from repair_bench.frameworks import FRAMEWORKS, USUAL
from repair_bench.suites.checks import CIRCUIT_CHECKS
from repair_bench.suites.contents import content_hashes
from repair_bench.suites.conventions.edition import NAME, Edition, Level, level
from repair_bench.suites.conventions.family import Dimension
from repair_bench.suites.conventions.hypotheses import Hypothesis, Problem
from repair_bench.suites.conventions.render import RENDERERS
from repair_bench.suites.sources import ImportPath, no_import_path, unmet
from repair_bench.suites.task import Suite, Task
from repair_bench.suites.wording import call, can_be_given, prompt, setup, starter

VERSION = "3"


def load(
    *,
    name: str = NAME,
    frameworks: Collection[str] = USUAL,
    rule: str = "exact",
    import_path: ImportPath = no_import_path,
) -> Suite:
    """Return an edition of the suite in the chosen frameworks.

    A task is omitted in a framework that cannot express the task's arguments.
    """
    edition = Edition.of(name)
    tasks, hypotheses = [], dict[str, list[Any]]()
    for problem, bits in product(edition.problems(), edition.bits):
        for framework in frameworks_of(problem):
            made = level(problem.family.name, edition.effective_seed, bits, framework)
            true = made.hypotheses[made.truth]
            tasks.append(task_under(made, true, framework, suite=edition.name, say=edition.say, rule=rule))
            # the hash covers every hypothesis; the task identifies the true one
            answers = [hypothesis.answers for hypothesis in made.hypotheses]
            hypotheses.setdefault(framework, []).append(list(zip(made.names, answers, strict=True)))
    content, further = content_hashes(tasks, hypotheses)
    excluded = {name: unmet(packages=FRAMEWORKS[name].needs, path=import_path(name)) for name in RENDERERS}
    chosen = tuple(replace(t, excluded=excluded[t.framework]) for t in tasks if t.framework in frameworks)
    return Suite(edition.name, VERSION, content, chosen, further=further)


def frameworks_of(problem: Problem) -> list[str]:
    return [name for name in RENDERERS if can_be_given(name, problem.family.parameters, problem.calls)]


def task_under(
    level: Level, hypothesis: Hypothesis, framework: str, *, suite: str, say: str = "listed", rule: str = "exact"
) -> Task:
    """Return the task whose true hypothesis is `hypothesis`. The prompt does not depend on which hypothesis is true."""
    family, problem = level.problem.family, level.problem
    calls = problem.calls
    judged_whole = {"qubits": family.size}  # all qubits, including those without gates
    judged: dict[str, Any] = {"rule": rule, "circuit": True} if family.kind == "distribution" else judged_whole
    signature: dict[str, Any] = {"entry_point": family.entry_point, "parameters": family.parameters, "args": calls}
    written = [call(framework, family.entry_point, family.parameters, args) for args in calls if args]
    shown = 2 if family.stages == 1 else len(written)  # only who knows the calls can treat them differently
    words = prompt(
        framework,
        **signature,
        statement=statement(problem, level.opened, say),
        kind=family.kind,
        gates=None,
        bits=family.size,
        qubits=family.size,
        measured=family.measured,
        calls=written[:shown],
        more=len(written) > shown,
    )
    known, notes = FRAMEWORKS[framework], []
    if family.stages > 1:
        notes.append(
            "The calls are judged separately. An answer is correct if all calls are correct. Feedback may state only "
            "how many calls are incorrect."
        )
    elif len(calls) > 1:
        notes.append(
            "Feedback may list up to three calls that failed. If feedback lists only one or two calls, all other calls "
            "passed."
        )
    if family.stages == 1 and family.kind == "unitary":
        zero = f"|{'0' * family.size}>"
        notes.append(
            "Feedback may show the output for one basis state. This state is the first one, in ascending order from "
            f"{zero}, that the circuit maps incorrectly. If only relative phases are incorrect, feedback shows the "
            f"basis state whose phase relative to {zero} has the largest error."
        )
    if known.last_bit_first and family.kind == "distribution":
        notes.append(f"Outcomes are listed as {known.title} prints them: the last character is classical bit 0.")
    return Task(
        suite=suite,
        id=level.task_id,
        framework=framework,
        entry_point=family.entry_point,
        prompt=f"{words}\n{' '.join(notes)}\n" if notes else words,
        starter=starter(framework, **signature, title=family.title, kind=family.kind),
        check=CIRCUIT_CHECKS[family.kind](
            cases=hypothesis.cases(calls), setup=setup(framework, family.parameters), **judged
        ),
        category=family.category,
        reference=RENDERERS[framework](family, list(zip(calls, hypothesis.circuits, strict=True))),
        reference_on=lambda args: RENDERERS[framework](family, [(args, problem.circuit(hypothesis.choice, args))]),
        title=f"{family.title}, {level.bits} bit{'' if level.bits == 1 else 's'} open",
        concepts=family.concepts,
    )


def statement(problem: Problem, opened: int, say: str) -> str:
    """Return the text of a problem. The text leaves the first `opened` of the problem's dimensions (conventions)
    unspecified.
    """
    dimensions = problem.family.dimensions
    settled = [dimension.options[problem.hidden[dimension.name]] for dimension in dimensions[opened:]]
    parts = [problem.family.statement.strip(), " ".join(settled), _open(dimensions[:opened], say)]
    return "\n\n".join(part for part in parts if part).format(**problem.constants)


def _open(dimensions: Sequence[Dimension], say: str) -> str:
    if not dimensions or say == "silent":
        return ""
    one = len(dimensions) == 1
    find = f"you may have to infer {'it' if one else 'them'}"
    if say == "named":
        *others, last = [dimension.about for dimension in dimensions]
        about = f"{', '.join(others)} and {last}" if others else last
        conventions = "The convention" if one else "The conventions"
        return f"{conventions} for {about} {'is' if one else 'are'} left unspecified, and {find}."
    questions = "; ".join(dimension.question for dimension in dimensions)
    conventions = "One convention is" if one else f"{_NUMBERS[len(dimensions)]} conventions are"
    return f"{conventions} left unspecified, and {find}: {questions}."


_NUMBERS = {2: "Two", 3: "Three", 4: "Four", 5: "Five", 6: "Six", 7: "Seven", 8: "Eight"}
