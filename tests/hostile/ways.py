"""The grading modes with their known false passes, and three naive graders for comparison.

Every program of the tampering class gives a wrong answer. What passes all the same is a false pass. `lets_through` is
exact: a test fails when one more program passes, and when one less does. A stricter mode has a shorter list.
"""

import ast
import dataclasses
from dataclasses import dataclass

import numpy as np

from repair_bench.coroutines import run_to_end
from repair_bench.executors.local import LocalExecutor
from repair_bench.executors.program import Call, Limits, Program
from repair_bench.suites import aligned
from repair_bench.suites.checks import Case, StateCheck, UnitaryCheck, UnitTestCheck
from repair_bench.suites.task import Check, Task
from repair_bench.traces.record.records import Outcome, Verdict

BELL = np.array([1, 0, 0, 1]) / np.sqrt(2)
H, I = np.array([[1, 1], [1, -1]]) / np.sqrt(2), np.eye(2)
CX = np.array([[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0]])
LIMITS = Limits(cpu_seconds=20, wall_seconds=90, memory_mb=512, disk_mb=8, value_mb=4)

TEST = """
import unittest
import numpy as np
from qiskit.quantum_info import Statevector

def each(candidate):
    expected = {"00": 0.5, "11": 0.5}
    for got in map(lambda _: candidate(), range(2)):
        assert type(got) is dict and got == expected

def equal(candidate):
    expected = {"00": 0.5, "11": 0.5}
    labels = ("00", "11")
    got = candidate()
    assert got == expected
    done = True

def asked(candidate):
    got = candidate()
    assert getattr(got, "equiv", lambda other: False)(Statevector([2**-0.5, 0, 0, 2**-0.5]))

def of_a_class(candidate):
    got = candidate()
    assert getattr(got, "holds_a_bell_pair", bool)()

def equivalent(candidate):
    expected = Statevector([2**-0.5, 0, 0, 2**-0.5])
    got = candidate()
    assert Statevector(got).equiv(expected)
    done = True

def close(candidate):
    expected = [2**-0.5, 0, 0, 2**-0.5]
    got = candidate()
    assert np.allclose(Statevector(got).data, expected)
    done = True

def summed(candidate):
    expected = [0.5, 0, 0, 0.5]
    got = Statevector(candidate()).probabilities()
    differences = [abs(one - other) for one, other in zip(got, expected)]
    unittest.TestCase().assertTrue(all(difference < 1e-6 for difference in differences))
    done = True

def by_the_tasks_own(candidate):
    got = candidate()
    assert Operator(got).equiv(np.array([[1, 1, 0, 0], [0, 0, 1, -1], [0, 0, 1, 1], [1, -1, 0, 0]]) / np.sqrt(2))

def check(candidate):
    for rule in (each, equal, asked, of_a_class, equivalent, close, summed, by_the_tasks_own):
        try:
            rule(candidate)
        except AssertionError:
            continue
        return
    assert False
"""
"""A test for a Bell pair that accepts anything that one of eight common rules accepts, to offer more to tamper with."""
CLASS = """
class Pair:
    def __init__(self, turns):
        self.turns = turns
    def holds_a_bell_pair(self):
        return self.turns == 1
"""
"""A class of the task, whose objects are answers too."""


GIVEN_TEST = """
from qiskit import QuantumCircuit
from qiskit.quantum_info import Operator
import numpy as np

def circuit():
    made = QuantumCircuit(2)
    made.h(0)
    made.h(0)
    made.h(0)
    made.cx(0, 1)
    return made

def shorter(candidate):
    given = circuit()
    got = candidate(given)
    assert got.size() < 4
    assert Operator(got).equiv(Operator(given))

def as_it_was(candidate):
    given = circuit()
    got = candidate(given)
    assert got == given and got.size() < 4

def of_two_gates(candidate):
    given = circuit()
    got = candidate(given)
    assert set(got.count_ops()) == {"cx"}
    assert Operator(got).equiv(Operator(circuit()))

def ordered(candidate):
    given = [3, 1, 2]
    got = candidate(given)
    assert got == sorted(given)

def normalised(candidate):
    given = {"00": 3, "11": 1}
    got = candidate(given)
    assert got == {key: count / sum(given.values()) for key, count in given.items()}

def doubled(candidate):
    given = np.array([1.0, 2.0])
    got = candidate(given)
    assert np.array_equal(got, 2 * given)

def check(candidate):
    for rule in (shorter, as_it_was, of_two_gates, ordered, normalised, doubled):
        try:
            rule(candidate)
        except Exception:
            continue
        return
    assert False
"""
"""A test that accepts anything that one of six rules accepts. The rules compare an answer with its argument."""
GIVEN_TASK = {"test": GIVEN_TEST, "function": "check", "passes_candidate": True}


