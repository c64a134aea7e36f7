"""Adversarial programs, which try to forge the verdict of a unit test and know only the name of the entry point.

Two programs pretend to be the process that runs the test. Four programs return an object that claims to be equal to any
other value.
"""

from __future__ import annotations

from repair_bench.suites.checks import UnitTestCheck
from repair_bench.suites.task import Task

_FORGING = """
import json
import os
import stat
import struct


def say(message, *kinds):
    body = json.dumps(message).encode()
    for number in range(3, 64):
        try:
            if stat.S_IFMT(os.fstat(number).st_mode) in kinds:
                os.write(number, struct.pack("!I", len(body)) + body)
        except OSError:
            continue


PASSED = {"status": "returned", "value": {"test": "passed"}}
"""

_FORGED_ANSWER = """
EXCEPTION = {"type": "KeyboardInterrupt", "message": "", "traceback": ""}
RAISED = {"module": "builtins", "name": "KeyboardInterrupt", "arguments": [], "origin": 0, "yours": None}


def forged(*arguments, **keywords):
    around, inside = {**PASSED, "exception": EXCEPTION}, {"status": "exception", "exception": {**EXCEPTION, **PASSED}}
    for told in (PASSED, around, inside, {**PASSED, "status": "memory"}, None):
        say({"raised": {**RAISED, "told": told}}, stat.S_IFSOCK)
    for told in (PASSED, {"value": True, "same": None, "changed": [], **PASSED}, {"raised": PASSED}):
        say(told, stat.S_IFSOCK)
    os._exit(0)
"""

_FORGED_RESULT = """

def forged(*arguments, **keywords):
    say(PASSED, stat.S_IFIFO, stat.S_IFSOCK)
    os._exit(0)
"""

_MOCK = """
from unittest import mock


def forged(*arguments, **keywords):
    return mock.{value}
"""

_EQUAL_TO_ALL = """
class Equal:
    __hash__ = None

    def __eq__(self, other):
        return True

    def __ne__(self, other):
        return False


def forged(*arguments, **keywords):
    return Equal()
"""

_EVERY_ATTRIBUTE = """
class Everything:
    __hash__ = None

    def __getattr__(self, name):
        if name.startswith("__array"):
            raise AttributeError(name)
        return self

    def __call__(self, *arguments, **keywords):
        return self

    def __bool__(self, *arguments):
        return True

    def __abs__(self, *arguments):
        return 0

    def __iter__(self):
        return iter(())

    def __len__(self):
        return 1

    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = __contains__ = __bool__
    __getitem__ = __getattr__
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __pow__ = __abs__
    __float__ = __int__ = __index__ = __abs__


METHODS = "equiv equals is_unitary is_valid to_operator to_matrix probabilities count_ops depth result get_counts"


def forged(*arguments, **keywords):
    everything = Everything()
    vars(everything).update(dict.fromkeys(METHODS.split(), everything))
    return everything
"""

ADVERSARIAL = {
    "forged_answer": _FORGING + _FORGED_ANSWER,
    "forged_result": _FORGING + _FORGED_RESULT,
    "mock_any": _MOCK.format(value="ANY"),
    "magic_mock": _MOCK.format(value="MagicMock()"),
    "equal_to_all": _EQUAL_TO_ALL,
    "every_attribute": _EVERY_ATTRIBUTE,
}
"""The adversarial programs, keyed by name. The entry point of each program is named `forged`. A unit test must reject
each adversarial program, unless the unit test accepts every program."""


def adversarial_programs(task: Task) -> dict[str, str]:
    """Return the programs, keyed by name (no programs for a task without a unit test).

    Each adversarial program also contains the task's reference solution.
    """
    if not isinstance(task.check, UnitTestCheck):
        return {}
    named = f"\n{task.entry_point} = forged\n"
    return {name: f"{task.reference or ''}\n{source}{named}" for name, source in ADVERSARIAL.items()}
