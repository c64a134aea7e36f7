"""Programs for the adapter without a framework, whose observations contain the `repr` of the returned value."""

import textwrap
from typing import Any

from repair_bench.executors.program import Call, Limits, Program
from repair_bench.traces.record.records import Outcome


def plain(source: str, entry_point: str = "answer", *, cases=((),), setup="", seed=0, **limits: Any) -> Program:
    call = Call(entry_point, "state", tuple(cases), setup)
    return Program("python", textwrap.dedent(source).lstrip("\n"), call, Limits(**limits), seed)


def returned(outcome: Outcome) -> str:
    """Return the printed value of the only case."""
    assert outcome.status == "returned", outcome
    (case,) = outcome.value["cases"]
    return case["repr"]
