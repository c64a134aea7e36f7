"""Verify the shipped runs, recompute the figures of docs/results.md and of the report, and redraw the page's plots.

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
PAGE = HERE.parents[1] / "docs" / "results.md"
IMAGES = PAGE.parent / "images"
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
    page = " ".join(PAGE.read_text("utf-8").split())
    failures += [f"{PAGE.name} does not contain: {line}" for line in recompute.lines(figures) if line not in page]
    print(json.dumps(figures, indent=1))
    print("\n".join(failures) or "Every run is verified; figures and plots are equal.")
    return bool(failures)


def different(figures: dict[str, Any], report: dict[str, Any], asking: dict[str, Any]) -> list[str]:
    """Compare recomputed figures with those of the report, to 1e-9.

    Not compared: the section `best`, which draws random halves, `rows_without_guarded`, which repeats the rates without
    one task, and the ideal observer of `ask`, whose figures the page does not show.
    """
    pairs: list[tuple[str, Any, Any]] = []
    sections = report["sections"]
    for row in report["rows"]:
        name = f"{short(row)} {row['condition']}"
        pairs += [(name, x, percent(y, "rate")) for x, y in zip(figures["rates"][name], row["fb"], strict=True)]
        asked = row["prompt_tokens"]["known"] + row["prompt_tokens"]["unknown"]
        pairs.append((name, figures["requests per solved task"][name], asked / row["fb"][-1]["solved"]))
    for row in sections["effects"]["rows"]:
        name = f"{short(row)} {row['control']} {row['arm']}"
        one = figures["effects"][name]
        pairs += [(name, one[x], row[x]) for x in ("won", "lost", "p", "p_holm")]
        for at in row["by"][1:]:
            pairs.append((name, figures["effects by k"][f"{name} {at['k']}"], percent(at, "difference")))
        pairs.append((name, one["difference"], percent(row["by"][-1], "difference")))
    for row in sections["information"]["rows"]:
        levels = "24" if row["bits"] == "above 0" else row["bits"]
        name = f"{row['condition']} {levels}"
        rates = figures["rates by level"][name]
        pairs += [(name, x, percent(y, "rate")) for x, y in zip(rates, row["fb"], strict=True)]
        if levels != "0":
            pairs += utilisation(name, figures["utilisation"][name], row)
    for row in sections["evidence"]["rows"]:
        if short(row) == "conventions":
            one, name = figures["utilisation"][f"{row['arm']} 24"], f"evidence {row['arm']}"
            for bits in ("received", "used"):
                pairs.append((name, one[bits], [row[f"bits_{bits}"][x] for x in ("bits", "low", "high")]))
        for baseline, at in row["differences"].items():
            one, name = (
                figures["evidence"][f"{short(row)} {baseline} {row['arm']}"],
                f"evidence {row['arm']} {baseline}",
            )
            pairs += [(name, one["difference"], percent(at, "difference"))]
            pairs += [(name, one[x], at[x]) for x in ("p", "p_holm")]
    for row in sections["equal_budget"]["rows"]:
        name = f"{short(row)} {row['arm']} {row['budget']:.0f}"
        pairs.append((name, figures["budgets"][name]["difference"], percent(row, "difference")))
    pairs.append(("redacted", figures["redacted"], sum(row["redacted"] for row in sections["leaks"]["rows"])))
    for row in asking["sections"]["information"]["rows"]:
        if row["bits"] in ("0", "2", "4"):
            rates = figures["ask"][f"level {row['bits']}"]
            pairs += [(f"ask {row['bits']}", x, percent(y, "rate")) for x, y in zip(rates, row["fb"], strict=True)]
    flat = [(name, x, y) for name, one, other in pairs for x, y in zip(numbers(one), numbers(other), strict=True)]
    print(f"{len(flat)} figures compared")
    return [
        f"{name}: recomputed {x}, reported {y}" for name, x, y in flat if (x is None) != (y is None) or not near(x, y)
    ]


def utilisation(name: str, one: dict[str, Any], row: dict[str, Any]) -> list[tuple[str, Any, Any]]:
    pairs = [(name, one[x], [100 * point for point in row[x]]) for x in ("adjusted", "best", "blind", "consistent")]
    pairs += [(name, one["excluded"], percent(row["ignored"], "rate"))]
    pairs += [(name, one["repeated"], percent(row["repeated"], "rate"))]
    pairs += [(name, [one["use"], one["use of consistent"]], [row["use"]["use"], row["consistent_use"]])]
    return [*pairs, (name, one["interval"] or [None, None], [row["use"]["low"], row["use"]["high"]])]


def short(row: dict[str, Any]) -> str:
    return str(row["suite"]).split("?", maxsplit=1)[0]


def percent(row: dict[str, Any], name: str) -> list[float | None]:
    return [None if row[key] is None else 100 * row[key] for key in (name, "low", "high")]


def numbers(one: Any) -> list[float | None]:
    return one if isinstance(one, list) else [one]


def near(x: float | None, y: float | None) -> bool:
    return x is None or y is None or abs(x - y) <= 1e-9


if __name__ == "__main__":
    sys.exit(main())
