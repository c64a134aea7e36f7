"""A taxonomy is an ordered table of rules: the first one that fits a verdict names it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from repair_bench.traces.records import Attempt, Verdict, VerdictKind
from repair_bench.traces.taxonomy.coarse import PASS


@dataclass(frozen=True)
class Rule:
    """One line of a table: it fits a verdict when every field that is set does.

    `kinds`: kinds of verdict. `why`: the reason, in a few words. `raised`: class names of exceptions; one that ends in
    "." fits every class of that package, an empty one fits where nothing was raised. `says`: regular expressions, one
    of which must be found in the exception's message. `mismatch`: what a wrong case must name, "shape" or "type".
    """

    name: str
    kinds: tuple[VerdictKind, ...]
    why: str
    raised: tuple[str, ...] = ()
    says: tuple[str, ...] = ()
    mismatch: str = ""

    def fits(self, verdict: Verdict) -> bool:
        if verdict.kind not in self.kinds:
            return False
        cls, message = raised(verdict)
        if self.raised and not any(_is(cls, wanted) for wanted in self.raised):
            return False
        if self.says and not any(re.search(pattern, message) for pattern in self.says):
            return False
        return not self.mismatch or self.mismatch in _mismatches(verdict)


@dataclass(frozen=True)
class Taxonomy:
    """Named classes of failures. `names`: all that the rules give, in the order they are printed."""

    name: str
    names: tuple[str, ...]
    rules: tuple[Rule, ...]
    note: str
    """To be printed where its shares stand beside published ones."""

    def of(self, verdict: Verdict) -> str:
        """The name that the first fitting rule gives; "pass" stays. The last rules of a table fit every failure."""
        if verdict.kind == "pass":
            return PASS
        return next(rule.name for rule in self.rules if rule.fits(verdict))

    def of_attempt(self, attempt: Attempt) -> str | None:
        """As `of`; None for a fault, which is no failure of a model and has no name."""
        return None if attempt.verdict is None else self.of(attempt.verdict)


def raised(verdict: Verdict) -> tuple[str, str]:
    """The qualified class and the message of what was raised in the program or in its unit test; "" when nothing."""
    evidence = verdict.evidence
    if verdict.kind == "exception":
        return str(evidence.get("type") or ""), str(evidence.get("message") or "")
    cls, _, message = str(evidence.get("assertion") or "").partition(": ")
    return cls, message


def class_name(qualified: str) -> str:
    """The name of a class without its modules."""
    return qualified.rpartition(".")[2]


def _is(cls: str, wanted: str) -> bool:
    if wanted.endswith("."):
        return cls.startswith(wanted)
    return class_name(cls) == wanted


def _mismatches(verdict: Verdict) -> set[object]:
    return {case.get("mismatch") for case in verdict.evidence.get("cases") or []}
