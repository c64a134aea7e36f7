"""Unit tests isolated from the candidate: in a second child, or with guards in the candidate's process.

The second child never runs the candidate's code, and only the second child can write the verdict (`guest.unit_tests`).
The test runs with guards if the suite requests guards or if the test inspects functions. A candidate cannot influence
whether guards are used.
"""

from __future__ import annotations

import contextlib
import functools
import json
import secrets
import socket
import threading
import warnings
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import replace
from typing import Any

from repair_bench.executors.conversation import Cancel, Cancelled, Transcript, call_fields, classes_of, converse, hold
from repair_bench.executors.fork_server import ForkServer
from repair_bench.executors.guest.text import frame
from repair_bench.executors.guest.unit_tests.unit_test import TEST, names_used
from repair_bench.executors.outcomes import Ran, died, read_outcome
from repair_bench.executors.program import Program, Sealing, UnitTest
from repair_bench.traces.record.records import Outcome

REFLECTING = {"inspect", "signature", "getsource", "globals", "locals", "vars", "redirect_stdout", "StringIO", "stdout"}
REFLECTING |= {"__code__", "__doc__", "__annotations__", "__defaults__", "__wrapped__", "__closure__", "__globals__"}
REFLECTING |= {"open", "Path", "exists", "isfile", "listdir", "remove", "environ"}
"""If a test uses a name in `REFLECTING`, the test inspects more than the candidate's return values."""
LEAVE_SECONDS = 10.0
"""Time limit, in seconds, for the candidate's child process to exit after the test has ended."""

Canaries = dict[tuple[str, UnitTest], bool]


def run(server: ForkServer, program: Program, cancel: Cancel, canaries: Canaries) -> Ran:
    """Run a program in its isolation mode.

    `canaries`: a cache of whether each test accepts its canary, a program that the test should reject.
    """
    call = program.call
    if not isinstance(call, UnitTest) or call.sealing is None:
        transcript = converse(server, program, cancel)
        return Ran(read_outcome(program, transcript), (transcript,))
    if isolation_mode(call.sealing, call.test) == "stub":
        return _stubbed(server, program, call, cancel)
    return _guarded(server, program, call, cancel, canaries)


@functools.cache
def isolation_mode(sealing: Sealing | None, test: str) -> Sealing | None:
    """Return "guarded" if `sealing` is "stub" and the test inspects more than return values; otherwise return
    `sealing`.
    """
    with warnings.catch_warnings(), contextlib.suppress(SyntaxError, ValueError):  # invalid Python is reported later
        warnings.simplefilter("ignore")
        if sealing == "stub" and names_used(compile(test, TEST, "exec")) & REFLECTING:
            return "guarded"
    return sealing


def _stubbed(server: ForkServer, program: Program, call: UnitTest, cancel: Cancel) -> Ran:
    common = {"seed": program.seed, "entry_point": call.entry_point, "preamble": call.preamble}
    served = {**common, "kind": "served", "source": program.source, "given": classes_of(call.classes)}
    stubbed = {**common, **call_fields(call), "kind": "stubbed", "source": "", "imports": call.imports}
    stubbed |= {"classes": call.classes, "changes": call.changes}
    ours, theirs = socket.socketpair()
    with theirs, contextlib.closing(Cancel()) as leave, ThreadPoolExecutor(1) as pool:
        candidate = pool.submit(hold, server, served, program.limits, leave, theirs)
        try:
            test = hold(server, stubbed, program.limits, cancel, ours)
        except BaseException:
            leave.set()
            raise
        finally:
            ours.close()
        if not wait([candidate], LEAVE_SECONDS).done:  # the verdict is known; the candidate is still busy
            leave.set()
        try:
            transcript = candidate.result()
        except Cancelled:
            transcript = None
    status = _result(test).get("status")
    return Ran(_of_both(program, test, transcript, status), (test, transcript) if transcript else (test,))


