"""Running candidates of plain Python in real children of a real fork server."""

import asyncio
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from repair_bench.executors import Call, Limits, LocalExecutor, Program
from repair_bench.traces.records import Outcome

Execute = Callable[..., Outcome]


def plain(source: str, entry_point: str = "answer", *, cases=((),), setup="", seed=0, **limits: Any) -> Program:
    """A program for the adapter without a framework: its observations hold the `repr` of what was returned."""
    return Program("python", source, Call(entry_point, "state", tuple(cases), setup), Limits(**limits), seed)


@pytest.fixture(scope="session")
def executor() -> Iterator[LocalExecutor]:
    executor = LocalExecutor(workers=2)
    yield executor
    executor.shutdown()


@pytest.fixture(scope="session")
def execute(executor: LocalExecutor) -> Execute:
    """Runs one plain program on the shared executor, with its arguments as those of `plain`."""

    def run(source: str, *args: Any, **kwargs: Any) -> Outcome:
        return asyncio.run(executor.run(plain(source, *args, **kwargs)))

    return run


def returned(outcome: Outcome) -> Any:
    """The printed value of the only case."""
    assert outcome.status == "returned", outcome
    (case,) = outcome.value["cases"]
    return case["repr"]
