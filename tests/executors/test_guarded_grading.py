"""Unit tests in the candidate's process: honest programs pass, and programs that tamper with the test do not."""

from collections.abc import Callable
from textwrap import dedent, indent
from typing import Any

import pytest

from repair_bench.coroutines import run_to_end
from repair_bench.executors.local import LocalExecutor
from repair_bench.executors.program import Program, UnitTest
from repair_bench.traces.record.records import Outcome

PASSED = {"test": "passed"}
Tried = Callable[..., Outcome]

BODY = """
    from math import isclose
    expected = [0.5, 0.5]
    got = answer()
    assert len(got) == 2 and all(isclose(a, b) for a, b in zip(got, expected, strict=True)) and got == expected
"""
BELL = """
    import numpy as np
    from qiskit.quantum_info import Statevector
    expected = Statevector([2**-0.5, 0, 0, 2**-0.5])
    state = Statevector.from_instruction(answer())
    assert np.allclose(state.data, expected.data) and state.equiv(expected)
"""


@pytest.fixture
def tried(executor: LocalExecutor) -> Tried:
    """Run a guarded test, given as the body of `check(answer)`, against a source."""

    def tried(source: str, body: str = BODY, framework: str = "python", **more: Any) -> Outcome:
        test = "def check(answer):\n" + indent(dedent(body).strip(), "    ")
        call = UnitTest(
            entry_point="answer", test=test, function="check", passes_candidate=True, **{"sealing": "guarded", **more}
        )
        outcome = run_to_end(executor.run(Program(framework, dedent(source), call)))
        assert outcome.sealed == call.sealing
        return outcome

    return tried


HONEST = {
    "plain": "def answer(): return [0.5, 0.5]",
    "dataclass": """
        from dataclasses import dataclass
        @dataclass
        class Pair:
            first: float
            second: float
        def answer():
            pair = Pair(0.5, 0.5)
            assert pair == Pair(0.5, 0.5)
            return [pair.first, pair.second]
    """,
    "prints a traceback": """
        import traceback
        def answer():
            try: 1 / 0
            except ZeroDivisionError: traceback.print_exc()
            return [0.5, 0.5]
    """,
    "patches nothing of ours": "import math\nmath.own = 3\ndef answer(): return [0.5] * 2",
}


@pytest.mark.parametrize("source", HONEST.values(), ids=HONEST)
def test_an_honest_answer_passes(tried: Tried, source: str) -> None:
    assert tried(source).value == PASSED


def test_an_object_of_a_candidates_class_passes(tried: Tried) -> None:
    source = """
        from collections import namedtuple
        from enum import Enum
        class Side(Enum): LEFT = 1
        class Table:
            def __init__(self, bits): self.bits = bits
            def __repr__(self): return f'Table({self.bits})'
            def evaluate(self, n): return self.bits[n]
        Pair = namedtuple('Pair', 'a b')
        def answer(): return Table([1, 0]), Pair(1, 2), Side.LEFT
    """
    assert tried(source, "a, b, c = answer()\nassert a.evaluate(0) == b.a == c.value == 1").value == PASSED


def test_a_requested_file_does_not_count_as_tampering(tried: Tried) -> None:
    source = "def answer():\n    with open('out', 'w') as file: file.write('1')"
    body = "answer()\nwith open('out') as file: assert file.read() == '1'"
    assert tried(source, body).value == PASSED


