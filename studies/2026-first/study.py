"""Verify the shipped runs, recompute their figures, and compare the plots of docs/results.md with the shipped ones.

`python studies/2026-first/study.py` exits with code 1 if anything differs. `--write` replaces the plots. The official
file of Qiskit HumanEval is needed to verify its answers: set REPAIR_BENCH_DATASETS or run `repair-bench suites fetch
qiskit-humaneval` first.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path
from typing import Any

import recompute

HERE = Path(__file__).resolve().parent
IMAGES = HERE.parents[1] / "docs" / "images"
RUNS = ("study", "horizon", "ask")
PLOTS = ("repair-curve", "information", "errors", "budget")
"""The plots of the page, all of the run `study`."""


def repair_bench(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "repair_bench", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=3_600)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="replace the plots")
    # an answer to `horizon` takes up to a minute
    parser.add_argument(
        "--sample", default=10, type=int, help="number of answers per run to execute again (default: 10)"
    )
    parser.add_argument("--all", action="store_true", help="execute all answers again")
    options = parser.parse_args()
    answers = ["--all"] if options.all else [f"--sample={options.sample}"]
    failures = []
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        for run in RUNS:
            with tarfile.open(HERE / f"{run}.tar.xz") as archive:
                archive.extractall(directory, filter="data")
            lock = (directory / run / "study.lock").read_bytes()
            if lock != (HERE / "locks" / f"{run}.lock").read_bytes():
                failures.append(f"{run}: the lock differs from the published one")
            data = ["--data", folder] if (folder := os.environ.get("REPAIR_BENCH_DATASETS")) else []
            verified = repair_bench("verify", directory / run, *answers, *data)
            print(verified.stdout.strip())
            if verified.returncode:
                failures.append(f"{run}: verify ended with {verified.returncode}: {verified.stderr.strip()}")
        drawn = directory / "plots"
        repair_bench("plot", directory / "study", "--out", drawn, *(f"--kind={kind}" for kind in PLOTS))
        for kind in PLOTS:
            shipped, new = IMAGES / f"first-study-{kind}.png", (drawn / f"{kind}.png").read_bytes()
            if options.write:
                shipped.write_bytes(new)
            elif shipped.read_bytes() != new:
                failures.append(f"{shipped.name}: the redrawn plot differs")
        report = json.loads(repair_bench("report", directory / "study", "--json").stdout)
        asking = json.loads(repair_bench("report", directory / "ask", "--json").stdout)
    figures = recompute.figures()
    failures += different(figures, report, asking)
    print(json.dumps(figures, indent=1))
    print("\n".join(failures) or "Every run is verified; figures and plots are equal.")
    return bool(failures)


def different(figures: dict[str, Any], report: dict[str, Any], asking: dict[str, Any]) -> list[str]:
    """Compare recomputed figures with those of the report, to 1e-9."""
    pairs: list[tuple[str, float, float]] = []
    for row in report["rows"]:
        name = f"{row['suite'].split('?')[0]} {row['condition']}"
        pairs += [(name, x, 100 * y["rate"]) for x, y in zip(figures["rates"][name], row["fb"], strict=True)]
        solved = row["fb"][-1]["solved"]
        asked = row["prompt_tokens"]["known"] + row["prompt_tokens"]["unknown"]
        pairs.append((f"{name} requests", figures["requests per solved task"][name], asked / solved))
    for row in report["sections"]["effects"]["rows"]:
        name = f"{row['suite'].split('?')[0]} {row['control']} {row['arm']}"
        if one := figures["effects"].get(name):
            last = row["by"][-1]
            shown = (100 * last["difference"], *(100 * last[end] for end in ("low", "high")), row["p"], row["p_holm"])
            pairs += [(name, x, y) for x, y in zip(numbers(one), shown, strict=True)]
    for row in asking["sections"]["information"]["rows"]:
        if str(row["bits"]) in "024":
            pairs.append(
                (f"ask {row['bits']}", figures["ask"][f"level {row['bits']}"][-1], 100 * row["fb"][-1]["rate"])
            )
    print(f"{len(pairs)} figures compared")
    return [f"{name}: recomputed {x}, reported {y}" for name, x, y in pairs if abs(x - y) > 1e-9]


def numbers(effect: dict[str, Any]) -> tuple[float, ...]:
    return effect["difference"], *effect["interval"], effect["p"], effect["p_holm"]


if __name__ == "__main__":
    sys.exit(main())
