"""The gain of repairs minus spurious repairs, for noisy rules."""

from __future__ import annotations

from repair_bench.analysis.comparing.effects import net_gain
from repair_bench.analysis.runs.notices import sampled_rules
from repair_bench.report.sections.base import KEYS, RunData, difference, interval, named, named_groups
from repair_bench.report.table import Rate, Table, Unknown
from repair_bench.traces.faults import UsageError


def section(run: RunData) -> Table:
    """Return one row per model, suite and condition if a sampled rule judged the run."""
    certificate = run.certificate
    if certificate is not None:
        suites = {e.first.suite for e in run.episodes}
        rules = {a.verdict.rule for e in run.episodes for a in e.attempts if a.verdict is not None}
        if certificate["suite"] not in suites or not rules & {certificate["rule"]}:
            raise UsageError(
                f"the certificate is of {certificate['suite']} under the rule {certificate['rule']}; this run is of "
                f"{', '.join(sorted(suites))} under {', '.join(sorted(rules))}"
            )
    rows = []
    if run.repairs and (certificate is not None or sampled_rules(run.episodes)):
        for names, members in named_groups(run.episodes, *KEYS):
            known = certificate if certificate is not None and certificate["suite"] == names["suite"] else None
            gained = net_gain(members, run.repairs, known)
            net = None if gained.net is None else interval(gained.net, "gain")
            rows.append({**names, "gain": interval(gained.gain, "gain"), "phantom": gained.phantom, "net": net})
    make = (
        " Give the rule's certificate, --certificate FILE, to have the phantom part subtracted: "
        "`repair-bench suites audit SUITE --rule RULE --out DIR` makes it."
    )
    return Table.of(
        f"Phantom repair: FB@{run.repairs} minus Pass@1, in points",
        rows,
        lambda row: {
            **named(row, KEYS),
            "gain": difference(row["gain"], "gain"),
            "phantom": Rate(row["phantom"], word="unknown"),
            "net": Unknown("unknown") if row["net"] is None else difference(row["net"], "gain"),
        },
        "phantom: what new draws alone give to correct answers that are left unchanged, by the suite's certificate, if "
        "every answer were correct. An estimate and no bound: wrong answers gain less, near misses may gain more. net: "
        f"the gain without it.{make if certificate is None else ''}",
    )
