"""Missing imports of a unit test: a suite error, never a failure of the candidate."""

from typing import Any

import pytest

from repair_bench.coroutines import run_to_end
from repair_bench.executors.local import LocalExecutor
from repair_bench.executors.program import Program, UnitTest
from repair_bench.traces.faults import SuiteError
from repair_bench.traces.record.records import Outcome

RIGHT = "def answer(): return 1"
WAYS = ("stub", "guarded", None)
ABSENT = "cannot import name 'absent' from 'json'"


def judged(executor: LocalExecutor, source: str, test: str, **more: Any) -> Outcome:
    call = UnitTest(entry_point="answer", test=test, function="check", passes_candidate=True, **more)
    return run_to_end(executor.run(Program("python", source, call)))


@pytest.mark.parametrize("sealing", WAYS)
@pytest.mark.parametrize(
    "test",
    [
        "from json import absent\ndef check(answer): assert answer() == 1",
        "def check(answer):\n    if True:\n        from json import absent\n    assert answer() == 1",
    ],
)
def test_a_missing_import_is_a_suite_error_that_names_it(executor: LocalExecutor, sealing: Any, test: str) -> None:
    for source in (RIGHT, "def answer(): return 2", "not Python"):
        with pytest.raises(SuiteError, match=ABSENT):
            judged(executor, source, test, sealing=sealing)


@pytest.mark.parametrize("sealing", WAYS)
def test_a_missing_import_of_the_preamble_is_a_suite_error(executor: LocalExecutor, sealing: Any) -> None:
    with pytest.raises(SuiteError, match=ABSENT):
        judged(executor, RIGHT, "def check(answer): pass", sealing=sealing, preamble="from json import absent")


@pytest.mark.parametrize("sealing", WAYS)
def test_an_import_in_a_try_block_may_fail(executor: LocalExecutor, sealing: Any) -> None:
    test = "try:\n    from json import absent as one\nexcept ImportError:\n    one = 1\n"
    test += "def check(answer): assert answer() == one"
    outcome = judged(executor, RIGHT, test, sealing=sealing)
    assert outcome.value is not None
    assert outcome.value["test"] == "passed"


@pytest.mark.parametrize("sealing", WAYS)
def test_a_missing_import_of_the_candidate_is_an_exception(executor: LocalExecutor, sealing: Any) -> None:
    test = "import json\ndef check(answer): assert answer() == 1"
    outcome = judged(executor, "from json import absent\n" + RIGHT, test, sealing=sealing)
    assert outcome.exception is not None
    assert outcome.exception.type == "ImportError"


@pytest.mark.parametrize("sealing", WAYS)
def test_a_candidate_cannot_cause_a_suite_error(executor: LocalExecutor, sealing: Any) -> None:
    test = "from json import dumps\ndef check(answer): assert answer() == dumps(1)"
    outcome = judged(executor, "import json, sys\ndel json.dumps\ndef answer(): return 2", test, sealing=sealing)
    assert outcome.value is None or outcome.value["test"] != "passed"


def test_an_invalid_test_is_a_suite_error(executor: LocalExecutor) -> None:
    for sealing in WAYS:
        with pytest.raises(SuiteError, match="not valid Python"):
            judged(executor, RIGHT, "def check(", sealing=sealing)
