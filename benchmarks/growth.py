"""How a run grows: time and memory of 1k, 10k and 100k episodes with recorded outcomes, each in a process of its own.

    python benchmarks/growth.py [--quick] [--json FILE]

Two attempts an episode, 64 in flight. Memory is the peak of the process less what it held before the first episode; the
index of the trace grows with the run, a few hundred bytes an episode.
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


def measure(number: int) -> dict[str, float]:
    """One run, in this process."""
    model = Answers("print(1)")
    _run(100, model)  # what the first episodes import
    before = _peak()
    began, cpu = time.perf_counter(), time.process_time()
    disk = _run(number, model)
    return {
        "seconds": time.perf_counter() - began,
        "cpu": time.process_time() - cpu,
        "before": before,
        "peak": _peak(),
        "disk": disk,
    }


def _run(number: int, model: Answers) -> float:
    """Its size on disk, in MiB."""
    with tempfile.TemporaryDirectory() as folder:
        taken = episodes(number, "python", 1, model.name)
        asyncio.run(drive(Path(folder, "run"), taken, model, Recorded(), 64))
        return sum(file.stat().st_size for file in Path(folder, "run").iterdir()) / 2**20


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    if len(sys.argv) == 3 and sys.argv[1] == "--measure":
        print(json.dumps(measure(int(sys.argv[2]))))
        return
    options = parse(__doc__)
    rows, base = [], None
    for number in (1_000, 3_000) if options.quick else (1_000, 10_000, 100_000):
        command = [sys.executable, __file__, "--measure", str(number)]
        found = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        base = base or found
        rows.append(
            {
                "episodes": number,
                "seconds": round(found["seconds"], 1),
                "CPU ms an attempt": round(1e3 * found["cpu"] / number / 2, 2),
                "MiB before": round(found["before"]),
                "MiB at its peak": round(found["peak"]),
                "times the first": round(found["peak"] / base["peak"], 2),
                "bytes an episode": round((found["peak"] - found["before"]) * 2**20 / number),
                "MiB on disk": round(found["disk"], 1),
            }
        )
    report("Growth of a run", rows, options.json)


if __name__ == "__main__":
    main()
