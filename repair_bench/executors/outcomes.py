"""Derive an `Outcome` from the untrusted data that a child process sent, and from how the process ended."""

from __future__ import annotations

import signal
from dataclasses import dataclass

from repair_bench.executors.conversation import Transcript
from repair_bench.executors.guest.text import clean
from repair_bench.executors.program import Instances, Program
from repair_bench.executors.results import read_result
from repair_bench.traces.record.records import Outcome, OutcomeStatus

WANTED, WITHHELD = 0.8, 0.2
"""The two thresholds that decide whether a child process was starved of CPU time, as fractions of its wall-clock time.
A child was starved of CPU time if it needed a core for more than the fraction `WANTED` of its wall-clock time, and
waited for a core for more than the fraction `WITHHELD`."""
NEAR_LIMIT = 0.8

_ALLOCATION_FAILED = (b"std::bad_alloc", b"memory allocation of", b"Cannot allocate memory", b"MemoryError")
_KILLED_FOR: tuple[OutcomeStatus, ...] = ("cpu_timeout", "wall_timeout", "disk")


@dataclass(frozen=True)
class Ran:
    """The outcome of a program, and the transcripts of its children."""

    outcome: Outcome
    transcripts: tuple[Transcript, ...]


def starved(transcript: Transcript) -> bool:
    """Whether a child reached its wall-clock limit because it had to wait for a core.

    A child that was starved of CPU time hardly slept: one of its threads was running or ready to run nearly all the
    time. While a thread was ready but not running, other processes used the core; this time is not part of
    `cpu_seconds`.
    """
    fate = transcript.fate
    wanted = fate["wanted_seconds"] / fate["wall_seconds"]
    withheld = wanted - fate["cpu_seconds"] / fate["wall_seconds"]
    return bool(fate["killed"] == "wall_timeout" and wanted > WANTED and withheld > WITHHELD)


def struck_down(transcript: Transcript) -> bool:
    """Whether a child process was killed by a SIGKILL that the fork server did not send, possibly because the machine
    ran out of memory.
    """
    fate = transcript.fate
    return fate["exit"] == -signal.SIGKILL and not fate["killed"]


def died(program: Program, transcript: Transcript) -> bool:
    """Whether a child was stopped or died before it could exit normally."""
    return _fate_status(program, transcript) is not None


def read_outcome(program: Program, transcript: Transcript) -> Outcome:
    """Return the outcome of a program: `malformed` if its result is unreadable, `killed` if there is no result."""
    assert not isinstance(program.call, Instances)  # each instance runs as a separate program
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
        status: OutcomeStatus = fate["killed"]
        return status
    if fate["exit"] < 0 and any(words in transcript.stderr for words in _ALLOCATION_FAILED):
        return "memory"
    if fate["exit"] == -signal.SIGKILL and fate["max_rss_kb"] > NEAR_LIMIT * (program.limits.memory_mb << 10):
        return "memory"
    return "killed" if fate["exit"] != 0 else None