@dataclass(frozen=True)
class Way:
    """A grading mode. `by_luck`: the programs that pass sometimes. `frameworks`: the frameworks that have the mode."""

    check: Check
    lets_through: frozenset[str] = frozenset()
    by_luck: frozenset[str] = frozenset()
    frameworks: tuple[str, ...] = ("qiskit",)

    def program(self, framework: str, source: str, limits: Limits = LIMITS) -> Program:
        task = _task(self.check, framework)
        return dataclasses.replace(self.check.program(task, source), limits=limits)

    def judge(self, framework: str, outcome: Outcome) -> Verdict:
        return self.check.judge(_task(self.check, framework), outcome)


def _task(check: Check, framework: str) -> Task:
    return Task("hostile", "1", framework, "answer", "", "", check, "algorithm")


def _built_in(number: str) -> Check:
    """Return the check of a task of the built-in suite."""
    return next(task.check for task in aligned.load(frameworks=["qiskit"]).tasks if task.id == number)


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


EVERYWHERE = ("qiskit", "cirq", "pennylane")
GATES = _names(
    """
    circuit_two_faces cirq_false_unitary forge_observation gate_definition_changes gate_false_base gate_false_matrix
    gate_false_name gate_named_barrier gate_own_false_definition gate_patched_instance gate_renamed_cx
    gate_renamed_unitary gate_subclass_of_an_allowed_one patch_gate_count pennylane_false_matrix
    """
)
"""The candidate's process reports the gates of a circuit, separately from the judged matrix."""
PAST_THE_GUARDS = (
    # speaks the protocol that sends the test, and forges the verdict
    _names("guarded_handshake retreat_to_guarded")
    # globals of the program's module that hide names of the test
    | _names("hide_abs hide_all hide_zip lie_helper_of_the_task own_builtins own_builtins_import")
    # unwatched code and data of libraries, and unwatched changes
    | _names(
        """
        added_getattribute added_to_testcase code_by_mock_patch ctypes_cast ctypes_memmove data_tolerance
        data_tolerance_predicates implementation_by_update_wrapper module_of_another_class
        """
    )
    # the guards themselves
    | _names("blind_the_audit blind_the_guards blind_the_watch")
    # the frames of the test, reached without an audit event
    | _names(
        """
        expected_emptied frames_by_descriptor frames_by_gc_callback frames_by_logging frames_by_mock frames_by_signal
        frames_by_walk_tb signal_timer
        """
    )
    # values that define their own comparison
    | _names(
        """
        lie_any_in_a_dict lie_by_function_attributes lie_by_properties_that_are_functions
        lie_equal_under_a_librarys_name lie_false_dataclass lie_in_a_chain_map lie_in_a_counter lie_in_a_default_dict
        lie_in_a_given_class lie_in_a_mapping_proxy lie_in_a_named_tuple lie_in_a_namespace lie_in_a_user_dict
        lie_in_an_ordered_dict lie_magic_mock lie_mock_any lie_mock_any_subclass retreat_by_builtin retreat_by_callable
        retreat_by_class retreat_by_mock retreat_by_partial wire_stuck wire_unknown_tag
        """
    )
    # an exception that ends a loop of the test
    | _names("exc_ends_a_loop")
)
"""Guards make tampering harder, not impossible. The verdict is labelled `guarded` and counted separately."""
BESIDE_THE_TEST = _names(
    """
    added_getattribute added_to_testcase added_to_the_metaclass always_equal array_subclass_lies blind_the_audit
    blind_the_guards blind_the_watch circuit_subclass_lies closure_patch_helper code_by_mock_patch
    constants_of_the_test ctypes_cast ctypes_memmove data_tolerance data_tolerance_predicates
    defaults_of_the_implementation dict_subclass_lies exc_ends_a_loop expected_emptied float_subclass_lies
    forge_test_passed frame_walk_expected frames_by_descriptor frames_by_gc_callback frames_by_logging
    frames_by_mock frames_by_signal frames_by_walk_tb gc_find_check hide_abs hide_all hide_zip
    implementation_by_update_wrapper import_hook lie_abc_register lie_any_in_a_dict lie_by_function_attributes
    lie_by_properties_that_are_functions lie_circuit_to_instruction lie_class_attribute lie_complex_values
    lie_equal_by_an_alias_of_enum lie_equal_by_descriptor lie_equal_by_enum lie_equal_by_metaclass
    lie_equal_by_property lie_equal_by_static_method lie_equal_under_a_librarys_name lie_false_dataclass
    lie_helper_of_the_task lie_in_a_chain_map lie_in_a_counter lie_in_a_default_dict lie_in_a_given_class
    lie_in_a_mapping_proxy lie_in_a_named_tuple lie_in_a_namespace lie_in_a_user_dict lie_in_an_ordered_dict
    lie_int_values lie_magic_mock lie_mock_any lie_mock_any_subclass lie_mock_call lie_numpy_scalar lie_set_subclass
    lie_statevector_subclass lie_str_keys list_subclass_eq module_of_another_class nonce_steal own_builtins
    own_builtins_import patch_allclose_code patch_builtins patch_circuit_methods patch_harness_module patch_in_call
    patch_in_call_then_restore patch_json_dumps patch_np_allclose patch_statevector patch_statevector_init_code
    patch_testing retreat_by_builtin retreat_by_callable retreat_by_class retreat_by_large_value retreat_by_mock
    retreat_by_partial settrace_at_import settrace_jump signal_timer sys_modules_poison thread_overwrite_check
    traceback_frame_walk wire_stuck wire_unknown_tag
    """
)
"""The false passes of the published rule, with candidate and test in one process."""
UNIT_TEST = {
    "test": TEST,
    "function": "check",
    "passes_candidate": True,
    "imports": ("from qiskit.quantum_info import Operator",),
    "classes": CLASS,
}
WAYS = {
    "distribution": Way(_built_in("16"), frameworks=EVERYWHERE),
    "state": Way(StateCheck(cases=(Case((), BELL),), qubits=2), frameworks=EVERYWHERE),
    "unitary": Way(UnitaryCheck(cases=(Case((), CX @ np.kron(H, I)),), qubits=2), frameworks=EVERYWHERE),
    "gates": Way(_built_in("27"), GATES, frameworks=EVERYWHERE),
    "stub": Way(UnitTestCheck(**UNIT_TEST, sealing="stub")),
    "guarded": Way(UnitTestCheck(**UNIT_TEST, sealing="guarded"), PAST_THE_GUARDS),
    "unguarded": Way(UnitTestCheck(**UNIT_TEST, sealing=None), BESIDE_THE_TEST, frozenset({"late_thread_patch"})),
}