def _of_both(program: Program, test: Transcript, candidate: Transcript | None, status: Any) -> Outcome:
    """Return the outcome of the process that ended the test: the candidate's process or the test's process."""
    of_test = read_outcome(program, test)
    if candidate is None:
        return replace(of_test, stdout="", sealed="stub")
    own = read_outcome(program, candidate)
    if own.status == "returned":  # a result of the candidate's child is not a verdict
        own = replace(own, status="killed", value=None)
    ended = status == "ended" and not died(program, test)
    outcome = own if ended or died(program, candidate) else of_test
    fates = [test.fate, candidate.fate]
    return replace(
        outcome,
        stdout=own.stdout,
        cpu_seconds=sum(fate["cpu_seconds"] for fate in fates),
        wall_seconds=max(fate["wall_seconds"] for fate in fates),
        sealed="stub",
    )


def _result(transcript: Transcript) -> dict[str, Any]:
    """Return the unchecked result that a child sent, or an empty result if the child sent none."""
    with contextlib.suppress(ValueError, RecursionError):
        result: Any = json.loads(transcript.result[4:])
        return result if isinstance(result, dict) else {}
    return {}


def _guarded(server: ForkServer, program: Program, call: UnitTest, cancel: Cancel, canaries: Canaries) -> Ran:
    token, nonce = secrets.token_hex(16), secrets.token_hex(16)
    test = call_fields(call)
    first = {"kind": "guarded", "source": program.source, "seed": program.seed, "token": token}
    first |= {name: test[name] for name in ("entry_point", "preamble", "needs")}
    late = {"call": test, "nonce": nonce}
    ours, theirs = socket.socketpair()
    with ours:
        handing = threading.Thread(target=_hand_over, args=(ours, {"loaded": token}, late), daemon=True)
        handing.start()
        try:
            transcript = hold(server, first, program.limits, cancel, theirs)
        finally:
            with contextlib.suppress(OSError):
                ours.shutdown(socket.SHUT_RDWR)
            handing.join()
    outcome = read_outcome(program, transcript)
    of_canary: tuple[Transcript, ...] = ()
    if outcome.status == "returned" and outcome.value["test"] != "tampered":
        if _result(transcript).get("nonce") != nonce:
            outcome = replace(outcome, status="killed", value=None)
        elif outcome.value.pop("vacuous", False):
            value, of_canary = _value_of_pass(server, program, call, cancel, canaries)
            outcome = replace(outcome, value=value)
    return Ran(replace(outcome, sealed="guarded"), (transcript, *of_canary))


def _value_of_pass(
    server: ForkServer, program: Program, call: UnitTest, cancel: Cancel, canaries: Canaries
) -> tuple[dict[str, Any], tuple[Transcript, ...]]:
    """Decide whether a program tampered with its test, given that the test also accepted a function that returns None.

    The canary is a program that the test should reject. If the canary passes in a fresh child process, too, the test is
    too weak, and the pass is vacuous. Otherwise, the program tampered with the test. Returns the value of the outcome,
    and a tuple with the transcript of the canary program. The tuple is empty if an earlier canary result was reused.
    """
    key = (program.framework, call)
    passes = canaries.get(key, False)
    transcripts: tuple[Transcript, ...] = ()
    if key not in canaries:
        source = call.canary or f"def {call.entry_point}(*arguments, **keywords):\n    return None\n"
        canary = replace(program, source=source, call=replace(call, sealing=None))
        transcript = converse(server, canary, cancel)
        passes, transcripts = read_outcome(canary, transcript).value == {"test": "passed"}, (transcript,)
        if not died(canary, transcript):  # a stopped canary is not evidence about the test
            canaries[key] = passes
    if passes:
        return {"test": "passed", "vacuous": True}, transcripts
    return {"test": "tampered", "changed": ["the test itself"]}, transcripts


def _hand_over(peer: socket.socket, expected: dict[str, str], late: dict[str, Any]) -> None:
    """Send the test to a child after the child has sent the token `expected`."""
    wanted = frame(expected)
    with contextlib.suppress(OSError):
        if peer.recv(len(wanted), socket.MSG_WAITALL) == wanted:
            peer.sendall(frame(late))
