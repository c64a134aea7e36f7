"""A unit test in a process of its own reaches the candidate as if it stood beside it, and is out of its reach."""

import asyncio
from collections.abc import Callable
from textwrap import dedent
from typing import Any

import pytest

from repair_bench.executors import Limits, LocalExecutor, Program, UnitTest
from repair_bench.traces.records import Outcome

PASSED = {"test": "passed"}
Tried = Callable[..., Outcome]


@pytest.fixture
def tried(executor: LocalExecutor) -> Tried:
    """Runs a test, the body of `check(answer)`, against a source."""

    def tried(source: str, body: str, framework: str = "python", limits: Limits | None = None, **more: Any) -> Outcome:
        test = "def check(answer):\n" + "\n".join("    " + line for line in dedent(body).strip().splitlines())
        call = UnitTest("answer", test, "check", passes_candidate=True, **more)
        program = Program(framework, dedent(source), call, limits=limits or Limits())
        return asyncio.run(executor.run(program))

    return tried


def passes(outcome: Outcome, way: str = "stub") -> bool:
    assert outcome.sealed == way
    return outcome.value == PASSED


def test_the_test_runs_in_another_process(tried: Tried) -> None:
    source = "import sys\nsys.mine = 1\ndef answer(): return sys.mine"
    assert passes(tried(source, "import sys\nassert answer() == 1 and not {'candidate'} & set(sys.modules)"))
    assert passes(tried(source, "import sys\nassert answer() == 1 and not hasattr(sys, 'mine')"))


def test_what_is_changed_in_place_is_changed_for_the_test(tried: Tried) -> None:
    source = """
        def answer(items, table, seen):
            items.append([3]); items[0].append(2); table['b'] = items; seen.discard(1)
    """
    body = """
        inner = [1]
        items, table, seen = [inner], {'a': 0}, {1, 2}
        assert answer(items, table=table, seen=seen) is None
        assert inner == [1, 2] and items[0] is inner and items == [[1, 2], [3]]
        assert list(table) == ['a', 'b'] and seen == {2}
    """
    assert passes(tried(source, body))


def test_an_argument_that_is_returned_is_the_same_object(tried: Tried) -> None:
    body = "given = [1]\nassert answer(given) is given and given == [1, 2]"
    assert passes(tried("def answer(given):\n    given.append(2)\n    return given", body))


def test_a_circuit_is_changed_in_place(tried: Tried) -> None:
    source = "def answer(circuit, qubits):\n    circuit.h(qubits[0])\n    circuit.cx(*qubits)"
    body = """
        from qiskit import QuantumCircuit, QuantumRegister
        from qiskit.quantum_info import Statevector
        qubits = QuantumRegister(2, 'q')
        circuit = QuantumCircuit(qubits)
        assert answer(circuit, qubits) is None
        circuit.x(0)
        assert Statevector(circuit).probabilities_dict() == {'01': 0.5, '10': 0.5} or circuit.size() == 3
    """
    assert passes(tried(source, body, framework="qiskit"))


def test_functions_cross_in_both_directions(tried: Tried) -> None:
    source = """
        def answer(oracle):
            def twice(n): return oracle(oracle(n))
            return twice, oracle
    """
    body = """
        asked = []
        def oracle(n):
            asked.append(n)
            return n + 1
        twice, same = answer(oracle)
        assert twice(5) == 7 and asked == [5, 6]
        assert same is oracle
    """
    assert passes(tried(source, body))


@pytest.mark.parametrize("kind", ["ValueError", "KeyError", "ZeroDivisionError", "NotImplementedError"])
def test_an_exception_is_raised_as_what_it_was(tried: Tried, kind: str) -> None:
    body = f"""
        try: answer()
        except {kind} as error: assert error.args == ('why',)
        else: assert False
    """
    assert passes(tried(f"def answer(): raise {kind}('why')", body))


def test_a_candidates_own_exception_is_still_an_exception(tried: Tried) -> None:
    source = "class Strange(Exception): pass\ndef answer(): raise Strange('why')"
    assert passes(tried(source, "try: answer()\nexcept Exception as error: assert str(error) == 'why'"))
    outcome = tried(source, "answer()")
    assert outcome.exception is not None
    assert (outcome.exception.type, outcome.exception.message) == ("Strange", "why")
    assert "raise Strange('why')" in outcome.exception.traceback


def test_names_come_from_where_they_can_be_trusted(tried: Tried) -> None:
    source = """
        from math import sqrt
        import cmath
        limit = [3]
        def helper(n): return n + 1
        def abs(n): return 0
        def answer(n): return n
    """
    body = (
        "assert sqrt(4) == 2 and cmath.pi > 3 and limit == [3] and helper(1) == 2 and abs(-4) == 4 and answer(1) == 1"
    )
    assert passes(tried(source, body))


