"""Unit tests in a separate process: a test uses the candidate as in one process, and the candidate cannot change it."""

from collections.abc import Callable
from textwrap import dedent
from typing import Any

import pytest

from repair_bench.coroutines import run_to_end
from repair_bench.executors.local import LocalExecutor
from repair_bench.executors.program import Limits, Program, UnitTest
from repair_bench.traces.record.records import Outcome

pytestmark = pytest.mark.slow

PASSED = {"test": "passed"}
Tried = Callable[..., Outcome]


@pytest.fixture
def tried(executor: LocalExecutor) -> Tried:
    """Run an isolated test, given as the body of `check(answer)`, against a source."""

    def tried(source: str, body: str, framework: str = "python", limits: Limits | None = None, **more: Any) -> Outcome:
        test = "def check(answer):\n" + "\n".join("    " + line for line in dedent(body).strip().splitlines())
        call = UnitTest(entry_point="answer", test=test, function="check", passes_candidate=True, **more)
        program = Program(framework, dedent(source), call, limits=limits or Limits())
        return run_to_end(executor.run(program))

    return tried


def passes(outcome: Outcome, way: str = "stub") -> bool:
    assert outcome.sealed == way
    return outcome.status == "returned" and outcome.value["test"] == "passed"


def test_the_test_runs_in_another_process(tried: Tried) -> None:
    source = "import sys\nsys.mine = 1\ndef answer(): return sys.mine"
    assert passes(tried(source, "import sys\nassert answer() == 1 and not {'candidate'} & set(sys.modules)"))
    assert passes(tried(source, "import sys\nassert answer() == 1 and not hasattr(sys, 'mine')"))


def test_the_test_sees_arguments_changed_in_place(tried: Tried) -> None:
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


def test_a_returned_argument_keeps_its_identity(tried: Tried) -> None:
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
def test_an_exception_keeps_its_class(tried: Tried, kind: str) -> None:
    body = f"""
        try: answer()
        except {kind} as error: assert error.args == ('why',)
        else: assert False
    """
    assert passes(tried(f"def answer(): raise {kind}('why')", body))


def test_an_unknown_exception_class_becomes_a_remote_error(tried: Tried) -> None:
    source = "class Strange(Exception): pass\ndef answer(): raise Strange('why')"
    assert passes(tried(source, "try: answer()\nexcept Exception as error: assert str(error) == 'why'"))
    outcome = tried(source, "answer()")
    assert outcome.exception is not None
    assert (outcome.exception.type, outcome.exception.message) == ("Strange", "why")
    assert "raise Strange('why')" in outcome.exception.traceback


def test_names_of_the_test_come_from_trusted_sources(tried: Tried) -> None:
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
def test_an_imported_name_of_the_task_is_the_librarys(tried: Tried, source: str) -> None:
    imports = ("from math import sqrt", "import no_such_package")
    assert passes(tried(source + "def answer(): return 2", "assert sqrt(4) == answer()", imports=imports))


def test_a_name_missing_in_the_candidate_is_a_name_error(tried: Tried) -> None:
    outcome = tried("def answer(): return 2", "assert sqrt(4) == answer()", imports=("from math import sqrt",))
    assert outcome.value["error"]["type"] == "NameError"


OBJECT = "class Own:\n    n = 3\n    def __init__(self): self.m = [4]\n"