ATTACKS = {
    "always_equal": """
        class Equal:
            __len__ = lambda self: 2
            __iter__ = lambda self: iter([0.5, 0.5])
            __eq__ = lambda *a: True
        def answer(): return Equal()
    """,
    "list_subclass_eq": "class L(list):\n  __eq__ = lambda *a: True\ndef answer(): return L([0.5, 0.5])",
    "class_in_a_library": """
        import math
        class L(list): __eq__ = lambda *a: True
        L.__module__ = 'math'; math.L = L
        def answer(): return [L([0.5])]
    """,
    "patch_at_import": "import math\nmath.isclose = lambda *a: True\ndef answer(): return [0.5, 0.5]",
    "patch_in_call": "def answer():\n  import math\n  math.isclose = lambda *a: True\n  return [0.5, 0.5]",
    "patch_builtins": "import builtins\nbuiltins.all = lambda *a: True\ndef answer(): return [0.5, 0.5]",
    "import_hook": """
        import builtins
        real = builtins.__import__
        builtins.__import__ = lambda *a, **k: real(*a, **k)
        def answer(): return [0.5, 0.5]
    """,
    "sys_modules_poison": """
        import sys, types, math
        fake = types.ModuleType('math'); fake.__dict__.update(math.__dict__); sys.modules['math'] = fake
        def answer(): return [0.5, 0.5]
    """,
    "frame_walk_expected": """
        import sys
        def answer():
            frame = sys._getframe()
            while 'expected' not in frame.f_locals: frame = frame.f_back
            return frame.f_locals['expected']
    """,
    "inspect_walk_expected": """
        import inspect
        def answer():
            frame = inspect.currentframe()
            while 'expected' not in frame.f_locals: frame = frame.f_back
            return frame.f_locals['expected']
    """,
    "traceback_frame_walk": """
        def answer():
            try: 1 / 0
            except ZeroDivisionError as error: frame = error.__traceback__.tb_frame
            while 'expected' not in frame.f_locals: frame = frame.f_back
            return frame.f_locals['expected']
    """,
    "gc_find_check": """
        import gc
        def answer():
            for o in gc.get_objects():
                if getattr(o, '__name__', None) == 'check': o.__code__ = (lambda *a: None).__code__
            return [0.5, 0.5]
    """,
    "late_thread_patch": """
        import math, threading, time
        def late():
            time.sleep(0.5)
            math.isclose = lambda *a: True
        def answer():
            threading.Thread(target=late).start()
            return [0.5, 0.5]
    """,
    "exit0_in_call": "import os\ndef answer(): os._exit(0)",
    "exit0_at_import": "import os\nos._exit(0)",
    "atexit_exit0": "import atexit, os\natexit.register(os._exit, 0)\ndef answer(): raise ValueError",
    "raise_systemexit": "def answer(): raise SystemExit(0)",
    "print_fake_pass": 'print(\'{"status": "returned", "value": {"test": "passed"}}\')\ndef answer(): pass',
    "patch_json_dumps": """
        import json
        real = json.dumps
        json.dumps = lambda o, **k: real({**o, 'value': {'test': 'passed'}} if 'value' in o else o, **k)
        def answer(): return [1]
    """,
    "nonce_steal": """
        import json, os, select, stat, struct
        def frame(m): b = json.dumps(m).encode(); return struct.pack('!I', len(b)) + b
        ends = [fd for fd in range(3, 64) if os.path.exists('/dev') and not os.isatty(fd)] if False else range(3, 16)
        for fd in ends:
            for m in ({'loaded': ''}, {'loaded': '0' * 32}):
                try: os.write(fd, frame(m))
                except OSError: pass
        for fd in ends:
            try: ready = select.select([fd], [], [], 0.1)[0]
            except OSError: continue
            data = os.read(fd, 1 << 20) if ready else b''
            if data[4:]:
                nonce = json.loads(data[4:]).get('nonce')
                for out in ends:
                    try: os.write(out, frame({'status': 'returned', 'value': {'test': 'passed'}, 'nonce': nonce}))
                    except OSError: pass
        os._exit(0)
    """,
    "write_all_fds": """
        import json, os, struct
        body = json.dumps({'status': 'returned', 'value': {'test': 'passed'}}).encode()
        for fd in range(3, 64):
            try: os.write(fd, struct.pack('!I', len(body)) + body)
            except OSError: pass
        os._exit(0)
    """,
    "patch_harness_module": """
        import sys
        for name, module in list(sys.modules.items()):
            if name.endswith('.guards'): module._changed = lambda *a: []
        def answer(): return [0.5, 0.5]
    """,
    "settrace": "import sys\nsys.settrace(lambda *a: None)\ndef answer(): return [0.5, 0.5]",
}


