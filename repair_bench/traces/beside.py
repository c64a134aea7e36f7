"""A run beside the published figures, with everything that keeps the two from being compared said below them.

The run's rows are set apart from the published ones and never ranked among them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from repair_bench.traces import metrics
from repair_bench.traces.beside_tables import TABLES, RunBeside
from repair_bench.traces.metrics import FB_NOTE, group
from repair_bench.traces.notices import interval_note, notices, reference_wrong, repairs_of, sampled_rules
from repair_bench.traces.published import load
from repair_bench.traces.row import Recorded

_SUITES = {
    "quanbench-plus": ("quanbench-plus",),
    "quantum-katas": ("quantum-katas",),
    "qiskit-humaneval": ("qiskit-humaneval",),
}
_TWINS = {"aligned": "the problems of QuanBench+ asked anew, with prompts, references and inputs of its own"}


def beside(name: str, manifest: Mapping[str, Any], attempts: Sequence[Recorded]) -> dict[str, Any]:
    """The run beside a paper of `published.PAPERS`, as JSON data.

    `tables`: {"title", "where", "rows"}, rows being texts by column; a row's `from` is "this run" or "published".
    `caveats`: what keeps the two from being compared. Raises UsageError for another name.
    """
    paper = load(name)
    paths = metrics.episodes(attempts)
    run = RunBeside(paths, manifest, repairs_of(attempts, manifest))
    tables = [made for table in TABLES[name] if (made := table(run, paper))["rows"]]
    return {
        "paper": name,
        "title": paper.title,
        "source": paper.source,
        "notices": notices(paths, manifest),
        "tables": tables,
        "caveats": [*_own(name, run), *paper.caveats],
        "missing": paper.missing,
        "note": FB_NOTE,
    }


def _own(name: str, run: RunBeside) -> list[str]:
    """The caveats that come from this run."""
    said = ["The rows of this run are not ranked among the published ones: tasks, grader, prompts and dates differ."]
    said += [
        f"This run holds the suite {suite}: {_TWINS.get(suite, 'other tasks')}. It is not the published set."
        for suite in sorted({e.first.suite for e in run.paths} - set(_SUITES[name]))
    ]
    if name == "quanbench-plus" and not sampled_rules(run.paths):
        said.append(
            "Graded here by exact outcome probabilities, in each framework's own order; there by 1000 random shots "
            "against one stored draw. `--rule released` grades as the paper's code did."
        )
    if wrong := reference_wrong(run.manifest):
        said.append(f"{len(wrong)} tasks of this run have a reference that is itself wrong; they are in these rates.")
    said.append(f"Intervals: {interval_note(group(run.paths, 'model', 'condition', 'framework').values())}.")
    return said