@pytest.mark.parametrize(
    ("source", "body"),
    [
        (OBJECT + "mine = Own()\ndef answer(): return mine", "assert answer() == answer() and answer() is answer()"),
        (OBJECT + "def answer(): return Own()", "assert answer().m == [4] and answer() == answer() != None"),
        (OBJECT + "def answer(value=None): return value or [Own()]", "one = answer()\nassert answer(one)[0] is one[0]"),
        ("def answer():\n    yield 1\n    yield [2]", "assert list(answer()) == [1, [2]]"),
        ("def answer(): return map(str, range(3))", "assert list(answer()) == ['0', '1', '2']"),
        ("def answer(items): return sum(items)", "assert answer(n for n in (1, 2)) == 3"),
        ("class answer:\n    def __init__(self, n): self.n = n", "assert answer(3).n == 3"),
        ("import functools\nanswer = functools.partial(max, 3)", "assert answer(4) == 4"),
        (
            "class Call:\n    def __call__(self, n): return n + 1\ndef answer(): return Call()",
            "assert answer()(3) == 4",
        ),
        ("def answer(): return dict", "assert answer()(a=1) == {'a': 1}"),
        (
            "from collections import *\nP=namedtuple('P', 'x y')\ndef answer(): return P(1, 2), defaultdict(int, a=1)",
            "point, table = answer()\nassert point == (1, 2) and point.y == 2 and table['b'] == 0 and table['a'] == 1",
        ),
        (
            "class D(dict):\n    pass\nclass N(int):\n    pass\ndef answer(): return D(a=N(3)), [N(4)]",
            "assert answer() == ({'a': 3}, [4])",
        ),
        ("import enum\nclass E(enum.Enum): A = 1\ndef answer(): return E.A", "assert answer().name == 'A'"),
    ],
)
def test_objects_of_unknown_classes_become_distinct_proxies(tried: Tried, source: str, body: str) -> None:
    assert passes(tried(source, body))


@pytest.mark.parametrize(
    "result",
    [
        "unittest.mock.ANY",
        "unittest.mock.MagicMock()",
        "type('All', (), dict.fromkeys(['__eq__', '__bool__', '__len__', '__lt__'], lambda *a: True))()",
        "type('All', (), {'__class__': property(lambda s: int), '__eq__': lambda *a: True})()",
        "type('All', (int,), {'__eq__': lambda *a: True, '__sub__': lambda *a: 0, '__abs__': lambda *a: 0})(7)",
        "type('All', (str,), {'__eq__': lambda *a: True, '__hash__': lambda s: 1})('xx')",
        "type('All', (), {'__getattr__': lambda s, n: (lambda *a, **k: True)})()",
    ],
)
@pytest.mark.parametrize(
    "body",
    [
        "assert answer() == 3",
        "assert answer() in (3, 4)",
        "assert abs(answer() - 3) < 0.1",
        "assert not answer() != 3",
        "assert answer().equiv(3)",
        "assert len(answer()) == 1",
        "assert isinstance(answer(), int) and answer() != 7",
        "if not answer(): raise AssertionError\nassert 3 <= answer() <= 3",
        "assert answer() and answer() not in ('x', 'xx', 7)",
    ],
)
def test_comparison_methods_of_returned_objects_are_ignored(tried: Tried, result: str, body: str) -> None:
    outcome = tried(f"import unittest.mock\ndef answer(): return {result}", body)
    assert outcome.sealed == "stub"
    assert outcome.value["test"] == "failed"


GIVEN = """
import enum
class Table:
    def __init__(self, bits): self.bits = bits
    def __eq__(self, other): return self.bits == other.bits
class Letter(enum.Enum):
    X = 'X'
    Y = 'Y'
"""


def test_objects_of_task_classes_cross_by_their_attributes(tried: Tried) -> None:
    body = """
        table = Table(4)
        assert answer(table, Letter.X) == (Table(5), [Letter.Y]) and table.bits == 5
        assert isinstance(answer(table, Letter.Y)[0], Table)
    """
    source = GIVEN + "def answer(table, letter):\n    table.bits += 1\n    return Table(table.bits), [Letter.Y]"
    assert passes(tried(source, body, classes=GIVEN))
    lies = "\nTable.__eq__ = lambda *a: True\ndef answer(table, letter): return Table(9), [Letter.Y]"
    assert tried(GIVEN + lies, body, classes=GIVEN).value["test"] == "failed"