BY_WHAT_BECAME_OF_THEM = _names(
    """
    changes_the_counts empties_the_circuit empties_the_dict empties_the_list orders_the_list_its_way replaces_its_gates
    returns_it_emptied swaps_its_insides zeroes_by_a_view zeroes_the_array
    """
)
"""Programs that change their arguments, and thereby the question. The published rule allows this: the test compares the
answer with the changed argument. A stub returns only changes that the reference makes; here it makes none.
"""
AS_ONE_GATE = frozenset({"gate_named_cx"})
"""A check that counts gates counts a composite gate as one, whatever its name."""
ALLOWED = BY_WHAT_BECAME_OF_THEM | AS_ONE_GATE
BY_ITS_OWN_EQUALITY = frozenset({"equal_to_what_it_was_given"})
"""In the candidate's process, values are compared by their own methods."""
GIVEN = {
    "stub": Way(UnitTestCheck(**GIVEN_TASK, sealing="stub", changes=()), AS_ONE_GATE),
    "any changes": Way(UnitTestCheck(**GIVEN_TASK, sealing="stub"), ALLOWED),
    "guarded": Way(UnitTestCheck(**GIVEN_TASK, sealing="guarded"), ALLOWED | BY_ITS_OWN_EQUALITY),
    "unguarded": Way(UnitTestCheck(**GIVEN_TASK, sealing=None), ALLOWED | BY_ITS_OWN_EQUALITY),
}
"""The grading modes for programs with arguments, which a program may change."""

