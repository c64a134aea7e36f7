"""From what a child sent, which is not trusted, and its fate, to an `Outcome`."""

from __future__ import annotations

import json
import re
import signal
from typing import Any

from repair_bench.executors.conversation import Transcript
from repair_bench.executors.guest.text import clean, clean_json
from repair_bench.executors.program import Call, Program, UnitTest
from repair_bench.traces.records import ExceptionInfo, Outcome, OutcomeStatus

STARVED = 0.2
"""A candidate that waited for a core for more than this part of its wall-clock time was not slow by itself."""
NEAR_LIMIT = 0.8
LARGEST = 1e300
"""No amplitude or probability is larger; not a number, infinity and integers too large for a float are not smaller."""
STRING_LIMIT = 20_000
_LONG_TEXT = re.compile(rb'[\[{,:] ?"[^"]{%d}' % STRING_LIMIT)
"""A string, which a quote opens after one of these; numbers may follow in any length on one that closes."""
TYPE_LIMIT = 200
MESSAGE_LIMIT = 4_000

_OWN_WORD: frozenset[str] = frozenset({"no_entry", "memory", "disk", "output_limit"})
_ALLOCATION_FAILED = (b"std::bad_alloc", b"memory allocation of", b"Cannot allocate memory", b"MemoryError")
_KILLED_FOR: dict[str, OutcomeStatus] = {
    "cpu_timeout": "cpu_timeout",
    "wall_timeout": "wall_timeout",
    "disk": "disk",
}


def starved(transcript: Transcript) -> bool:
    """Whether a child was stopped at its wall-clock bound for want of a core: the machine's doing, not its own."""
    fate = transcript.fate
    waited = fate.get("waited_seconds")
    return fate["killed"] == "wall_timeout" and waited is not None and waited > STARVED * fate["wall_seconds"]


def struck_down(program: Program, transcript: Transcript) -> bool:
    """Whether a child got a SIGKILL that was not ours. A machine short of memory kills any: once is no proof."""
    fate = transcript.fate
    own_doing = fate["killed"] or fate["cpu_seconds"] >= program.limits.cpu_seconds
    return fate["exit"] == -signal.SIGKILL and not own_doing


def died(program: Program, transcript: Transcript) -> bool:
    """Whether a child was stopped or died instead of leaving as it should."""
    return _fate_status(program, transcript) is not None


def read_outcome(program: Program, transcript: Transcript) -> Outcome:
    """The outcome of a program. What cannot be read as a result is `killed`, never a value."""
    result: dict[str, Any] = {}
    status = _fate_status(program, transcript)
    if status is None:
        result = _read_result(program, transcript.result) or {"status": "killed"}
        status = result["status"]
    return Outcome(
        status=status,
        value=result.get("value"),
        exception=result.get("exception"),
        stdout=clean(transcript.stdout.decode("utf-8", "replace"), program.limits.output_kb << 10),
        cpu_seconds=transcript.fate["cpu_seconds"],
        wall_seconds=transcript.fate["wall_seconds"],
    )


def _fate_status(program: Program, transcript: Transcript) -> OutcomeStatus | None:
    """The status that follows from how the child ended; None when it left as it should."""
    fate = transcript.fate
    if transcript.flooded:
        return "output_limit"
    if fate["killed"] in _KILLED_FOR:
        return _KILLED_FOR[fate["killed"]]
    if fate["exit"] in (-signal.SIGXCPU, -signal.SIGKILL) and fate["cpu_seconds"] >= program.limits.cpu_seconds:
        return "cpu_timeout"
    if fate["exit"] < 0 and any(words in transcript.stderr for words in _ALLOCATION_FAILED):
        return "memory"
    if fate["exit"] == -signal.SIGKILL and fate["max_rss_kb"] > NEAR_LIMIT * (program.limits.memory_mb << 10):
        return "memory"
    return "killed" if fate["exit"] != 0 else None


