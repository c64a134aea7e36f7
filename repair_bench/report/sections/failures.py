"""Classes of failures before and after feedback."""

from __future__ import annotations

from repair_bench.analysis.rates.metrics import counted, errors
from repair_bench.analysis.taxonomy import ERROR_CLASSES
from repair_bench.report.sections.base import FRAMEWORK_KEYS, RunData, named, named_groups
from repair_bench.report.table import Both, Table


def section(run: RunData) -> Table:
    rows = []
    for names, members in named_groups(run.episodes, *FRAMEWORK_KEYS):
        if counted(members, 0):
            before, after = errors(members, run.repairs)
            classes = {name: {"before": before[name], "after": after[name]} for name in ERROR_CLASSES}
            rows.append({**names, "classes": classes})
    return Table.of(
        "Failures before and after feedback",
        rows,
        lambda row: {
            **named(row, FRAMEWORK_KEYS),
            **{name: Both(n["before"], n["after"], " → ") for name, n in row["classes"].items()},
        },
        "Each column is a class of failures. Before the arrow: the number of episodes whose first answer is in this "
        "class. After the arrow: the number of episodes whose last known attempt is in this class.",
    )
