"""Time and memory of reading a run and its report: 10k, 100k and 1M synthetic attempts, in separate processes.

    python benchmarks/report_growth.py [--quick] [--json FILE]

The attempts are synthetic, seeded, and as long as those of a real run: conversations, code, tracebacks, observed
distributions. The table shows bytes on disk, CPU seconds of each part of the report, and peak memory. Time is linear if
the cost of an additional attempt (`us a further one`) is constant; plots dominate the time of the smallest run.
"""

from __future__ import annotations

import dataclasses
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from repair_bench.traces.record.records import Attempt, Completion, ExceptionInfo, Feedback, Outcome, Verdict

REPAIRS = 5
PARTS: dict[str, type] = {
    "completion": Completion,
    "exception": ExceptionInfo,
    "feedback": Feedback,
    "outcome": Outcome,
    "verdict": Verdict,
}
MODELS = ("sim/a", "sim/b", "sim/c", "sim/d")
FRAMEWORKS = ("qiskit", "pennylane", "cirq")
CONDITIONS = ("default", "none")
TASKS = 42
CATEGORIES = ("algorithms", "states", "gates", "protocols")
PROMPT = "Write a function that returns the circuit of this task, and nothing else. " * 14
CODE = (
    "from qiskit import QuantumCircuit\n\ndef solve(n):\n    circuit = QuantumCircuit(n)\n" + "    circuit.h(0)\n" * 20
)


def attempts(total: int, seed: int = 0) -> Iterator[dict[str, Any]]:
    """Yield the first `total` attempts of an endless series that cycles through models, frameworks and conditions."""
    draw = random.Random(seed)
    made = 0
    for number in range(total):
        sample, place = divmod(number, len(MODELS) * len(FRAMEWORKS) * len(CONDITIONS) * TASKS)
        place, task = divmod(place, TASKS)
        place, framework = divmod(place, len(FRAMEWORKS))
        condition, model = divmod(place, len(MODELS))
        for line in _episode(draw, MODELS[model], FRAMEWORKS[framework], CONDITIONS[condition], task, sample):
            if made == total:
                return
            yield line
            made += 1


def _episode(
    draw: random.Random, model: str, framework: str, condition: str, task: int, sample: int
) -> Iterator[dict[str, Any]]:
    name = f"{model}|{framework}|{task}|{sample}"
    episode = f"{draw.getrandbits(64):016x}"
    messages = [{"role": "user", "content": PROMPT}]
    parent = None
    for number in range(REPAIRS + 1):
        passed = draw.random() < (0.3 if number == 0 else 0.15)
        own = f"# {draw.getrandbits(40)}\n{CODE}"
        identity = f"root {name}" if number == 0 else f"{draw.getrandbits(64):016x}"
        yield {
            "id": identity,
            "parent": parent,
            "episode": episode,
            "run": "synthetic",
            "model": model,
            "suite": "synthetic",
            "suite_version": "1",
            "task_id": f"{task:02}",
            "framework": framework,
            "category": CATEGORIES[task % len(CATEGORIES)],
            "difficulty": None,
            "condition": condition,
            "sample": sample,
            "attempt": number,
            "feedback": {"policy": condition, "text": messages[-1]["content"], "donor": None} if number else None,
            "messages": messages,
            "completion": {
                "text": f"Here it is:\n```python\n{own}```",
                "usage": {"prompt_tokens": 300 + 250 * number, "completion_tokens": draw.randrange(150, 900)},
                "cost_usd": draw.random() / 100,
                "latency_seconds": draw.expovariate(0.5),
            },
            "code": own,
            **_judged(draw, passed),
            "fault": None,
            "started_at": "2026-01-01T00:00:00.000+00:00",
            "finished_at": "2026-01-01T00:00:02.000+00:00",
            "schema": 2,
        }
        if passed:
            return
        parent = identity
        feedback = f"It failed:\n{'Traceback: line, file, function and what was raised. ' * 8}"
        messages = [*messages, {"role": "assistant", "content": own}, {"role": "user", "content": feedback}]