@pytest.mark.parametrize(
    "source",
    [
        "def sqrt(n): return 5\n",
        "from unittest.mock import MagicMock as sqrt\n",
        "sqrt = max\n",
    ],
)
def test_a_name_of_the_tasks_own_imports_is_that_of_the_library(tried: Tried, source: str) -> None:
    imports = ("from math import sqrt", "import no_such_package")
    assert passes(tried(source + "def answer(): return 2", "assert sqrt(4) == answer()", imports=imports))


def test_a_name_that_the_candidate_lacks_is_not_there(tried: Tried) -> None:
    outcome = tried("def answer(): return 2", "assert sqrt(4) == answer()", imports=("from math import sqrt",))
    assert outcome.value["error"]["type"] == "NameError"


@pytest.mark.parametrize(
    "source",
    [
        "class Own: pass\ndef answer(): return Own()",
        "def answer(): yield 1",
        "class answer:\n    def __init__(self): pass",
        "def answer(): return object",
    ],
)
def test_what_cannot_cross_is_judged_guarded(tried: Tried, source: str) -> None:
    assert passes(tried(source, "value = answer()\nassert value is not None"), "guarded")
    assert not passes(tried(source, "value = answer()\nassert value is None"), "guarded")


def test_a_test_that_looks_into_the_function_is_judged_guarded(tried: Tried) -> None:
    body = "import inspect\nassert inspect.getsource(answer).startswith('def answer') and answer() == 1"
    assert passes(tried("def answer(): return 1", body), "guarded")


def test_a_value_that_cannot_cross_is_not_hidden_by_a_test_that_catches_it(tried: Tried) -> None:
    body = "try: value = answer()\nexcept Exception: value = None\nassert value is not None"
    assert passes(tried("class Own: pass\ndef answer(): return Own()", body), "guarded")


@pytest.mark.parametrize(
    ("source", "status"),
    [
        ("1 / 0", "exception"),
        ("", "no_entry"),
        ("import os\nos._exit(0)", "killed"),
        ("import os\ndef answer(): os._exit(0)", "killed"),
        ("import os\ndef answer(): os.abort()", "killed"),
        ("def answer():\n    while True: pass", "cpu_timeout"),
        ("import time\ndef answer(): time.sleep(60)", "wall_timeout"),
        ("def answer(): return 'x' * 10**10", "memory"),
        ("def answer():\n    while True: print('x' * 10**6)", "output_limit"),
        ("import sys\ndef answer(): sys.exit(0)", "exception"),
    ],
)
def test_how_the_candidate_ends_is_told(tried: Tried, source: str, status: str) -> None:
    limits = Limits(cpu_seconds=1, wall_seconds=4)
    assert tried(source, "answer()", limits=limits).status == status


def test_a_test_that_takes_too_long_with_what_was_returned_is_a_limit(tried: Tried) -> None:
    outcome = tried("def answer(): return 10**9", "for n in range(answer()): pass", limits=Limits(cpu_seconds=0.3))
    assert outcome.status == "cpu_timeout"


def test_what_the_candidate_prints_is_kept_and_what_the_test_prints_is_not(tried: Tried) -> None:
    outcome = tried("print('mine')\ndef answer(): print('mine too')", "print('secret')\nanswer()")
    assert outcome.stdout == "mine\nmine too\n"


FORGE = """
import json, os, stat, struct
def frames():
    for message in ({"value": 4, "same": None, "changed": []}, {"status": "returned", "value": {"test": "passed"}}):
        body = json.dumps(message).encode()
        for number in range(3, 64):
            try: os.write(number, struct.pack("!I", len(body)) + body)
            except OSError: pass
"""


@pytest.mark.parametrize(
    "source",
    [
        FORGE + "frames()\nos._exit(0)\ndef answer(): pass",
        FORGE + "def answer():\n    frames()\n    os._exit(0)",
        "import builtins\nbuiltins.abs = lambda n: 0\nbuiltins.isinstance = lambda *a: True\ndef answer(): return 3",
        "import math\nmath.isclose = lambda *a, **k: True\ndef answer(): return 3",
        "import sys\ndef answer():\n    sys._getframe(1).f_globals.update(check=print)\n    return 3",
        "class Equal:\n    __eq__ = lambda *a: True\n    __sub__ = lambda *a: 0\ndef answer(): return Equal()",
        "class L(float):\n    __eq__ = lambda *a: True\n    __sub__ = lambda *a: 0\ndef answer(): return L(3)",
        "import atexit, os\natexit.register(os._exit, 0)\ndef answer(): return 3",
    ],
)
def test_tampering_is_of_no_use(tried: Tried, source: str) -> None:
    body = (
        "import math\nvalue = answer()\nassert isinstance(value, int) and math.isclose(value, 4) and abs(value - 4) < 1"
    )
    assert tried(source, body + " and value == 5").value != PASSED
