"""Trivial baselines: constants, the argument returned unchanged, an empty circuit, a Hadamard gate on each qubit.

If a check accepts an incorrect trivial baseline (see `if_right`), a pass provides little evidence of correctness.

The programs in `FORMED` return answers in the same form as the expected answer. If the task's check is a
`CircuitCheck`, this check specifies the form of the expected answer. If the task has a unit test, the baseline first
runs the reference on copies of the arguments. A baseline for a unit test returns an array with the same shape, a dict
with the same keys, or a circuit with the same qubits and bits as the reference's answer. If the reference returns
counts, their keys are not copied, because the keys would reveal the answer. The baseline assigns all shots to a single
outcome.
"""

from __future__ import annotations

from repair_bench.frameworks import FRAMEWORKS
from repair_bench.suites.checks import CircuitCheck, DistributionCheck, UnitTestCheck
from repair_bench.suites.task import Task

FORMED = {"empty": 0, "hadamards": 1, "measured": 0, "reset": 0}
"""The trivial baselines whose answers have the same form as the expected answer. Each baseline's name is mapped to a
number. The baseline returns the expected answer with every number replaced by the mapped number. If the expected answer
is a circuit, the baseline returns an empty circuit, a circuit of measurements only, or the given circuit with a
Hadamard gate or a reset on each qubit."""

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
"""The function bodies of the trivial baselines whose answers do not depend on the expected answer, keyed by name. In
these function bodies, the variable `given` is the list of the call's arguments."""

TRIVIAL = (*FORMED, *FIXED)

_FIXED = """

def _baseline(reference, given):
    {body}
"""

_FORMED = """

def _baseline(reference, given):
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

_unchecked = _baseline


def _baseline(reference, given):
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
            return _baseline(referred, [*arguments, *keywords.values()])
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
    """Return the source code of a task's trivial baselines, keyed by name. For a unit test, each program contains the
    reference, which the test may use.
    """
    if isinstance(task.check, CircuitCheck):
        return _circuits(task, task.check) | {name: _program(task, name) for name in FIXED}
    is_formed = isinstance(task.check, UnitTestCheck) and task.reference is not None
    return {name: _program(task, name) for name in (TRIVIAL if is_formed else FIXED)}


def if_right(task: Task, name: str) -> str:
    """Return a trivial baseline for a unit test. The baseline raises an exception if its answer differs from the
    reference's.

    Circuits are compared by their unitaries, up to a global phase; circuits with a reset, by the prepared state; and
    circuits with measurements, gate by gate.
    """
    return _program(task, name, _IF_RIGHT)


def _program(task: Task, name: str, more: str = "") -> str:
    baseline = _FIXED.format(body=FIXED[name]) if name in FIXED else _FORMED.format(name=name, fill=FORMED[name])
    before = (task.reference or "") if isinstance(task.check, UnitTestCheck) else ""
    circuits = FRAMEWORKS[task.framework].trivial_baselines
    formed = (circuits and circuits.formed) or _NO_CIRCUITS
    return before + baseline + formed + more + _INSTEAD.format(entry_point=task.entry_point)


def _circuits(task: Task, check: CircuitCheck) -> dict[str, str]:
    baselines = FRAMEWORKS[task.framework].trivial_baselines
    if baselines is None:
        return {}
    expected = check.cases[0].expected
    if isinstance(check, DistributionCheck):
        size = len(next(iter(expected)))
    else:
        size = check.qubits or len(expected).bit_length() - 1
    template, words = baselines.programs[check.observe], {"entry_point": task.entry_point, "size": size}
    return {name: template.format(gates=text.format(**words), **words) for name, text in baselines.gates.items()}