@pytest.mark.parametrize(
    "source",
    [
        "import types\ndef answer(): return types.SimpleNamespace(bits=3, agrees=lambda: True)",
        "class Own:\n    bits = 3\n    agrees = property(lambda self: lambda: True)\ndef answer(): return Own()",
        "import collections\ndef answer(): return collections.namedtuple('Own', 'bits agrees')(3, lambda: True)",
        "def answer():\n    table = Table(3)\n    table.agrees = lambda: True\n    return table",
        "def answer():\n    table = Table(3)\n    table.equiv = lambda: True\n    return table",
    ],
)
def test_methods_of_a_candidates_class_are_not_called(tried: Tried, source: str) -> None:
    given = "class Table:\n    def __init__(self, bits): self.bits = bits\n    def agrees(self): return self.bits > 3\n"
    body = "got = answer()\nassert getattr(got, 'equiv', got.agrees)()"
    assert tried(given + source, body, classes=given).value["test"] == "failed"
    right = given + "def answer(): return Table(4)"
    assert passes(tried(right, "assert answer().agrees()", classes=given))


def test_the_candidate_can_call_methods_of_the_test(tried: Tried) -> None:
    own = "class Own: pass\nown = Own()\nown.ask = lambda n: n + 1\n"
    source = "def answer(own): return own.ask(1)"
    assert passes(tried(source, own + "assert answer(own) == 2"))
    named = "import collections\nown = collections.namedtuple('Own', 'ask')(lambda n: n + 1)\n"
    assert passes(tried(source, named + "assert answer(own) == 2"))


def test_a_candidates_exception_cannot_end_a_loop_of_the_test(tried: Tried) -> None:
    outcome = tried("def answer(n): raise StopIteration", "assert all(n == 2 for n in map(answer, [1, 2]))")
    assert (outcome.status, outcome.exception.type) == ("exception", "StopIteration")
    assert passes(tried("def answer(n): return n", "assert [*map(answer, iter([1, 2]))] == [1, 2]"))


def test_a_seed_set_by_the_test_applies_to_the_candidate(tried: Tried) -> None:
    source = "import random\ndef answer(): return random.random()"
    body = "import random\nrandom.seed(7)\nfirst = answer()\nrandom.seed(7)\nassert first == answer() != answer()"
    assert passes(tried(source, body))
    body = "import random\nassert answer() != random.random()"  # its random numbers differ from those of the test
    assert passes(tried(source, body))


def test_a_name_error_of_the_test_is_not_the_candidates(tried: Tried) -> None:
    body = "def oracle(): return no_such_name\nanswer(oracle)"
    for sealing in ("stub", "guarded", None):
        outcome = tried("def answer(oracle): return oracle()", body, sealing=sealing)
        assert (outcome.status, outcome.value["test"]) == ("returned", "failed")
        assert outcome.value["error"]["type"] == "NameError"
        outcome = tried("def answer(oracle): return no_such_name", body, sealing=sealing)
        assert outcome.status == "exception"


def test_a_test_that_inspects_the_function_runs_guarded(tried: Tried) -> None:
    body = "import inspect\nassert inspect.getsource(answer).startswith('def answer') and answer() == 1"
    assert passes(tried("def answer(): return 1", body), "guarded")


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
def test_the_candidates_end_decides_the_outcome(tried: Tried, source: str, status: str) -> None:
    limits = Limits(cpu_seconds=1, wall_seconds=4)
    assert tried(source, "answer()", limits=limits).status == status


def test_a_slow_test_of_a_returned_value_is_a_timeout(tried: Tried) -> None:
    outcome = tried("def answer(): return 10**9", "for n in range(answer()): pass", limits=Limits(cpu_seconds=0.3))
    assert outcome.status == "cpu_timeout"


def test_only_the_candidates_output_is_stored(tried: Tried) -> None:
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
def test_tampering_has_no_effect_on_a_stub(tried: Tried, source: str) -> None:
    body = (
        "import math\nvalue = answer()\nassert isinstance(value, int) and math.isclose(value, 4) and abs(value - 4) < 1"
    )
    assert tried(source, body + " and value == 5").value != PASSED


BEARS_A_METHOD = """
import types
from collections import namedtuple
from qiskit.primitives import DataBin, PrimitiveResult
from qiskit.quantum_info import Operator
from qiskit.result import Result
def yes(other): return True
FIELDS = dict(backend_name="b", backend_version="1", job_id="j", success=True, results=[])
"""


