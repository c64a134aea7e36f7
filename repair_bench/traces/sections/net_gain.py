"""Where a rule is noisy: the gain of repairs less what luck alone gives."""

from __future__ import annotations

from typing import Any

from repair_bench.traces.analysis.effects import net_gain
from repair_bench.traces.faults import UsageError
from repair_bench.traces.metrics import group
from repair_bench.traces.notices import sampled_rules
from repair_bench.traces.sections.base import Row, Section, Studied, interval, points

_KEYS = ("model", "suite", "condition")


def section(run: Studied) -> Section:
    """One row a model, suite and condition, where a sampled rule judged the run; none where verdicts are exact."""
    certificate = run.certificate
    if certificate is not None:
        suites = {e.first.suite for e in run.paths}
        rules = {a.verdict.rule for e in run.paths for a in e.attempts if a.verdict is not None}
        if certificate["suite"] not in suites or not rules & {certificate["rule"]}:
            raise UsageError(
                f"the certificate is of {certificate['suite']} under the rule {certificate['rule']}; this run is of "
                f"{', '.join(sorted(suites))} under {', '.join(sorted(rules))}"
            )
    rows = []
    if run.repairs and (certificate is not None or sampled_rules(run.paths)):
        for key, members in group(run.paths, *_KEYS).items():
            known = certificate if certificate is not None and certificate["suite"] == key[1] else None
            found = net_gain(members, run.repairs, run.repairs, known)
            rows.append(
                {
                    **dict(zip(_KEYS, key, strict=True)),
                    "gain": interval(found.gain, "gain"),
                    "phantom": found.phantom,
                    "net": None if found.net is None else interval(found.net, "gain"),
                }
            )
    asked = "" if certificate is not None else (
        " Give the rule's certificate, --certificate FILE, to have the phantom part subtracted: "
        "`repair-bench suites audit SUITE --rule RULE --out DIR` makes it."
    )  # fmt: skip
    return Section(
        f"Phantom repair: FB@{run.repairs} minus Pass@1, in points",
        "phantom: what a rule that draws samples gives to unchanged correct answers alone, by the suite's certificate, "
        "if every first answer were correct: the most that luck can give, so that net is the least that repair gained."
        f"{asked}",
        rows,
        _shown,
    )


def _shown(row: dict[str, Any]) -> Row:
    return {
        **{key: str(row[key]) for key in _KEYS},
        "gain": points(row["gain"], "gain"),
        "phantom": "unknown" if row["phantom"] is None else f"{100 * row['phantom']:.1f}",
        "net": "unknown" if row["net"] is None else points(row["net"], "gain"),
    }
