"""Net gain of runs graded by a noisy rule: the gain from repairs minus the expected gain from grader noise."""

from __future__ import annotations

from repair_bench.analysis.comparing.effects import net_gain
from repair_bench.analysis.runs.notices import sampled_rules
from repair_bench.report.sections.base import KEYS, RunData, difference, interval, named, named_groups
from repair_bench.report.table import Rate, Table, Unknown
from repair_bench.traces.faults import UsageError


def section(run: RunData) -> Table:
    """Return the net gains of a run that was graded by a noisy rule, with one row per model, suite and condition."""
    certificate = run.certificate
    if certificate is not None:
        suites = {e.first.suite for e in run.episodes}
        rules = {a.verdict.rule for e in run.episodes for a in e.attempts if a.verdict is not None}
        if certificate["suite"] not in suites or not rules & {certificate["rule"]}:
            raise UsageError(
                f"This certificate is for {certificate['suite']}, rule {certificate['rule']}, but the run is for "
                f"{', '.join(sorted(suites))}, rule {', '.join(sorted(rules))}. Pass its certificate."
            )
    rows = []
    if run.repairs and (certificate is not None or sampled_rules(run.episodes)):
        for names, members in named_groups(run.episodes, *KEYS):
            known = certificate if certificate is not None and certificate["suite"] == names["suite"] else None
            gained = net_gain(members, run.repairs, known)
            net = None if gained.net is None else interval(gained.net, "gain")
            rows.append({**names, "gain": interval(gained.gain, "gain"), "phantom": gained.phantom, "net": net})
    make = (
        " To subtract spurious repairs, pass --certificate FILE. `repair-bench suites audit SUITE --rule RULE --out "
        "DIR` writes this file."
    )
    return Table.of(
        f"Gain corrected for spurious repairs: FB@{run.repairs} - Pass@1, in percentage points",
        rows,
        lambda row: {
            **named(row, KEYS),
            "gain": difference(row["gain"], "gain"),
            "spurious": Rate(row["phantom"], word="unknown"),
            "net": Unknown("unknown") if row["net"] is None else difference(row["net"], "gain"),
        },
        "spurious: the gain from grader noise alone, which may first reject a correct answer and later accept the same "
        "answer. The suite's certificate contains the spurious gain. The spurious gain is an estimate, not a bound: "
        "incorrect answers usually gain less from noise than correct answers, but nearly correct answers may gain "
        f"more. net: gain minus spurious.{make if certificate is None else ''}",
    )