@pytest.mark.parametrize("equiv", ["yes", "Operator([[1, 0], [0, 1]])"])
@pytest.mark.parametrize(
    "made",
    [
        "types.SimpleNamespace(equiv={})",
        "namedtuple('Pair', 'equiv')({})",
        "DataBin(equiv={})",
        "Result.from_dict(dict(FIELDS, equiv={}))",
    ],
)
def test_a_callable_attribute_cannot_replace_a_method(tried: Tried, made: str, equiv: str) -> None:
    body = "from qiskit.quantum_info import Statevector\nassert answer().equiv(Statevector.from_label('01'))"
    source = BEARS_A_METHOD + f"def answer(): return {made.format(equiv)}"
    assert tried(source, body, framework="qiskit").value != PASSED


def test_an_attribute_may_be_an_operator(tried: Tried) -> None:
    source = (
        BEARS_A_METHOD
        + """
def answer():
    made = Operator([[1, 0], [0, 1]])
    return types.SimpleNamespace(observable=made), namedtuple("Pair", "observable")(made)
"""
    )
    body = """
        from qiskit.quantum_info import Operator
        assert all(found.observable == Operator([[1, 0], [0, 1]]) for found in answer())
    """
    assert passes(tried(source, body, framework="qiskit"))


ANSWERS_IN_CIRQ = """
import gc, json, os
def answer():
    text = json.dumps(MESSAGE).replace("CODE", "__import__('sys').modules.__setitem__('reached', 1) or 1")
    for peer in gc.get_objects():
        if type(peer).__name__ == "Peer":
            peer.send({"value": {"cirq": text}, "same": None, "changed": []})
    os._exit(0)
"""


MESSAGES = [
    {"cirq_type": "sympy.Indexed", "args": ["a", "CODE"]},
    {"cirq_type": "sympy.Not", "args": ["CODE"]},
    {"cirq_type": "sympy.Xor", "args": [["CODE"]]},
    {"cirq_type": "sympy.Not", "args": [{"cirq_type": "VAL", "key": 1, "val": "CODE"}]},
    {"cirq_type": "sympy.Not", "args": {"cirq_type": "pandas.Index", "data": ["CODE"]}},
    {"cirq_type": "ParamResolver", "param_dict": [["t", "CODE"]]},
    {"cirq_type": "ParamResolver", "param_dict": {"t": "CODE"}},
    {"cirq_type": "Points", "key": "t", "points": ["CODE"]},
]


@pytest.mark.parametrize("message", MESSAGES)
def test_no_text_is_evaluated_in_the_tests_process(tried: Tried, message: Any) -> None:
    body = """
        import sys, cirq, sympy
        found = answer()
        for resolver in found if isinstance(found, cirq.Points) else [found]:
            cirq.resolve_parameters(cirq.X ** (sympy.Symbol('t') + 1), resolver)
        assert 'reached' in sys.modules
    """
    outcome = tried(ANSWERS_IN_CIRQ.replace("MESSAGE", repr(message)), body, framework="cirq")
    assert outcome.status == "malformed"


BROKEN = """
import numpy as np
from qiskit import QuantumCircuit
from qiskit.circuit.library import UnitaryGate
def one(gate):
    made = QuantumCircuit(1)
    made.append(gate, [0])
    return made
broken = UnitaryGate(np.ones((2, 2)), check_input=False)
looped = QuantumCircuit(1)
with looped.for_loop(range(1)):
    looped.append(broken, [0])
"""


@pytest.mark.parametrize("made", ["one(broken)", "one(one(broken).to_instruction())", "looped"])
def test_a_gate_that_is_not_unitary_is_refused(tried: Tried, made: str) -> None:
    body = """
        from qiskit import QuantumCircuit
        from qiskit.quantum_info import Statevector
        found = answer()
        assert any(abs(Statevector(found)[index]) > 0.9 for index in (0, 1)) or found.count_ops()
    """
    assert tried(BROKEN + f"def answer(): return {made}", body, framework="qiskit").status == "malformed"
    honest = "def answer(): return one(one(UnitaryGate([[0, 1], [1, 0]])).to_instruction())"
    assert passes(tried(BROKEN + honest, body, framework="qiskit"))


