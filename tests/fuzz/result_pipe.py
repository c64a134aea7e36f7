"""Mutated result frames, as a hostile child could send them, passed to the driver's first reader and to the checks.

python tests/fuzz/result_pipe.py --messages 2000000 --seed 1

prints the number of messages per outcome, the incorrect answers that passed, the exceptions, and the peak memory.
"""

from __future__ import annotations

import argparse
import json
import pickle
import random
import resource
import sys
import time
import traceback
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from repair_bench.executors.conversation import Transcript
from repair_bench.executors.guest.text import frame
from repair_bench.executors.outcomes import read_outcome
from repair_bench.suites.checks import Case, DistributionCheck, StateCheck, UnitaryCheck, UnitTestCheck
from repair_bench.suites.task import Check, Task
from repair_bench.traces.record.records import Outcome

ENDED = {"exit": 0, "killed": None, "cpu_seconds": 1.0, "wall_seconds": 1.0, "waited_seconds": None, "max_rss_kb": 1000}

HALF = {"kind": "distribution", "bits": 1, "probabilities": {"0": 0.5, "1": 0.5}, "shots": None, "gates": {"h": 1}}
BELL = {
    "kind": "distribution",
    "bits": 2,
    "probabilities": {"00": 0.5, "11": 0.5},
    "shots": None,
    "gates": {"h": 1, "cx": 1},
    "registers": [["c", 1], ["d", 1]],
}
SAMPLES = {"kind": "distribution", "bits": 1, "probabilities": {"0": 0.9, "1": 0.1}, "shots": 1000, "gates": None}
STATE = {"kind": "state", "qubits": 1, "amplitudes": [[0.6, 0.0], [0.0, 0.8]], "gates": {"h": 1}}
UNITARY = {"kind": "unitary", "qubits": 1, "matrix": [[[0, 0], [1, 0]], [[1, 0], [0, 0]]], "gates": {"x": 1}}
OTHER = {"kind": "other", "type": "int", "repr": "1", "problem": "returned an int", "mismatch": "type"}
RAISED = {"type": "ValueError", "message": "no", "traceback": "Traceback (most recent call last):\n..."}
FAILED = {"test": "failed", "error": {**RAISED, "type": "AssertionError"}, "calls": 2, "returned": ["1", "2"]}


def returned(*cases: Any) -> dict[str, Any]:
    return {"status": "returned", "value": {"cases": list(cases)}}


REAL: list[dict[str, Any]] = [
    *(returned(case) for case in (HALF, BELL, SAMPLES, STATE, UNITARY, OTHER)),
    returned(HALF, OTHER),
    {"status": "exception", "exception": RAISED},
    *({"status": status} for status in ("no_entry", "memory", "disk", "output_limit", "uncrossable", "ended")),
    {"status": "returned", "value": FAILED},
    {"status": "returned", "value": {"test": "tampered", "changed": ["numpy.allclose"]}},
]
"""Messages of honest children. All are incorrect answers to the checks below."""

BODIES = [frame(message)[4:] for message in REAL]

CHECKS: list[Check] = [
    DistributionCheck(cases=(Case((), {"0": 0.25, "1": 0.75}),)),
    DistributionCheck(cases=(Case((), {"00": 0.25, "11": 0.75}),), circuit=True),
    StateCheck(cases=(Case((), np.array([1, 0], dtype=complex)),), gates=frozenset({"z"})),
    UnitaryCheck(cases=(Case((), np.array([[1, 0], [0, -1]], dtype=complex)),), qubits=1, gates=frozenset({"z"})),
    UnitTestCheck(test="def check(): ...", function="check"),
]
TASKS = [Task("fuzz", "1", "cirq", "answer", "", "", check, "algorithm") for check in CHECKS]
PROGRAMS = [check.program(task, "") for check, task in zip(CHECKS, TASKS, strict=True)]

