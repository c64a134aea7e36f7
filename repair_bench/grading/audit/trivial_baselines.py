"""Programs without an idea: constants, the argument as it was, a circuit without gates, a Hadamard gate on each qubit.

A check that lets one of them pass says little about the answers that it lets pass, unless the task asks for no more:
`if_right` tells such a blank from the others.

Those of `FORMED` have the form of the answer. A circuit check says it. Of a unit test the reference does, which runs
beside them on copies of what they are given: an array of its answer's shape, a dict of its keys, a circuit of its
qubits and bits. Of counts the keys would be the answer: there all shots have one outcome.
"""

from __future__ import annotations

from repair_bench.frameworks import FRAMEWORKS
from repair_bench.suites.checks import CircuitCheck, DistributionCheck, UnitTestCheck
from repair_bench.suites.task import Task

FORMED = {"empty": 0, "hadamards": 1, "measured": 0, "reset": 0}
"""By name, what the numbers of an answer are. A circuit has no gate; no gate and measurements; or what was given, where
that is a circuit, and a Hadamard gate or a reset on each qubit."""

FIXED = {
    "nothing": "return None",
    "zero": "return 0",
    "one": "return 1",
    "true": "return True",
    "empty_list": "return []",
    "empty_text": "return ''",
    "first_argument": "return next(iter(given), None)",
    "emptied_arguments": """
    for value in given:
        if hasattr(value, "clear"):
            value.clear()
        elif hasattr(value, "fill"):
            value.fill(0)
    return next(iter(given), None)
""",
    "numbers": """
    asked = [value for value in given if type(value) is int and 0 < value < 1000]
    return [number % 2 for number in range(asked[0])] if asked else 0
""",
    "raises": "raise RuntimeError('no idea')",
    "exits": "__import__('os')._exit(0)",
}
"""By name, what is done with the list of arguments, `given`. `numbers`: as many as an argument says."""

BLANKS = (*FORMED, *FIXED)
"""Their names."""

_FIXED = """

def _blank(reference, given):
    {body}
"""

_FORMED = """

def _blank(reference, given):
    try:
        wanted = reference()
    except Exception:  # where the reference is broken, the answer may have the form of what is given
        wanted = next(iter(given), None)
    return _formed(wanted, given)


def _formed(wanted, given):
    import numpy

    if isinstance(wanted, dict):
        key = next(iter(wanted), None)
        if key and all(isinstance(key, str) and set(key) <= set("01 ") for key in wanted):
            return {{key.replace("0", "{fill}").replace("1", "{fill}"): sum(wanted.values())}}
        return {{key: _formed(value, given) for key, value in wanted.items()}}
    if isinstance(wanted, (list, tuple)):
        return type(wanted)([_formed(value, given) for value in wanted])
    if isinstance(wanted, str):
        return "{fill}" * len(wanted)
    if isinstance(wanted, (bool, int, float, complex)):
        return type(wanted)({fill})
    if isinstance(wanted, (numpy.ndarray, numpy.generic)):
        return numpy.full_like(wanted, {fill})
    return _circuit_like(wanted, given, "{name}")
"""

_IF_RIGHT = """

_unchecked = _blank


def _blank(reference, given):
    wanted = reference()
    found = _unchecked(reference, given)
    if not _alike(wanted, found):
        raise RuntimeError("not what the reference returns")
    return found


def _alike(wanted, found):
    import numpy

    numbers = (bool, int, float, complex, numpy.ndarray, numpy.generic)
    if isinstance(wanted, dict) and isinstance(found, dict):
        return wanted.keys() == found.keys() and all(_alike(wanted[key], found[key]) for key in wanted)
    if isinstance(wanted, (list, tuple)) and isinstance(found, (list, tuple)):
        return len(wanted) == len(found) and all(map(_alike, wanted, found))
    if isinstance(wanted, numbers) and isinstance(found, numbers):
        return numpy.shape(wanted) == numpy.shape(found) and bool(numpy.allclose(wanted, found))
    return wanted is not None and type(wanted) is type(found) and _circuits_alike(wanted, found)
"""

_INSTEAD = """

def _instead_of(reference):
    import copy

    inside = []

    def answer(*arguments, **keywords):
        def referred():
            return reference(*copy.deepcopy(arguments), **copy.deepcopy(keywords))

        if inside:  # the reference calls itself by name
            return reference(*arguments, **keywords)
        inside.append(True)
        try:
            return _blank(referred, [*arguments, *keywords.values()])
        finally:
            inside.clear()

    return answer


{entry_point} = _instead_of(globals().get("{entry_point}"))
"""


_NO_CIRCUITS = """

def _circuit_like(wanted, given, name):
    raise TypeError("no form is known of " + type(wanted).__name__)


def _circuits_alike(wanted, found):
    return bool(wanted == found)
"""


def trivial_baselines(task: Task) -> dict[str, str]:
    """The programs by name; those that have a form, where it is known.

    A unit test may use all that the reference defines, so that stands in them too.
    """
    if isinstance(task.check, CircuitCheck):
        return _circuits(task, task.check) | {name: _program(task, name) for name in FIXED}
    if not isinstance(task.check, UnitTestCheck):
        return {}
    return {name: _program(task, name) for name in (FIXED if task.reference is None else BLANKS)}


def if_right(task: Task, name: str) -> str:
    """The blank of a unit test as a program that raises where the reference returns something else.

    A test that it passes gives it nothing for which the blank is wrong. Numbers are compared as numpy does; circuits by
    their unitary, up to a global phase; those that reset, by the state that they prepare; those that measure, gate by
    gate.
    """
    return _program(task, name, _IF_RIGHT)


def _program(task: Task, name: str, more: str = "") -> str:
    blank = _FIXED.format(body=FIXED[name]) if name in FIXED else _FORMED.format(name=name, fill=FORMED[name])
    before = (task.reference or "") if isinstance(task.check, UnitTestCheck) else ""
    circuits = FRAMEWORKS[task.framework].trivial_baselines
    formed = (circuits and circuits.formed) or _NO_CIRCUITS
    return before + blank + formed + more + _INSTEAD.format(entry_point=task.entry_point)


def _circuits(task: Task, check: CircuitCheck) -> dict[str, str]:
    blanks = FRAMEWORKS[task.framework].trivial_baselines
    if blanks is None:
        return {}
    template, words = blanks.programs[check.observe], {"entry_point": task.entry_point, "size": size(check)}
    return {name: template.format(gates=text.format(**words), **words) for name, text in blanks.gates.items()}


def size(check: CircuitCheck) -> int:
    """Measured bits of a distribution, qubits of a state or a unitary."""
    expected = check.cases[0].expected
    if isinstance(check, DistributionCheck):
        return len(next(iter(expected)))
    return int(check.qubits or len(expected).bit_length() - 1)
