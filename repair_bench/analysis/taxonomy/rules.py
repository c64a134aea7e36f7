"""Taxonomies as ordered tables of rules: the first rule that matches a verdict determines its class."""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass
from typing import NamedTuple

from repair_bench.analysis.taxonomy.coarse import PASS
from repair_bench.traces.record.records import Verdict, VerdictKind


class Symptoms(NamedTuple):
    """The properties of a verdict to which error rules refer.

    `raised`, `message`: the qualified class and the message of an exception in the program or its unit test ("" without
    an exception). `mismatches`: the kinds of mismatches in test cases.
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
    """A rule that matches a verdict if all its nonempty fields match.

    `raised`: class names of exceptions; a name that ends in "." matches a package, and "" matches no exception.
    `patterns`: regular expressions for the message. `mismatch`: "shape" or "type".
    """

    name: str
    kinds: tuple[VerdictKind, ...]
    why: str
    raised: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()
    mismatch: str = ""

    def fits(self, symptoms: Symptoms) -> bool:
        return (
            symptoms.kind in self.kinds
            and (not self.raised or any(_is(symptoms.raised, wanted) for wanted in self.raised))
            and (not self.patterns or any(re.search(pattern, symptoms.message) for pattern in self.patterns))
            and (not self.mismatch or self.mismatch in symptoms.mismatches)
        )


@dataclass(frozen=True, eq=False)
class Taxonomy:
    """A named list of failure classes, in printing order. `note`: printed with its shares."""

    name: str
    names: tuple[str, ...]
    rules: tuple[ErrorRule, ...]
    note: str

    def of(self, verdict: Verdict) -> str:
        """Return the class of a verdict, or "pass" if the answer passed.

        The rules of a taxonomy together match every failure, so every failure has a class.
        """
        if verdict.kind == "pass":
            return PASS
        return _name(self, Symptoms.of(verdict))


@functools.lru_cache(maxsize=10_000)
def _name(taxonomy: Taxonomy, symptoms: Symptoms) -> str:
    return next(rule.name for rule in taxonomy.rules if rule.fits(symptoms))


def class_name(qualified: str) -> str:
    return qualified.rpartition(".")[2]


def _is(cls: str, wanted: str) -> bool:
    if wanted.endswith("."):
        return cls.startswith(wanted)
    return class_name(cls) == wanted
