"""Outcomes of single candidates: everything that a candidate does is an outcome."""

import pytest
from plain_programs import returned

from repair_bench.traces.faults import SuiteError


def test_a_returned_value_is_observed_once_per_case(execute):
    outcome = execute("def answer(a, b): return a + b", cases=[(1, 2), (3, 4)])
    assert [case["repr"] for case in outcome.value["cases"]] == ["3", "7"]
    assert outcome.exception is None
    assert 0 < outcome.cpu_seconds < 5
    assert outcome.wall_seconds > 0


def test_every_case_gets_new_inputs_from_the_setup(execute):
    setup = "def inputs(n): return [[n]]"
    outcome = execute("def answer(x):\n    x.append(0)\n    return x", cases=[(1,), (1,)], setup=setup)
    assert [case["repr"] for case in outcome.value["cases"]] == ["[1, 0]", "[1, 0]"]


def test_a_candidate_does_not_see_the_namespace_of_the_setup(execute):
    outcome = execute("def answer(): return 'secret' in globals()", setup="secret = 1\ndef inputs(): return []")
    assert returned(outcome) == "False"


def test_a_failing_setup_is_a_suite_error(execute):
    with pytest.raises(SuiteError, match="ZeroDivisionError"):
        execute("def answer(): return 1", setup="1 / 0")
    with pytest.raises(SuiteError, match="KeyError"):
        execute("def answer(x): return 1", setup="def inputs(x): return {}[x]", cases=[(1,)])


def test_an_exception_is_described_with_the_candidates_own_lines(execute):
    outcome = execute("def answer():\n    print('before')\n    raise ValueError('no such qubit')")
    assert outcome.status == "exception"
    assert (outcome.exception.type, outcome.exception.message) == ("ValueError", "no such qubit")
    assert "raise ValueError('no such qubit')" in outcome.exception.traceback
    assert "line 3, in answer" in outcome.exception.traceback
    assert "repair_bench" not in outcome.exception.traceback
    assert outcome.stdout == "before\n"


@pytest.mark.parametrize(
    ("source", "kind"),
    [
        ("import sys\ndef answer(): sys.exit(0)", "SystemExit"),
        ("import sys\nsys.exit(0)", "SystemExit"),
        ("def answer(): raise KeyboardInterrupt", "KeyboardInterrupt"),
        ("def answer(): return answer()", "RecursionError"),
        ("def answer(:", "SyntaxError"),
        ("x = 1\n  def answer(): pass", "IndentationError"),
        ("def answer(): return 1\x00", None),
        ("def answer(): return '\ud800'.encode()", None),
        ("def answer(x): return 1", "TypeError"),
        ("class E(BaseException):\n    __str__ = lambda self: 1 / 0\ndef answer(): raise E", "E"),
    ],
)
def test_anything_raised_is_an_exception_outcome(execute, source, kind):
    outcome = execute(source)
    assert outcome.status == "exception"
    assert kind in (None, outcome.exception.type)


@pytest.mark.parametrize("source", ["", "answer = 3", "def other(): return 1"])
def test_a_missing_or_uncallable_entry_point_is_reported(execute, source):
    assert execute(source).status == "no_entry"


@pytest.mark.slow
def test_cpu_seconds_decide_a_timeout(execute):
    outcome = execute("def answer():\n    while True: pass", cpu_seconds=1)
    assert outcome.status == "cpu_timeout"
    assert 1.0 <= outcome.cpu_seconds < 2.5


def test_a_loop_that_swallows_every_exception_is_stopped(execute):
    source = """
        import signal
        for number in range(1, 65):
            try: signal.signal(number, signal.SIG_IGN)
            except (OSError, ValueError): pass
        def answer():
            while True:
                try:
                    while True: pass
                except BaseException: pass
    """
    assert execute(source, cpu_seconds=0.3).status == "cpu_timeout"


def test_a_sleeper_is_stopped_by_the_wall_clock(execute):
    outcome = execute("import time\ndef answer(): time.sleep(60)", wall_seconds=0.3)
    assert outcome.status == "wall_timeout"
    assert outcome.cpu_seconds < 0.3
    assert 0.3 <= outcome.wall_seconds < 5


@pytest.mark.parametrize(
    "source",
    [
        "def answer():\n    hoard = []\n    while True: hoard.append(bytearray(10**7))",
        "def answer(): return bytearray(10**11)",
        "def answer(): raise MemoryError",
    ],
)
def test_exceeding_the_memory_limit_is_a_memory_outcome(execute, source):
    assert execute(source, memory_mb=128).status == "memory"


def test_memory_within_the_limit_is_granted(execute):
    assert returned(execute("def answer(): return len(bytearray(100 << 20))", memory_mb=256)) == str(100 << 20)


