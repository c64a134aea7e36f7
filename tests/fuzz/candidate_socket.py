"""Corrupted messages from a candidate's process to the process of its test. No message may forge a verdict or raise in
the test's process. `python tests/fuzz/candidate_socket.py --messages 2000000`

Valid messages are changed part by part or byte by byte, and sent in short conversations. The test expects a number that
no message contains, so that every pass is a forgery.
"""

from __future__ import annotations

import argparse
import copy
import itertools
import json
import random
import resource
import socket
import struct
import sys
import time
import types
from collections import Counter
from collections.abc import Iterator
from typing import Any

from repair_bench.executors.conversation import Transcript, call_fields
from repair_bench.executors.guest import kinds
from repair_bench.executors.guest.text import frame
from repair_bench.executors.guest.unit_tests.remote_objects import RemoteObjects
from repair_bench.executors.guest.unit_tests.stub import StubbedTrial
from repair_bench.executors.outcomes import read_outcome
from repair_bench.executors.program import Limits, Program, UnitTest
from repair_bench.suites.checks import UnitTestCheck
from repair_bench.suites.task import Task

GIVEN = """
import enum
class Table:
    def __init__(self, bits): self.bits = bits
class Letter(enum.Enum):
    X = 'X'
"""
TEST = """
def check(answer):
    import random
    number = 80226123123478937 * 3 + limit[0] * 0
    random.seed(3)
    table, items = {"a": [1]}, [1, 2]
    def oracle(n):
        assert n != number
        return n + 1
    first = answer(table, oracle, items=items)
    try:
        second = answer(items, first)
    except ValueError:
        second = None
    assert helper(first) == number and first == second and table["a"] == [number]
"""
MESSAGES: list[Any] = [
    {"names": {"answer": "function", "helper": "function", "limit": "value", "np": ["numpy"], "Table": "class"}},
    {"value": [3], "same": None, "changed": []},
    {"value": None, "same": 0, "changed": [[0, {"dict": [["a", [2]]]}], [2, [5]]]},
    {"value": {"tuple": [1.5, {"complex": [0.5, 1]}, {"float": "nan"}]}, "same": None, "changed": []},
    {"value": {"ndarray": {"tuple": ["<f8", [2], {"bytes": "AAAAAAAA8D8AAAAAAADwPw=="}]}}, "same": None, "changed": []},
    {"value": {"object": [0, "Own", "<Own>", {"m": [4], "n": {"yours": 0}}, True]}, "same": None, "changed": []},
    {"value": {"instance": ["Table", {"bits": 5}]}, "same": None, "changed": []},
    {"value": {"instance": ["Letter", {"name": "X"}]}, "same": None, "changed": []},
    {"value": {"function": 1}, "same": None, "changed": []},
    {"value": {"iterator": 2}, "same": None, "changed": []},
    {"value": {"namedtuple": ["Point", ["x", "y"], [1, 2]]}, "same": None, "changed": []},
    {"value": {"defaultdict": ["int", {"dict": [["a", 1]]}]}, "same": None, "changed": []},
    {"call": 0, "arguments": [4], "keywords": {}, "seeds": []},
    {"call": 0, "arguments": [], "keywords": {"n": {"yours": 0}}, "seeds": [["random", 3]]},
    {
        "raised": {
            "module": "builtins",
            "name": "ValueError",
            "arguments": ["why"],
            "origin": 0,
            "yours": None,
            "told": {"status": "exception", "exception": {"type": "ValueError", "message": "why", "traceback": "..."}},
        }
    },
    {
        "raised": {
            "module": "candidate",
            "name": "Own",
            "arguments": [],
            "origin": None,
            "yours": 0,
            "told": {"status": "memory"},
        }
    },
]
FORGERIES: list[Any] = [
    {"status": "returned", "value": {"test": "passed"}},
    {"test": "passed"},
    {"failure": {"status": "returned", "value": {"test": "passed"}}},
    "passed",
    None,
    True,
    -1,
    2**70,
    1e308,
    "",
    "\ud800",
    [],
    {},
    {"yours": 0},
    {"function": 0},
    {"object": [7, "x", "y", {"__class__": 3}, True]},
]
STATUSES = {"returned", "exception", "memory", "disk", "ended", "malformed"}