IMPORTS = """
import numpy as np
from qiskit import QuantumCircuit
from qiskit.circuit import AnnotatedOperation, Instruction, PowerModifier
from qiskit.circuit.library import RXGate, UnitaryGate
"""
LIES = {
    "a power of what is nearly unitary": (
        """
        def answer():
            step = UnitaryGate(np.diag([1 - 5e-6, 1]), check_input=False)
            circuit = QuantumCircuit(1)
            circuit.append(AnnotatedOperation(step, [PowerModifier(10**7)]), [0])
            return circuit
        """,
        "assert abs(Statevector(answer()).data[0]) < 0.01",
    ),
    "a power without end": (
        """
        def answer():
            circuit = QuantumCircuit(1)
            circuit.append(AnnotatedOperation(RXGate(0.3), [PowerModifier(10**18)]), [0])
            return circuit
        """,
        "assert abs(np.linalg.norm(Statevector(answer()).data) - 1) > 0.01",
    ),
    "many gates that are nearly unitary": (
        """
        def answer():
            circuit = QuantumCircuit(1)
            for _ in range(40):
                circuit.append(UnitaryGate(np.eye(2) * (1 + 4e-6), check_input=False), [0])
            gate, whole = circuit.to_gate(), QuantumCircuit(1)
            for _ in range(40):
                whole.append(gate, [0])
            return whole
        """,
        "assert np.linalg.norm(Statevector(answer()).data) > 1.005",
    ),
    "a channel that makes more": (
        """
        def answer():
            circuit = QuantumCircuit(1)
            circuit.append(Instruction('kraus', 1, 0, [3 * np.eye(2, dtype=complex)]), [0])
            return circuit
        """,
        "assert abs(DensityMatrix(answer()).trace()) > 8",
    ),
    "a pass with a hash of its choosing": (
        """
        from qiskit.transpiler.basepasses import TransformationPass
        class Referee(TransformationPass):
            def run(self, dag): return dag
        def answer():
            made = Referee()
            made._hash = 0
            return made
        """,
        "assert answer() == 0 and answer() == ''",
    ),
    "the numbers that the test draws": (
        """
        import random
        def answer():
            return [random.Random(seed).getrandbits(64) for seed in (0, 0x5EED)]
        """,
        "import random\nsecret = random.getrandbits(64)\nassert secret in answer()",
    ),
}


@pytest.mark.parametrize("lie", LIES)
def test_objects_that_libraries_convert_silently_are_refused(tried: Tried, lie: str) -> None:
    source, body = LIES[lie]
    body = f"import numpy as np\nfrom qiskit.quantum_info import DensityMatrix, Statevector\n{body}"
    assert not passes(tried(IMPORTS + dedent(source), body, framework="qiskit"))


def test_a_redefined_task_class_does_not_replace_the_tests(tried: Tried) -> None:
    source = "import types\nSide = types.SimpleNamespace(LEFT=0, RIGHT=0)\ndef answer(): return 0"
    given = "import enum\nclass Side(enum.Enum):\n    LEFT = 1\n    RIGHT = 2"
    assert not passes(tried(source, "assert answer() == Side.LEFT == Side.RIGHT", classes=given))


def test_rounding_errors_of_a_unitary_are_accepted(tried: Tried) -> None:
    source = """
        def answer():
            circuit = QuantumCircuit(1)
            for _ in range(20):
                circuit.append(UnitaryGate(np.round(np.array([[1, 1], [1, -1]]) / np.sqrt(2), 6)), [0])
            return circuit.power(2)
    """
    body = "from qiskit.quantum_info import Statevector\nassert abs(Statevector(answer()).data[0] - 1) < 1e-3"
    assert passes(tried(IMPORTS + dedent(source), body, framework="qiskit"))