def test_stored_standard_output_is_bounded(execute):
    outcome = execute("def answer(): print('x' * 200_000)", output_kb=64)
    assert outcome.status == "returned"
    assert outcome.stdout == "x" * (64 << 10)


@pytest.mark.parametrize("stream", ["1", "2"])
def test_a_flood_of_output_is_stopped(execute, stream):
    outcome = execute(f"import os\ndef answer():\n    while True: os.write({stream}, b'x' * 65536)")
    assert outcome.status == "output_limit"
    assert len(outcome.stdout) <= 64 << 10


def test_a_huge_result_is_an_output_limit(execute):
    source = "import sys\nadapter = sys.modules['repair_bench_guest.adapters.python_adapter']\n"
    source += "adapter.observe = lambda *given: {'probabilities': 'x' * (3 << 20)}\n"
    assert execute(source + "def answer(): return 1", value_mb=2).status == "output_limit"


@pytest.mark.parametrize(
    "source",
    [
        "import os\ndef answer(): os._exit(0)",
        "import os\nos._exit(0)",
        "import os\ndef answer(): os.abort()",
        "import ctypes\ndef answer(): ctypes.string_at(0)",
    ],
)
def test_exiting_without_a_result_counts_as_killed(execute, source):
    outcome = execute(source)
    assert outcome.status == "killed"
    assert outcome.value is None


FORGED = ["x" * 1000, "{}", '{"status": "fault"}', '{"fault": "not mine"}', '{"status": "returned"}']


@pytest.mark.parametrize("words", FORGED)
def test_a_forged_message_is_neither_result_nor_error(execute, words):
    source = f"""
        import os, struct
        words = {words!r}.encode()
        for fd in range(3, 64):
            try: os.write(fd, struct.pack("!I", len(words)) + words)
            except OSError: pass
        os._exit(0)
    """
    assert execute(source).status == "malformed"


def test_exit_handlers_and_threads_cannot_delay_a_result(execute):
    source = """
        import atexit, threading, time
        atexit.register(time.sleep, 60)
        threading.Thread(target=time.sleep, args=(60,)).start()
        class Slow:
            def __del__(self): time.sleep(60)
        slow = Slow()
        def answer(): return 1
    """
    outcome = execute(source)
    assert returned(outcome) == "1"
    assert outcome.wall_seconds < 30


def test_filling_the_private_directory_is_a_disk_outcome(execute):
    one = "def answer():\n    with open('a', 'wb') as f:\n        while True: f.write(b'x' * 10**6)"
    assert execute(one, disk_mb=4).status == "disk"
    many = "def answer():\n    for i in range(10**6):\n        with open(str(i), 'wb') as f: f.write(b'x' * 10**6)"
    assert execute(many, disk_mb=4).status == "disk"


def test_seeded_random_numbers_repeat(execute):
    source = """
        import random, numpy
        def answer(): return random.random(), numpy.random.rand(), numpy.random.default_rng().random()
    """
    first, again, other = (returned(execute(source, seed=seed, setup="import numpy")) for seed in (1, 1, 2))
    assert first == again != other


def test_the_order_of_a_set_of_texts_repeats(execute):
    assert returned(execute("import sys\ndef answer(): return sys.flags.hash_randomization")) == "0"


def test_reported_texts_are_valid_and_printable(execute):
    source = """
        import sys
        def answer():
            sys.stdout.buffer.write(bytes(range(256)))
            raise ValueError("\\ud800\\x1b[31m")
    """
    outcome = execute(source)
    for text in (outcome.stdout, outcome.exception.message, outcome.exception.traceback):
        text.encode("utf-8")
        assert not set(text) & {chr(c) for c in range(32) if chr(c) not in "\n\t"}


def test_the_private_directory_is_working_directory_and_home(execute):
    source = """
        import os, tempfile
        def answer(): return {os.getcwd(), os.environ["HOME"], os.environ["TMPDIR"], tempfile.gettempdir()}
    """
    assert len(eval(returned(execute(source)))) == 1


def test_candidates_see_no_variable_of_the_driver(execute):
    found = returned(execute("import os\ndef answer(): return sorted(os.environ)"))
    assert "PATH" in found
    assert not any(word in found for word in ("KEY", "TOKEN", "SECRET", "PYTEST"))


def test_standard_input_is_empty(execute):
    assert execute("def answer(): return input()").exception.type == "EOFError"


def test_the_main_guard_does_not_run(execute):
    assert returned(execute("def answer(): return __name__\nif __name__ == '__main__': 1 / 0")) == "'candidate'"


def test_a_large_source_runs(execute):
    assert returned(execute("x = '" + "y" * (4 << 20) + "'\ndef answer(): return len(x)")) == str(4 << 20)
