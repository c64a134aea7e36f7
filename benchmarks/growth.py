"""Time and memory of runs with 1k, 10k and 100k episodes and recorded outcomes, each in a separate process.

    python benchmarks/growth.py [--quick] [--json FILE]

Two attempts per episode, samples of 100 tasks, 64 in flight. Memory is the peak of the process. The index of the trace
(the positions of attempts and completions in their files) grows with the run; it is measured separately, as the memory
that a new process needs to open the run.
"""

from __future__ import annotations

import asyncio
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from common import parse, report
from driving import drive, episodes
from loop import Answers, Recorded

OPEN = """
import sys
from pathlib import Path
from repair_bench.traces.run.manifest import Manifest
from repair_bench.traces.run.store import RunStore
def held():
    return int(next(l for l in open("/proc/self/status") if l.startswith("VmRSS")).split()[1]) / 1024
before = held()
store = RunStore.resume(Path(sys.argv[1]), Manifest.from_json({}))
print(held() - before)
"""


def measure(number: int) -> dict[str, float]:
    """Measure one run in this process."""
    model = Answers("print(1)")
    _run(100, model)  # the first episodes import modules
    before = _peak()
    began, cpu = time.perf_counter(), time.process_time()
    disk, index = _run(number, model)
    return {
        "seconds": time.perf_counter() - began,
        "cpu": time.process_time() - cpu,
        "before": before,
        "peak": _peak(),
        "disk": disk,
        "index": index,
    }


def _run(number: int, model: Answers) -> tuple[float, float]:
    """Return the size on disk and of the index in memory, in MiB."""
    with tempfile.TemporaryDirectory() as folder:
        taken = episodes(number, "python", 1, model.name, tasks=100)
        asyncio.run(drive(Path(folder, "run"), taken, model, Recorded(), 64))
        opened = subprocess.run(
            [sys.executable, "-c", OPEN, f"{folder}/run"], check=True, capture_output=True, text=True
        )
        disk = sum(file.stat().st_size for file in Path(folder, "run").iterdir()) / 2**20
    return disk, float(opened.stdout)


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    if len(sys.argv) == 3 and sys.argv[1] == "--measure":
        print(json.dumps(measure(int(sys.argv[2]))))
        return
    options = parse(__doc__)
    rows, base = [], None
    for number in (500, 1_500) if options.quick else (1_000, 10_000, 100_000):
        command = [sys.executable, __file__, "--measure", str(number)]
        found = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        base = base or found
        rows.append(
            {
                "episodes": number,
                "seconds": round(found["seconds"], 1),
                "CPU ms per attempt": round(1e3 * found["cpu"] / number / 2, 2),
                "MiB before": round(found["before"]),
                "peak MiB": round(found["peak"]),
                "MiB of the index": round(found["index"]),
                "beyond it, times the first": round(
                    (found["peak"] - found["index"]) / (base["peak"] - base["index"]), 2
                ),
                "MiB on disk": round(found["disk"], 1),
            }
        )
    report("Growth of a run", rows, options.json)


if __name__ == "__main__":
    main()
