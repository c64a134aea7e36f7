"""Short names of models, suites and conditions, for tables, plots and pages.

The experiment may set a short name (`names`); the default is the shortest form of the name that is unique in the run.
Data, filters and URLs use full names.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from repair_bench.traces.record.lazy_attempt import Recorded
from repair_bench.traces.run.manifest import Manifest

KINDS = {
    "model": "model",
    "suite": "suite",
    "condition": "condition",
    "prompt": "condition",
    "arm": "condition",
    "control": "condition",
    "best condition": "condition",
}
"""Maps each column or field that contains names to the kind of these names."""
MAX_LENGTH = 24
"""The maximum length of a derived short name, in characters. Parts are removed from a longer name if the remaining name
is still unique."""
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_SEPARATORS = re.compile(r"[-_:.,+&?=#/ ]+")


@dataclass(frozen=True)
class DisplayNames:
    """The short names of a run: for each kind of name, a mapping from full names to short names."""

    by_kind: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    def of(self, column: str, name: object) -> str:
        """Return the short name that the given column or field shows for `name`, or `name` itself if no short name
        exists.
        """
        return self.by_kind.get(KINDS.get(column, ""), {}).get(str(name), str(name))

    def legend(self, limit: int = 12) -> str:
        """Return a sentence that explains the short names, or an empty string if there are none."""
        pairs = [pair for names in self.by_kind.values() for pair in names.items()]
        short = [f"{shown} = {full}" for full, shown in pairs if shown != full]
        if not short:
            return ""
        more = f"; and {len(short) - limit} more" if len(short) > limit else ""
        return f"Short names: {'; '.join(short[:limit])}{more}."


def display_names(manifest: Manifest, attempts: Iterable[Recorded] = ()) -> DisplayNames:
    """Return the short names of the models, suites and conditions in the manifest and the attempts of a run."""
    experiment = manifest.experiment
    found: dict[str, dict[str, None]] = {
        "model": dict.fromkeys(map(str, experiment.get("models") or ())),
        "suite": dict.fromkeys(map(str, experiment.get("suites") or ())),
        "condition": dict.fromkeys(manifest.conditions),
    }
    for attempt in attempts:
        found["model"][attempt.model] = found["suite"][attempt.suite] = found["condition"][attempt.condition] = None
    chosen = manifest.resources.get("names") or {}
    return DisplayNames({kind: short_names(list(names), kind, chosen) for kind, names in found.items()})


def short_names(names: Sequence[str], kind: str, chosen: Mapping[str, str]) -> dict[str, str]:
    """Return a unique short name for each name.

    `chosen`: the short names that the experiment file defines for full names.
    """
    forms = {name: _forms(name, kind, names) for name in names}
    for name in names:
        shown = chosen.get(name, "").strip()
        if shown and shown not in names and list(chosen.values()).count(chosen[name]) == 1:
            forms[name] = [shown]
    level = dict.fromkeys(names, 0)
    while True:
        short = {name: forms[name][level[name]] for name in names}
        counts = Counter(short.values())
        longer = [n for n in names if counts[short[n]] > 1 and level[n] + 1 < len(forms[n])]
        if not longer:
            break
        for name in longer:
            level[name] += 1
    if kind != "model":
        return short
    trimmed = {n: _trimmed(s, short) if not level[n] and len(forms[n]) > 1 else s for n, s in short.items()}
    return trimmed if len(set(trimmed.values())) == len(names) else short


def _forms(name: str, kind: str, names: Collection[str]) -> list[str]:
    """Return the possible forms of a name, from the shortest form to the full name."""
    if kind == "condition":
        parts = [other.split("+") for other in names]
        common = set.intersection(*map(set, parts)) if len(parts) > 1 else set()
        return ["+".join(part for part in name.split("+") if part not in common) or name, name]
    base, mark, query = name.partition("?")
    others = [other.partition("?")[2].split("&") for other in names if other.partition("?")[0] == base]
    same = set.intersection(*map(set, others))
    differing = [part for part in query.split("&") if part not in same]
    settings = ["&".join(differing[:end]) for end in range(1, len(differing) + 1)] or [""]
    forms = [base]
    if kind == "model" and not name.startswith("sim/"):  # a simulated model must look simulated
        provider, last = base.partition("/")[0], base.rpartition("/")[2]
        forms = [last, f"{last} ({provider})", base] if last else forms
    longer = ((end, *(f"{end}{mark}{part}" for part in settings)) for end in forms)
    return [*dict.fromkeys(form for ends in longer for form in ends if form), name]


def _trimmed(shown: str, short: Mapping[str, str]) -> str:
    """Remove parts at the end or the beginning of a long name, but only if what remains is unique."""
    if len(shown) <= MAX_LENGTH:
        return shown
    others = [other for other in short.values() if other != shown]
    dates = [match.span() for match in _DATE.finditer(shown)]
    cuts = [match.start() for match in _SEPARATORS.finditer(shown) if match.start()]
    cuts = [cut for cut in cuts if not any(begin < cut < end for begin, end in dates)]
    unique = [cut for cut in cuts if not any(other.startswith(shown[:cut]) for other in others)]
    if fitting := [cut for cut in unique if cut <= MAX_LENGTH]:
        return shown[: fitting[-1]]
    ends = [match.end() for match in _SEPARATORS.finditer(shown)] if others else []
    begins = [0, *(end for end in ends if all(other.startswith(shown[:end]) for other in others))]
    begin = begins[max(0, len(begins) - 2)]  # keep one shared part
    part = shown[begin:]
    return shown if any(other.endswith(part) for other in others) else part
