"""Run a solver on many instances. Each instance gets a separate child process and the same limit in normalised CPU
seconds.

A computation takes more CPU seconds if the machine is slower, or if other work uses the same caches. Normalised seconds
compensate for the speed of the machine: the CPU seconds are divided by the time that a benchmark loop takes, and
multiplied by the time that the benchmark loop took on the machine on which the suite was calibrated. The benchmark loop
runs in a child process of the same fork server before the first instance. The benchmark loop runs again after every
instance that used at least the fraction `TIMED` of the limit.

Measured times still vary. Therefore, a result still counts if the child process used up to `VALID` times the limit. The
child process is stopped only at `STOPPED` times the limit. An instance that uses more than `VALID` times the limit, but
is not stopped, is run up to `RUNS` times in total, and so is an instance that was stopped too early because the speed
changed. The shortest time is used. An instance that received no CPU time is also run up to `RUNS` times.
"""

from __future__ import annotations

import inspect
from dataclasses import asdict, replace
from typing import Any

from repair_bench.executors.conversation import Cancel, Transcript, converse
from repair_bench.executors.fork_server import ForkServer
from repair_bench.executors.outcomes import Ran, read_outcome, starved
from repair_bench.executors.program import Call, Instances, Limits, Program, Script
from repair_bench.traces.faults import ExecutorError
from repair_bench.traces.record.records import Outcome

VALID, STOPPED = 2.0, 2.5
TIMED = 0.5
RUNS = 3
LOOP_SECONDS = 0.1
"""The CPU time of the benchmark loop on the machine on which the suite was calibrated."""


def loop_seconds() -> float:
    """Return the CPU time of the benchmark loop in this process. The guest receives the source code of this function
    and runs it.
    """
    import time

    table: dict[int, int] = {}
    state, total = 1, 0
    start = time.thread_time()
    for _ in range(450_000):
        state = (state * 1103515245 + 12345) & 0x7FFFFFFF
        table[state & 1023] = state ^ total
        total += len(table) + state.bit_length()
    return time.thread_time() - start


LOOP = f"{inspect.getsource(loop_seconds)}\nprint(loop_seconds())\n"


def run(server: ForkServer, program: Program, call: Instances, cancel: Cancel) -> Ran:
    """Run a program on all its instances, one after the other."""
    return _Series(server, program, call, cancel).run()


class _Series:
    def __init__(self, server: ForkServer, program: Program, call: Instances, cancel: Cancel) -> None:
        self._server = server
        self._program = program
        self._call = call
        self._cancel = cancel
        self._transcripts: list[Transcript] = []
        self._speed = self._measured_speed()

    def run(self) -> Ran:
        cases: list[dict[str, Any]] = []
        stdout = ""
        for number, instance in enumerate(self._call.instances):
            if number == self._call.visible and all(case["kind"] == "failed" for case in cases):
                break
            outcome, seconds = self._least(instance)
            stdout = stdout if number else outcome.stdout
            if outcome.status == "no_entry":
                return self._ran(replace(outcome, value=None))
            cases.append({**_case(outcome), "cpu": seconds})
        skipped = {"kind": "failed", "status": "skipped", "exception": None, "cpu": None}
        cases += [skipped] * (len(self._call.instances) - len(cases))
        return self._ran(Outcome("returned", {"cases": cases}, stdout=stdout))

    def _ran(self, outcome: Outcome) -> Ran:
        fates = [transcript.fate for transcript in self._transcripts]
        cpu, wall = (sum(fate[name] for fate in fates) for name in ("cpu_seconds", "wall_seconds"))
        return Ran(replace(outcome, cpu_seconds=cpu, wall_seconds=wall), tuple(self._transcripts))

    def _least(self, instance: dict[str, Any]) -> tuple[Outcome, float]:
        """Run an instance up to `RUNS` times. Return the outcome and the normalised CPU seconds of the fastest run."""
        limit = self._program.limits.cpu_seconds
        best = self._once(instance)
        for _ in range(RUNS - 1):
            if _stopped(best) is (best[1] > VALID * limit):
                break
            best = min(best, self._once(instance), key=lambda ran: (_stopped(ran), ran[1]))
        outcome, seconds = best
        if seconds > VALID * limit:
            outcome = replace(outcome, status="cpu_timeout", value=None, exception=None)
        return outcome, seconds

    def _once(self, instance: dict[str, Any]) -> tuple[Outcome, float]:
        limits = self._program.limits
        before = self._speed
        one = replace(
            self._program,
            call=Call(self._call.entry_point, "circuit", cases=((instance,),), qubits=self._call.qubits),
            limits=replace(limits, cpu_seconds=STOPPED * limits.cpu_seconds / before),
        )
        outcome = self._converse(one)
        assert outcome.cpu_seconds is not None  # the server measures every child
        if outcome.cpu_seconds * before > TIMED * limits.cpu_seconds:
            self._speed = self._measured_speed()
        return outcome, outcome.cpu_seconds * (before + self._speed) / 2

    def _measured_speed(self) -> float:
        """Return the current speed of this machine, relative to the machine on which the suite was calibrated."""
        outcome = self._converse(Program(self._program.framework, LOOP, Script(), limits=Limits()))
        if outcome.status != "returned":
            raise ExecutorError(f"the speed of the machine could not be measured: {outcome.status}")
        return LOOP_SECONDS / float(outcome.stdout)

    def _converse(self, program: Program) -> Outcome:
        for _ in range(RUNS):
            transcript = converse(self._server, program, self._cancel)
            if not starved(transcript):
                break
        self._transcripts.append(transcript)
        return read_outcome(program, transcript)


def _stopped(ran: tuple[Outcome, float]) -> bool:
    return ran[0].status == "cpu_timeout"


def _case(outcome: Outcome) -> dict[str, Any]:
    if outcome.status == "returned":
        return dict(outcome.value["cases"][0])
    raised = None if outcome.exception is None else asdict(outcome.exception)
    return {"kind": "failed", "status": outcome.status, "exception": raised}