@pytest.mark.slow
@pytest.mark.parametrize("source", ATTACKS.values(), ids=ATTACKS)
def test_a_program_that_tampers_does_not_pass(tried: Tried, source: str) -> None:
    assert tried(source).value != PASSED


@pytest.mark.parametrize("name", ["always_equal", "patch_builtins", "frame_walk_expected", "traceback_frame_walk"])
def test_tampering_programs_pass_without_guards(tried: Tried, name: str) -> None:
    assert tried(ATTACKS[name], sealing=None).value == PASSED


WRONG = "from qiskit import QuantumCircuit\nimport qiskit.quantum_info as info, numpy as np\n"
CIRCUIT_ATTACKS = {
    "patch_np_allclose": WRONG
    + "np.allclose = lambda *a: True\ninfo.Statevector.equiv = lambda *a: True\ndef answer(): return QuantumCircuit(2)",
    "patch_then_restore": WRONG
    + """
def answer():
    real, equiv = np.allclose, info.Statevector.equiv
    def equal(*a, **k):
        np.allclose = real
        return True
    def same(*a, **k):
        info.Statevector.equiv = equiv
        return True
    np.allclose, info.Statevector.equiv = equal, same
    return QuantumCircuit(2)
""",
    "patch_code": WRONG
    + "info.Statevector.from_instruction.__func__.__code__ = (lambda cls, i: cls([2**-.5, 0, 0, 2**-.5])).__code__\n"
    + "def answer(): return QuantumCircuit(2)",
    "circuit_subclass_lies": WRONG
    + """
class Lie(QuantumCircuit):
    def to_instruction(self, *a, **k):
        circuit = QuantumCircuit(2)
        circuit.h(0)
        circuit.cx(0, 1)
        return circuit.to_instruction()
def answer(): return Lie(2)
""",
}


@pytest.mark.slow
@pytest.mark.parametrize("source", CIRCUIT_ATTACKS.values(), ids=CIRCUIT_ATTACKS)
def test_a_changed_framework_does_not_pass(tried: Tried, source: str) -> None:
    assert tried(source, BELL, "qiskit").value != PASSED


def test_an_honest_circuit_passes(tried: Tried) -> None:
    source = "from qiskit import QuantumCircuit\ndef answer():\n  c = QuantumCircuit(2); c.h(0); c.cx(0, 1); return c"
    assert tried(source, BELL, "qiskit").value == PASSED


def test_changed_objects_are_named(tried: Tried) -> None:
    outcome = tried(ATTACKS["patch_in_call"])
    assert outcome.value == {"test": "tampered", "changed": ["math.isclose", "math.isclose"]}


def test_output_during_a_guarded_test_is_discarded(tried: Tried) -> None:
    source = "import sys\ndef answer():\n  print(sys._getframe(1).f_back.f_locals)\n  return []"
    assert tried(source).stdout == ""


def test_a_test_that_accepts_anything_is_labelled_vacuous(tried: Tried) -> None:
    assert tried("def answer(): return 3", "answer()").value == {"test": "passed", "vacuous": True}
    body = "assert helper() == 1 and answer() in (None, 3)"
    canary = "def helper(): return 1\ndef answer(): return None"
    source = "def helper(): return 1\ndef answer(): return 3"
    assert tried(source, body, canary=canary).value == {"test": "passed", "vacuous": True}


def test_passing_anything_with_one_program_only_is_tampering(tried: Tried) -> None:
    source = "import decimal\ndecimal.Decimal = lambda n: 0\ndef answer(): return '3'"
    body = "from decimal import Decimal\nassert Decimal(answer()) == Decimal('4')"
    assert tried(source, body, sealing=None).value == PASSED
    assert tried(source, body).value == {"test": "tampered", "changed": ["the test itself"]}


def test_a_guarded_failure_is_reported_like_others(tried: Tried) -> None:
    outcome = tried("def answer(): return [0.5, 0.4]")
    assert (outcome.value["test"], outcome.value["calls"], outcome.value["returned"]) == ("failed", 1, ["[0.5, 0.4]"])
    assert tried("def answer(): return [][1]").exception.type == "IndexError"
    assert tried("").status == "no_entry"
