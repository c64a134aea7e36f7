"""A taxonomy is an ordered table of rules: the first one that fits a verdict names it."""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass
from typing import NamedTuple

from repair_bench.analysis.taxonomy.coarse import PASS
from repair_bench.traces.record.records import Verdict, VerdictKind


class Symptoms(NamedTuple):
    """What rules may look at. `raised`, `message`: the qualified class name and the message of what was raised, in the
    program or in its unit test; "" when nothing was. `mismatches`: those named by the wrong cases.
    """

    kind: VerdictKind
    raised: str
    message: str
    mismatches: frozenset[str | None]

    @classmethod
    def of(cls, verdict: Verdict) -> Symptoms:
        evidence = verdict.evidence
        if verdict.kind == "exception":
            raised, message = str(evidence.get("type") or ""), str(evidence.get("message") or "")
        else:
            raised, _, message = str(evidence.get("assertion") or "").partition(": ")
        mismatches = frozenset(case.get("mismatch") for case in evidence.get("cases") or [])
        return cls(verdict.kind, raised, message, mismatches)


@dataclass(frozen=True)
class ErrorRule:
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

    def fits(self, symptoms: Symptoms) -> bool:
        return (
            symptoms.kind in self.kinds
            and (not self.raised or any(_is(symptoms.raised, wanted) for wanted in self.raised))
            and (not self.says or any(re.search(pattern, symptoms.message) for pattern in self.says))
            and (not self.mismatch or self.mismatch in symptoms.mismatches)
        )


@dataclass(frozen=True, eq=False)
class Taxonomy:
    """Named classes of failures. `names`: all that the rules give, in the order they are printed."""

    name: str
    names: tuple[str, ...]
    rules: tuple[ErrorRule, ...]
    note: str
    """To be printed where its shares stand beside published ones."""

    def of(self, verdict: Verdict) -> str:
        """The name that the first fitting rule gives; "pass" stays. The last rules of a table fit every failure."""
        if verdict.kind == "pass":
            return PASS
        return _name(self, Symptoms.of(verdict))


@functools.lru_cache(maxsize=10_000)
def _name(taxonomy: Taxonomy, symptoms: Symptoms) -> str:
    return next(rule.name for rule in taxonomy.rules if rule.fits(symptoms))


def class_name(qualified: str) -> str:
    """The name of a class without its modules."""
    return qualified.rpartition(".")[2]


def _is(cls: str, wanted: str) -> bool:
    if wanted.endswith("."):
        return cls.startswith(wanted)
    return class_name(cls) == wanted