def _read_result(program: Program, data: bytes) -> dict[str, Any] | None:
    """The one frame that a child sends, checked against what it may hold; None when it is anything else."""
    body = data[4:]
    if len(data) < 4 or int.from_bytes(data[:4], "big") != len(body) or not body.isascii():
        return None
    try:
        result = json.loads(body, parse_constant=_refuse)
        # Only an escape can bring in a character that needs cleaning; most results are numbers, and many.
        if b"\\" in body or _LONG_TEXT.search(body):
            result = clean_json(result, STRING_LIMIT)
    except (ValueError, RecursionError):
        return None
    if not isinstance(result, dict):
        return None
    status = result.get("status")
    if status == "returned":
        value = _value(program.call, result.get("value"))
        return None if value is None else {"status": status, "value": value}
    if status == "exception" and _is_exception(result.get("exception")):
        described = result["exception"]
        exception = ExceptionInfo(
            type=clean(described["type"], TYPE_LIMIT),
            message=clean(described["message"], MESSAGE_LIMIT),
            traceback=clean(described["traceback"], STRING_LIMIT),
        )
        return {"status": status, "exception": exception}
    return {"status": status} if isinstance(status, str) and status in _OWN_WORD else None


def _value(call: Call | UnitTest, value: Any) -> dict[str, Any] | None:
    """What a program reports (see `executors.program`); None when it is not well formed."""
    if isinstance(call, UnitTest):
        return value if _is_test_result(value) else None
    return {"cases": value["cases"]} if _are_observations(value, len(call.cases)) else None


def _is_test_result(value: Any) -> bool:
    test = value.get("test") if isinstance(value, dict) else None
    if test == "passed":
        return isinstance(value.get("vacuous", False), bool) and set(value) <= {"test", "vacuous"}
    if test == "tampered":
        return _are_texts(value.get("changed")) and len(value) == 2
    if test != "failed":
        return False
    return _are_texts(value.get("returned")) and _is_count(value.get("calls")) and _is_exception(value.get("error"))


def _are_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(text, str) for text in value)


def _refuse(constant: str) -> Any:
    raise ValueError(constant)


def _is_exception(value: Any) -> bool:
    return isinstance(value, dict) and all(isinstance(value.get(k), str) for k in ("type", "message", "traceback"))


def _are_observations(value: Any, count: int) -> bool:
    """Whether a value is `{"cases": [...]}` with one well-formed observation a case (see `executors.program`)."""
    if not isinstance(value, dict) or not isinstance(value.get("cases"), list) or len(value["cases"]) != count:
        return False
    return all(isinstance(case, dict) and _is_observation(case) for case in value["cases"])


def _is_observation(case: dict[str, Any]) -> bool:
    kind = case.get("kind")
    if kind == "other":
        return all(isinstance(case.get(key), str) for key in ("type", "repr", "problem"))
    if not _are_gates(case.get("gates")):
        return False
    if kind == "distribution":
        shots = case.get("shots")
        return (shots is None or _is_count(shots)) and _are_probabilities(case.get("probabilities"), case.get("bits"))
    if kind == "state":
        size = _dimension(case)
        return size is not None and _is_vector(case.get("amplitudes"), size)
    if kind == "unitary":
        size = _dimension(case)
        matrix = case.get("matrix")
        if size is None or not isinstance(matrix, list) or len(matrix) != size:
            return False
        return all(_is_vector(row, size) for row in matrix)
    return False


def _dimension(case: dict[str, Any]) -> int | None:
    qubits = case.get("qubits")
    return 1 << qubits if _is_count(qubits) and qubits <= 30 else None  # type: ignore[operator]


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _are_gates(gates: Any) -> bool:
    return gates is None or (isinstance(gates, dict) and all(_is_count(count) for count in gates.values()))


def _are_probabilities(probabilities: Any, bits: Any) -> bool:
    if not isinstance(probabilities, dict) or not _is_count(bits):
        return False
    keys = all(len(key) == bits and set(key) <= {"0", "1"} for key in probabilities)
    return keys and all(_is_real(p) for p in probabilities.values())


def _is_vector(vector: Any, size: int) -> bool:
    if not isinstance(vector, list) or len(vector) != size:
        return False
    return all(isinstance(z, list) and len(z) == 2 and _is_real(z[0]) and _is_real(z[1]) for z in vector)


def _is_real(value: Any) -> bool:
    return isinstance(value, float | int) and not isinstance(value, bool) and abs(value) < LARGEST
