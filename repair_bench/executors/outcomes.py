"""From what a child sent, which is not trusted, and its fate, to an `Outcome`."""

from __future__ import annotations

import signal

from repair_bench.executors.conversation import Transcript
from repair_bench.executors.guest.text import clean
from repair_bench.executors.program import Program
from repair_bench.executors.results import read_result
from repair_bench.traces.record.records import Outcome, OutcomeStatus

WANTED, WITHHELD = 0.8, 0.2
"""Parts of its wall-clock time: a candidate that wanted a core for more than the first, and of that was kept from one
for more than the second, was not slow by itself."""
NEAR_LIMIT = 0.8

_ALLOCATION_FAILED = (b"std::bad_alloc", b"memory allocation of", b"Cannot allocate memory", b"MemoryError")
_KILLED_FOR: dict[str, OutcomeStatus] = {
    "cpu_timeout": "cpu_timeout",
    "wall_timeout": "wall_timeout",
    "disk": "disk",
}


def starved(transcript: Transcript) -> bool:
    """Whether a child was stopped at its wall-clock bound for want of a core: the machine's doing, not its own.

    One of its threads ran or was ready to run nearly all the time: what sleeps is never starved. While a thread is
    ready its core is not idle, and what the child's own threads run there is in `cpu_seconds`: the rest was withheld.
    """
    fate = transcript.fate
    wanted = fate["wanted_seconds"] / fate["wall_seconds"]
    withheld = wanted - fate["cpu_seconds"] / fate["wall_seconds"]
    return bool(fate["killed"] == "wall_timeout" and wanted > WANTED and withheld > WITHHELD)


def struck_down(transcript: Transcript) -> bool:
    """Whether a child got a SIGKILL that was not ours. A machine short of memory kills any: once is no proof."""
    fate = transcript.fate
    return fate["exit"] == -signal.SIGKILL and not fate["killed"]


def died(program: Program, transcript: Transcript) -> bool:
    """Whether a child was stopped or died instead of leaving as it should."""
    return _fate_status(program, transcript) is not None


def read_outcome(program: Program, transcript: Transcript) -> Outcome:
    """The outcome of a program. What it sent and cannot be read is `malformed`; nothing at all is `killed`."""
    fate = _fate_status(program, transcript)
    result = read_result(program.call, transcript.result) if fate is None else None
    return Outcome(
        status=result.status if result else fate or ("malformed" if transcript.result else "killed"),
        value=result.value if result else None,
        exception=result.exception if result else None,
        stdout=clean(transcript.stdout.decode("utf-8", "replace"), program.limits.output_kb << 10),
        cpu_seconds=transcript.fate["cpu_seconds"],
        wall_seconds=transcript.fate["wall_seconds"],
    )


def _fate_status(program: Program, transcript: Transcript) -> OutcomeStatus | None:
    fate = transcript.fate
    if transcript.flooded:
        return "output_limit"
    if fate["killed"] in _KILLED_FOR:
        return _KILLED_FOR[fate["killed"]]
    if fate["exit"] < 0 and any(words in transcript.stderr for words in _ALLOCATION_FAILED):
        return "memory"
    if fate["exit"] == -signal.SIGKILL and fate["max_rss_kb"] > NEAR_LIMIT * (program.limits.memory_mb << 10):
        return "memory"
    return "killed" if fate["exit"] != 0 else None