class Fuzzer:
    """The conversations of a seed. `counts`: the number of conversations by result."""

    def __init__(self, seed: int) -> None:
        self.counts: Counter[str] = Counter()
        self._random = random.Random(seed)
        self._seeds = [json.dumps(message) for message in MESSAGES]
        call = UnitTest(entry_point="answer", test=TEST, function="check", passes_candidate=True, classes=GIVEN)
        self._program = Program("python", "", call, limits=Limits())
        self._check = UnitTestCheck(test=TEST, function="check", passes_candidate=True)
        self._task = Task("fuzz", "1", "python", "answer", "", "", self._check, "unsorted")
        request = {"seed": 0, "source": "", "entry_point": "answer", "preamble": "", "imports": (), "classes": GIVEN}
        request["changes"] = None
        self._trial = StubbedTrial({**request, **call_fields(call)}, types.SimpleNamespace(), -1)
        self._trial.prepare()

    def conversation(self) -> int:
        """Run one conversation and return the number of messages that were read."""
        sent = list(self._conversation())
        near, far = socket.socketpair()
        with near, far:
            far.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 20)
            far.setblocking(False)
            try:
                far.sendall(b"".join(sent))
            except BlockingIOError:  # the socket is full: the rest is not sent
                self.counts["cut"] += 1
            far.shutdown(socket.SHUT_WR)
            self._trial._peer = near.fileno()
            result = self._trial._result("")
            unread = sum(map(len, iter(lambda: near.recv(1 << 20), b"")))
        assert result["status"] in STATUSES, result
        status = {"exit": 0, "killed": None, "cpu_seconds": 0.0, "wall_seconds": 0.0, "max_rss_kb": 0}
        outcome = read_outcome(self._program, Transcript(status, frame(result), b"", b"", flooded=False))
        verdict = self._check.judge(self._task, outcome)
        assert verdict.kind != "pass", sent
        self.counts[str(result["value"]["test"] if "value" in result else result["status"])] += 1
        ends = itertools.accumulate(map(len, sent))
        return sum(end <= sum(map(len, sent)) - unread for end in ends)

    def _conversation(self) -> Iterator[bytes]:
        if self._random.random() < 0.9:  # in these conversations, the names are valid
            yield frame(MESSAGES[0])
        else:
            yield self._bytes(self._changed(copy.deepcopy(MESSAGES[0])))
        for _ in range(self._random.randint(1, 6)):
            message = json.loads(self._random.choice(self._seeds))
            yield self._bytes(self._changed(message) if self._random.random() < 0.4 else message)

    def _bytes(self, message: Any) -> bytes:
        try:
            data = bytearray(frame(message))
        except ValueError:
            data = bytearray(struct.pack("!I", 3) + b"NaN")
        if self._random.random() < 0.15:
            for _ in range(self._random.randint(1, 4)):
                place = self._random.randrange(len(data))
                match self._random.randrange(3):
                    case 0:
                        data[place] = self._random.randrange(256)
                    case 1:
                        del data[place]
                    case _:
                        data[place:place] = self._random.randbytes(self._random.randint(1, 8))
                data = data or bytearray(b"\0")
        return bytes(data)

    def _changed(self, message: Any) -> Any:
        for _ in range(self._random.randint(1, 3)):
            message = self._once(message)
        return message

    def _once(self, part: Any) -> Any:
        """Apply one change to a JSON value."""
        choose = self._random
        if isinstance(part, (dict, list)) and part and choose.random() < 0.8:
            keys = list(part) if isinstance(part, dict) else range(len(part))
            key = choose.choice(keys)
            match choose.randrange(6):
                case 0 if isinstance(part, dict):
                    part[choose.choice([*part, "failure", "value", "call", "raised", "status"])] = self._any()
                case 1:
                    del part[key]
                case 2 if isinstance(part, list):
                    part.insert(key, self._any())
                case _:
                    part[key] = self._once(part[key])
            return part
        return self._any()

    def _any(self) -> Any:
        choose = self._random
        if choose.random() < 0.1:
            deep: Any = choose.choice(FORGERIES)
            for _ in range(choose.randint(1, 120)):
                deep = [deep] if choose.random() < 0.7 else {choose.choice(sorted(kinds.table().by_tag)): deep}
            return deep
        if choose.random() < 0.3:
            return {choose.choice([*sorted(kinds.table().by_tag), *sorted(RemoteObjects.tags)]): self._any()}
        return copy.deepcopy(choose.choice([*FORGERIES, *MESSAGES]))


def fuzz(messages: int, seed: int) -> Fuzzer:
    """Run conversations until at least `messages` messages are read. Raises AssertionError for a forged pass."""
    fuzzer, sent = Fuzzer(seed), 0
    while sent < messages:
        sent += fuzzer.conversation()
    return fuzzer


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--messages", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    fuzz(1000, options.seed + 1)
    before, start = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.monotonic()
    fuzzer = fuzz(options.messages, options.seed)
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    seconds = time.monotonic() - start
    sys.stdout.write(
        f"{options.messages} messages in {seconds:.0f} s: 0 forged, 0 exceptions, {grown:.1f} MiB more at the peak; "
        f"conversations by outcome: {dict(fuzzer.counts)}\n"
    )


if __name__ == "__main__":
    main()