def _judged(draw: random.Random, passed: bool) -> dict[str, Any]:
    seconds = {"stdout": "", "cpu_seconds": draw.random(), "wall_seconds": 1 + draw.random(), "sealed": None}
    if passed or draw.random() < 0.4:
        value = {"cases": [{"probabilities": {f"{k:03b}": draw.random() for k in range(8)}}]}
        wrong = {"cases": [{"inputs": {"n": 3}, "got": value, "expected": value, "mismatch": None}], "problem": "far"}
        verdict = {"kind": "pass" if passed else "wrong_answer", "evidence": {} if passed else wrong}
        return {"outcome": {"status": "returned", "value": value, "exception": None, **seconds}, "verdict": verdict}
    missing = draw.randrange(10**6) if draw.random() < 0.3 else draw.randrange(30)  # every third message is unique
    message = f"'QuantumCircuit' object has no attribute 'gate_{missing}'"
    traceback = "Traceback\n" + "  File, line\n" * 12 + message
    raised = {"type": "AttributeError", "message": message, "traceback": traceback}
    outcome = {"status": "exception", "value": None, "exception": raised, **seconds}
    return {"outcome": outcome, "verdict": {"kind": "exception", "evidence": raised}}


def _complete(record: type, values: dict[str, Any] | None) -> dict[str, Any] | None:
    """Return a record with defaults for missing fields."""
    if values is None:
        return None
    made = {}
    for one in dataclasses.fields(record):
        absent = None if one.default_factory is dataclasses.MISSING else one.default_factory()
        made[one.name] = values.get(one.name, absent if one.default is dataclasses.MISSING else one.default)
    for name, kind in PARTS.items():
        if name in made:
            made[name] = _complete(kind, made[name])
    return made


def make(directory: Path, total: int) -> int:
    """Write a synthetic run and return its size in bytes."""
    directory.mkdir()
    (directory / "run.json").write_text(
        json.dumps({"experiment": {"max_attempts": REPAIRS}, "simulated": ["sim/novice"]})
    )
    path = directory / "attempts.jsonl"
    with path.open("w") as file:
        for line in (_complete(Attempt, values) for values in attempts(total)):
            file.write(json.dumps(line, separators=(",", ":")) + "\n")
    return path.stat().st_size


def measure(directory: Path, figures: Path) -> dict[str, Any]:
    """Read and report a run in this process. Return the seconds of each part, and the peak memory in MiB."""
    from repair_bench.analysis.summary import summary
    from repair_bench.report import plots
    from repair_bench.traces.run import run_reader as rows

    def timed(part: Callable[[], Any]) -> tuple[float, Any]:
        began = time.process_time()
        result = part()
        return time.process_time() - began, result

    def drawn(kind: str) -> None:
        with suppress(plots.NothingToDraw):  # the run has no data for some kinds
            plots.draw(kind, run.rows, run.manifest, figures)

    read, run = timed(lambda: rows.load_rows(directory))
    after_reading = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    table, figures_of_run = timed(lambda: summary(run.manifest, run.rows))
    seconds = {"read": read, "table": table}
    for kind in plots.KINDS:
        seconds[kind], _ = timed(lambda kind=kind: drawn(kind))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {
        "attempts": len(run.rows),
        "episodes": figures_of_run["total"]["episodes"],
        "seconds": seconds,
        "total_seconds": sum(seconds.values()),
        "read_mib": after_reading,
        "peak_mib": peak,
    }


def main() -> None:
    if len(sys.argv) == 3 and sys.argv[1] == "--measure":
        run = Path(sys.argv[2])
        print(json.dumps(measure(run, run.parent / "figures")))
        return
    from common import parse, report  # outside the measured process

    options = parse(__doc__)
    rows, parts, found = [], [], {"attempts": 0, "total_seconds": 0.0}
    for total in (2_000, 20_000) if options.quick else (10_000, 100_000, 1_000_000):
        with tempfile.TemporaryDirectory() as scratch:
            run = Path(scratch) / "run"
            size = make(run, total)
            command = [sys.executable, __file__, "--measure", str(run)]
            fewer, found = found, json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
        further = (found["total_seconds"] - fewer["total_seconds"]) / (found["attempts"] - fewer["attempts"])
        rows.append(
            {
                "attempts": found["attempts"],
                "episodes": found["episodes"],
                "MiB on disk": round(size / 2**20),
                "MiB when read": round(found["read_mib"]),
                "MiB at its peak": round(found["peak_mib"]),
                "CPU s": round(found["total_seconds"], 1),
                "us a further one": round(1e6 * further),
            }
        )
        parts.append({"attempts": total, **{name: round(seconds, 1) for name, seconds in found["seconds"].items()}})
    report("Time and memory of a report", rows, options.json)
    report("CPU seconds of its parts", parts, options.json)


if __name__ == "__main__":
    main()