DIGITS, DEPTH, WIDTH = 10_000, 100_000, 1_000_000
RAW = [
    *(b"NaN", b"Infinity", b"-1e999", b"1e308", b"-0.0", b"5e-324", b"9" * 30, b"9" * DIGITS, b"1." + b"3" * DIGITS),
    *(b'"\\ud800"', b'"\\udc00\\ud800"', b'"\\u0000\\u001b[31m"', b'"\\u2028"', b"null", b"true", b'""', b"{}", b"[]"),
    *(b"[" * depth + b"]" * depth for depth in (3, 60, 400, 970, 1100)),
    *(b'{"a":' * depth + b"1" + b"}" * depth for depth in (60, 970)),
    *(b'{"kind":"other"}', b'{"a":1,"a":2}', b'"returned"', b'"passed"', b"-1", b"0", b"0.25", b"0.75", b"1"),
]
"""Replacement values, as bytes."""
RARE = [
    b"[" * DEPTH + b"]" * DEPTH,
    b"[" + b"0," * WIDTH + b"0]",
    b'"' + b"x" * WIDTH + b'"',
    b"{" + b",".join(b'"%d":0' % i for i in range(WIDTH // 10)) + b"}",
]
"""Replacement values of several megabytes."""
NAMES = [
    "kind",
    "status",
    "value",
    "cases",
    "gates",
    "shots",
    "bits",
    "qubits",
    "test",
    "vacuous",
    "mismatch",
    "\ud800",
]


def messages(count: int, seed: int) -> Iterator[bytes]:
    """Yield `count` mutations of valid messages, determined by the seed."""
    draw = random.Random(seed)
    for _ in range(count):
        yield mutated(draw)


def mutated(draw: random.Random) -> bytes:
    """Return a frame with values, keys or bytes replaced, added or removed, and occasionally a false length."""
    body = _other_values(draw) if draw.random() < 0.6 else draw.choice(BODIES)
    for _ in range(draw.choice((0, 1, 1, 2, 8)) if draw.random() < 0.5 else 0):
        body = _other_bytes(draw, body)
    size = len(body) if draw.random() < 0.95 else draw.choice((0, len(body) - 1, len(body) + 1, 2**32 - 1))
    return max(size, 0).to_bytes(4, "big") + body


def _other_values(draw: random.Random) -> bytes:
    message = json.loads(draw.choice(BODIES))
    values: list[bytes] = []
    for _ in range(draw.choice((1, 1, 1, 2, 4))):
        place, key = _place(draw, message)
        action = draw.random()
        if action < 0.15:
            del place[key]
            if not message:
                break
        elif action < 0.3 and isinstance(place, dict):
            place[draw.choice(NAMES)] = place.pop(key)
        else:
            if action < 0.5 and isinstance(place, dict):
                key = draw.choice(NAMES) if draw.random() < 0.5 else f"unknown {draw.random()}"
            place[key] = f"@{len(values)}@"
            values.append(draw.choice(RARE) if draw.random() < 1e-4 else draw.choice(RAW))
    body = json.dumps(message).encode("ascii")
    for number, value in enumerate(values):
        body = body.replace(b'"@%d@"' % number, value)
    return body


def _place(draw: random.Random, value: Any) -> tuple[Any, Any]:
    """Return the container and the key or index of a random value."""
    while True:
        key = draw.choice(list(value) if isinstance(value, dict) else range(len(value)))
        if not isinstance(value[key], dict | list) or not value[key] or draw.random() < 0.2:
            return value, key
        value = value[key]


def _other_bytes(draw: random.Random, body: bytes) -> bytes:
    at = draw.randrange(len(body) + 1)
    upto = min(len(body), at + draw.choice((1, 1, 2, 8, 64)))
    action = draw.randrange(5)
    if action == 0:
        return body[:at] + body[upto:]
    if action == 1:
        return body[:at] + draw.randbytes(upto - at) + body[upto:]
    if action == 2:
        return body[:at] + body[at:upto] * draw.choice((2, 3, 50)) + body[upto:]
    if action == 3:
        return body[:at] + draw.choice((b"[", b"]", b"{", b"}", b'"', b",", b":", b"\\", b"\0", b"\xff", b"-", b"e"))
    return body[:at] + draw.choice(BODIES)[at:]


def read(data: bytes, number: int) -> Outcome:
    """Return the outcome of program `number` if its child sends these bytes."""
    return read_outcome(PROGRAMS[number], Transcript(ENDED, data, b"", b"", flooded=False))


def is_right(data: bytes, number: int) -> bool:
    """Whether a passed message contains a correct answer, which a mutation can produce."""
    value = json.loads(data[4:])["value"]
    if number == len(PROGRAMS) - 1:
        return bool(value["test"] == "passed")
    (seen,) = value["cases"]
    check = CHECKS[number]
    expected = check.cases[0].expected  # type: ignore[attr-defined]
    if isinstance(check, DistributionCheck):
        got = seen["probabilities"]
        wrong = sum(abs(got.get(key, 0) - expected.get(key, 0)) for key in {*got, *expected}) / 2
        limit = 1e-3 if seen["shots"] is None else 0.1
        return bool(wrong <= limit + 1e-9 and (not check.circuit or seen["gates"] is not None))
    numbers = np.array(seen["amplitudes"] if isinstance(check, StateCheck) else seen["matrix"], dtype=float)
    got = numbers[..., 0] + 1j * numbers[..., 1]
    overlap = abs(np.vdot(expected, got)) / (np.linalg.norm(expected) * np.linalg.norm(got))
    return bool(overlap >= 1 - 1e-6 and set(seen["gates"]) <= {"z", "barrier", "id", "measure", "gphase"})


@dataclass
class Report:
    """Results of the messages. `peak_mb`: the process's peak memory."""

    messages: int = 0
    statuses: Counter[str] = field(default_factory=Counter)
    verdicts: Counter[str] = field(default_factory=Counter)
    forged: list[bytes] = field(default_factory=list)
    raised: list[str] = field(default_factory=list)
    peak_mb: float = 0.0


def throw(data: bytes, number: int, report: Report) -> None:
    """Pass one message to one check: read it, judge it, and convert its results to JSON and pickle."""
    report.messages += 1
    try:
        outcome = read(data, number)
        verdict = CHECKS[number].judge(TASKS[number], outcome)
        if outcome.value is not None or outcome.exception is not None:
            text = json.dumps([outcome.value, verdict.evidence], allow_nan=False, ensure_ascii=False)
            assert json.loads(text.encode()) == [outcome.value, verdict.evidence]
            assert pickle.loads(pickle.dumps(outcome)) == outcome
        if verdict.kind == "pass" and not is_right(data, number):
            report.forged.append(data[:1000])
    except Exception:  # noqa: BLE001 - any exception is a result of the test
        report.raised.append(f"{data[:300]!r}\n{traceback.format_exc()}")
        return
    report.statuses[outcome.status] += 1
    report.verdicts[verdict.kind] += 1


def fuzz(count: int, seed: int) -> Report:
    """Pass `count` messages to the checks in turn."""
    report = Report()
    for i, data in enumerate(messages(count, seed)):
        throw(data, i % len(PROGRAMS), report)
    report.peak_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return report


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--messages", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    began = time.monotonic()
    report = fuzz(arguments.messages, arguments.seed)
    lines = [
        f"{report.messages:,} messages in {time.monotonic() - began:.0f} s, peak memory {report.peak_mb:.0f} MB",
        f"statuses: {dict(report.statuses.most_common())}",
        f"verdicts: {dict(report.verdicts.most_common())}",
        f"forged passes: {len(report.forged)}, exceptions: {len(report.raised)}",
        *map(str, (*report.forged[:5], *report.raised[:5])),
    ]
    sys.stdout.write("\n".join(lines) + "\n")
    return 1 if report.forged or report.raised else 0


if __name__ == "__main__":
    sys.exit(main())
