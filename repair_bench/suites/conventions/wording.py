"""What a prompt says of a problem's conventions: those that are settled, and of the open ones as much as is wanted."""

from __future__ import annotations

from collections.abc import Sequence

from repair_bench.frameworks import FRAMEWORKS
from repair_bench.suites.conventions.family import Dimension, Family
from repair_bench.suites.conventions.hypotheses import Problem

SAY = ("listed", "named", "silent")
"""What is said of the open conventions: each with its options; what they are about; nothing."""


def statement(problem: Problem, opened: int, say: str) -> str:
    """The problem in words, its first `opened` dimensions left open."""
    dimensions = problem.family.dimensions
    settled = [dimension.options[problem.hidden[dimension.name]] for dimension in dimensions[opened:]]
    parts = [problem.family.statement.strip(), " ".join(settled), _open(dimensions[:opened], say)]
    return "\n\n".join(part for part in parts if part).format(**problem.constants)


def _open(dimensions: Sequence[Dimension], say: str) -> str:
    if not dimensions or say == "silent":
        return ""
    one = len(dimensions) == 1
    find = f"you may have to find {'it' if one else 'them'} out"
    if say == "named":
        about = _joined([dimension.about for dimension in dimensions])
        what = "a convention" if one else "conventions"
        return f"We have {what} for {about} that {'is' if one else 'are'} not written down here; {find}."
    questions = "; ".join(dimension.question for dimension in dimensions)
    what = "One convention of ours is" if one else f"{_NUMBERS[len(dimensions)]} conventions of ours are"
    return f"{what} not written down here, and {find}: {questions}."


def feedback_note(family: Family, framework: str, calls: int) -> str:
    """How to read what feedback may show of a wrong answer to so many calls; empty where nothing can be mistaken."""
    known = FRAMEWORKS[framework]
    parts = []
    if calls > 1:
        parts.append("The calls that we show you of a wrong answer are ones that it got wrong, three at most.")
    if known.last_bit_first and family.kind == "distribution":
        parts.append(f"Its outcomes we show as {known.title} prints them: the last character is classical bit 0.")
    return " ".join(parts)


_NUMBERS = {2: "Two", 3: "Three", 4: "Four", 5: "Five", 6: "Six", 7: "Seven", 8: "Eight"}


def _joined(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
