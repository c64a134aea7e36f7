"""How long until something happens: `--help`, and the first attempt executed, in new processes, the median of several.

python benchmarks/startup.py [--quick] [--json FILE]
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from common import parse, report

COMMAND = [sys.executable, "-m", "repair_bench"]


def seconds(command: list[str], times: int) -> float:
    taken = []
    for _ in range(times):
        began = time.perf_counter()
        subprocess.run(command, check=True, capture_output=True)
        taken.append(time.perf_counter() - began)
    return statistics.median(taken)


def first_attempt(framework: str) -> float:
    """Until the first line of `attempts.jsonl` is on disk."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder, "run")
        options = ["run", "--framework", framework, "--limit", "1", "--max-attempts", "0", "--out", str(out), "--json"]
        began = time.perf_counter()
        with subprocess.Popen([*COMMAND, *options], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            trace = out / "attempts.jsonl"
            while process.poll() is None and not (trace.exists() and trace.stat().st_size):
                time.sleep(0.005)
            return time.perf_counter() - began


def main() -> None:
    options = parse(__doc__)
    times = 1 if options.quick else 5
    bare = seconds([sys.executable, "-c", "pass"], times)
    rows = [{"what": "python -c pass", "seconds": round(bare, 3), "times that": 1.0}]
    found = {"--help": seconds([*COMMAND, "--help"], times)}
    for framework in ("qiskit", "pennylane", "cirq"):
        found[f"first attempt, {framework}"] = statistics.median(first_attempt(framework) for _ in range(times))
    rows += [{"what": name, "seconds": round(s, 3), "times that": round(s / bare, 1)} for name, s in found.items()]
    report("Start-up", rows, options.json)


if __name__ == "__main__":
    main()