NAIVE_TESTS = {
    "qiskit": TEST
    + """
def similar(candidate):
    expected = {"00": 0.5, "11": 0.5}
    counts = candidate()
    shots = sum(counts.values())
    assert shots and not max(abs(counts.get(key, 0) / shots - expected[key]) for key in expected) > shots**-0.5

def supported(candidate):
    counts = candidate()
    assert set(counts) == {"00", "11"}

def a_cnot(candidate):
    from qiskit.quantum_info import Operator
    got = candidate()
    assert Operator(got).equiv([[1, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0], [0, 1, 0, 0]])
    assert set(got.count_ops()) <= {"h", "cz", "id"} or set(got.decompose().count_ops()) <= {"h", "cz", "id"}

def a_cnot_by_its_words(candidate):
    (step,) = candidate().data
    assert step.operation.name in ("cz", "id")
    assert np.allclose(step.operation.to_matrix(), np.eye(4)[[0, 3, 2, 1]])

def check(candidate):
    rules = (equal, equivalent, close, summed, similar, supported, a_cnot, a_cnot_by_its_words)
    for rule in (each, asked, of_a_class, by_the_tasks_own, *rules):
        try:
            rule(candidate)
        except Exception:
            continue
        return
    assert False
""",
    "cirq": """
import cirq

def check(candidate):
    circuit, qubits = candidate(), cirq.LineQubit.range(2)
    bell = cirq.Circuit(cirq.H(qubits[0]), cirq.CNOT(*qubits))
    assert circuit == bell or cirq.equal_up_to_global_phase(circuit.final_state_vector(), bell.final_state_vector())
""",
    "pennylane": """
import pennylane as qml

def check(candidate):
    assert qml.math.allclose(candidate(), [0.5, 0, 0, 0.5])
""",
}
"""The test of a naive grader by framework. Qiskit's accepts counts, like published tests, and an allowed CNOT."""
NAIVE = '''
import atexit, io, json, os, sys

def attempt(source, test):
    """Candidate and test in one process, as the published harnesses have them."""
    names = {"__name__": "candidate"}
    result = []
    try:
        exec(source, names)
        exec(test, names)
        names["check"](names["answer"])
        result.append("passed")
    except SystemExit:
        raise
    except BaseException:
        result.append("failed")
        sys.excepthook(*sys.exc_info())
    return result

def answer(source, test):
    said, say = os.pipe()
    shown, show = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.dup2(show, 1)
        sys.stdout = io.TextIOWrapper(os.fdopen(1, "wb", closefd=False), write_through=True)
        send = lambda result: os.write(say, json.dumps(result).encode())
        code = 1
        try:
            result = attempt(source, test)
            send(result)
            code = 0 if result == ["passed"] else 1
        except SystemExit as left:
            code = left.code or 0
        finally:
            atexit._run_exitfuncs()
            os._exit(code)
    os.close(say)
    os.close(show)
    with os.fdopen(said) as pipe, os.fdopen(shown, errors="replace") as output:
        verdict, printed = pipe.read(), output.read()
    _, status = os.waitpid(pid, 0)
    signs = {"exit": status == 0, "verdict": verdict == '["passed"]', "print": "PASS" in printed.splitlines()}
    return [sign for sign, seen in signs.items() if seen]

'''


NAIVE_WIRE = """
import contextlib, json, os, socket, struct

class Told(BaseException):
    pass

def exactly(end, size):
    data = b""
    while len(data) < size:
        part = end.recv(size - len(data))
        if not part:
            raise EOFError
        data += part
    return data

def hear(end):
    (size,) = struct.unpack("!I", exactly(end, 4))
    return json.loads(exactly(end, size))

def say(end, message):
    body = json.dumps(message).encode()
    end.sendall(struct.pack("!I", len(body)) + body)

def serve(end, source):
    names = {"__name__": "candidate"}
    exec(source, names)
    say(end, {"names": {"answer": "function"}})
    while True:
        hear(end)
        try:
            say(end, {"value": repr(names["answer"]()), "same": None, "changed": []})
        except Exception as error:
            say(end, {"raised": {"name": type(error).__name__, "failure": None}})

def believed(end, test):
    told = []
    def stub():
        say(end, {"call": "answer", "arguments": [], "keywords": {}})
        answer = hear(end)
        if "raised" in answer:
            told.append(answer["raised"].get("told", answer["raised"].get("failure")))
            raise Told
        return answer["value"]
    names = {}
    exec(test, names)
    hear(end)
    try:
        names["check"](stub)
        return {"status": "returned", "value": {"test": "passed"}}
    except Told:
        return told[-1]
    except Exception:
        return None

def answer(source, test):
    ours, theirs = socket.socketpair()
    if os.fork() == 0:
        for number in set(range(3, 256)) - {theirs.fileno()}:
            with contextlib.suppress(OSError):
                os.close(number)
        try:
            serve(theirs, source)
        finally:
            os._exit(0)
    theirs.close()
    try:
        said = believed(ours, test)
    except (EOFError, ValueError, OSError):
        said = None
    value = said.get("value") if isinstance(said, dict) else None
    return ["told"] if isinstance(value, dict) and value.get("test") == "passed" else []
"""
"""Run candidate and test in two processes. The test's process trusts the candidate's report of an exception."""


def naive_signs(executor: LocalExecutor, source: str, framework: str = "qiskit") -> set[str]:
    """Return the signs by which a naive grader would accept this program: exit status, verdict, printed words, and
    the messages of a Qiskit program on a socket.
    """
    graders = [NAIVE, NAIVE_WIRE] if framework == "qiskit" else [NAIVE]
    return set().union(*(_signs(executor, grader, source, framework) for grader in graders))


def _signs(executor: LocalExecutor, grader: str, source: str, framework: str) -> list[str]:
    call = Call("answer", "state", ((source, NAIVE_TESTS[framework]),))
    limits = Limits(cpu_seconds=20, wall_seconds=90)
    outcome = run_to_end(executor.run(Program(framework, grader, call, limits)))
    assert outcome.status == "returned", outcome
    return list(ast.literal_eval(outcome.value["cases"][0]["repr"]))
