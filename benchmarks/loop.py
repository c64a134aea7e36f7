"""The cost of the repair loop, excluding model and simulator.

python benchmarks/loop.py [--quick] [--json FILE] [--inspect]

The first part measures the CPU time per attempt without execution: a scripted model answers immediately, and outcomes
are recorded. The second measures attempts per second of the whole loop with the real executor, 8 in flight, 5 attempts
per episode. The loop is compared with one that only calls the executor and, with --inspect, with inspect-ai, its mock
model and its local sandbox in a separate environment (installed into build/ on first use). The program either only
prints, or imports Qiskit and Aer.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from common import parse, report
from driving import drive, episodes

from repair_bench.executors.local import LocalExecutor
from repair_bench.executors.program import Call, Program
from repair_bench.testing.scripted_model import ScriptedModel
from repair_bench.traces.record.records import Outcome

ATTEMPTS, IN_FLIGHT = 5, 8
PROGRAMS = {
    "prints": ("python", "print(1)"),
    "imports Qiskit and Aer": ("qiskit", "import qiskit, qiskit_aer\nprint(1)"),
}
INSPECT = "inspect-ai==0.3.285"
ENVIRONMENT = Path(__file__).parents[1] / "build" / "inspect"


class Recorded:
    """Returns a recorded outcome."""

    async def run(self, program: Program) -> Outcome:  # noqa: ARG002
        return Outcome("no_entry", cpu_seconds=0.0, wall_seconds=0.0)


def overhead(number: int) -> dict[str, object]:
    """Return CPU and wall-clock milliseconds per attempt, without its execution."""
    model = Answers("print(1)")
    with tempfile.TemporaryDirectory() as folder:
        taken = episodes(number, "python", ATTEMPTS - 1, model.name)
        wall, cpu = time.perf_counter(), time.process_time()
        asyncio.run(drive(Path(folder, "run"), taken, model, Recorded(), 16))
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    made = number * ATTEMPTS
    return {"attempts": made, "CPU ms": round(1e3 * cpu / made, 2), "wall ms": round(1e3 * wall / made, 2)}


class Answers(ScriptedModel):
    """Always returns the same program, and does not record requests."""

    def __init__(self, code: str) -> None:
        super().__init__([f"```python\n{code}\n```"])

    async def complete(self, request):  # noqa: ANN001, ANN201
        answer = await super().complete(request)
        self.requests.clear()
        return answer


def loop_rate(framework: str, code: str, number: int) -> float:
    """Return attempts per second of the whole loop."""
    model = Answers(code)

    async def go() -> float:
        async with LocalExecutor() as executor:
            await executor.run(Program(framework, code, Call("answer", "state")))  # warm-up
            with tempfile.TemporaryDirectory() as folder:
                taken = episodes(number, framework, ATTEMPTS - 1, model.name)
                began = time.perf_counter()
                await drive(Path(folder, "run"), taken, model, executor, IN_FLIGHT)
                return number * ATTEMPTS / (time.perf_counter() - began)

    return asyncio.run(go())


def bare_rate(framework: str, code: str, number: int) -> float:
    """Return attempts per second of a loop that only calls the executor."""

    async def go() -> float:
        async with LocalExecutor() as executor:
            program = Program(framework, code, Call("answer", "state"))
            await executor.run(program)
            gate = asyncio.Semaphore(IN_FLIGHT)

            async def one() -> None:
                async with gate:
                    await executor.run(program)

            began = time.perf_counter()
            await asyncio.gather(*(one() for _ in range(number * ATTEMPTS)))
            return number * ATTEMPTS / (time.perf_counter() - began)

    return asyncio.run(go())


def inspect_rate(code: str, number: int) -> float:
    """Return attempts per second of inspect-ai on the same work, in a separate environment."""
    with tempfile.TemporaryDirectory() as folder:
        script = Path(__file__).with_name("inspect_side.py")
        given = {
            "code": code,
            "samples": number,
            "attempts": ATTEMPTS,
            "in_flight": IN_FLIGHT,
            "python": sys.executable,
        }
        done = subprocess.run(
            [ENVIRONMENT / "bin" / "python", script, json.dumps(given)],
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=3600,
            check=False,
        )
        if done.returncode:
            raise SystemExit(f"inspect-ai failed:\n{done.stderr[-2000:]}")
        return float(done.stdout.splitlines()[-1])


def have_inspect() -> bool:
    """Whether inspect-ai is installed or can be; if not, the reason is printed."""
    if (ENVIRONMENT / "bin" / "inspect").exists():
        return True
    subprocess.run([sys.executable, "-m", "venv", ENVIRONMENT], check=True)
    done = subprocess.run([ENVIRONMENT / "bin" / "python", "-m", "pip", "install", "-q", INSPECT], check=False)
    if done.returncode:
        print(f"{INSPECT} could not be installed: no comparison.")
    return done.returncode == 0


def main() -> None:
    options = parse(__doc__, inspect="also measure inspect-ai (installs it first)")
    report("CPU time of the loop without execution", [overhead(100 if options.quick else 1000)], options.json)
    beside = options.inspect and have_inspect()
    rows = []
    for name, (framework, code) in PROGRAMS.items():
        number = 10 if options.quick else 100
        ours = loop_rate(framework, code, number)
        bare = bare_rate(framework, code, number)
        row = {"program": name, "loop /s": round(ours, 1), "bare /s": round(bare, 1), "of bare": round(ours / bare, 2)}
        if beside:
            theirs = inspect_rate(code, number if framework == "python" else max(4, number // 20))
            row |= {"inspect-ai /s": round(theirs, 2), "times inspect-ai": round(ours / theirs, 1)}
        rows.append(row)
    report(f"Attempts per second, {IN_FLIGHT} in flight, {ATTEMPTS} attempts per episode", rows, options.json)


if __name__ == "__main__":
    main()
