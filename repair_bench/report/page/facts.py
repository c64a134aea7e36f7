"""Texts for the page of a run: the run's settings, from the manifest, and counts of the run's results."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from repair_bench.analysis.runs.reply_kinds import dropped
from repair_bench.report.display_names import display_names
from repair_bench.report.sections.counts import SUMS
from repair_bench.report.table import Sum
from repair_bench.text import count
from repair_bench.traces.record.labels import DOUBTS
from repair_bench.traces.record.lazy_attempt import Recorded
from repair_bench.traces.record.printable import printable
from repair_bench.traces.run.manifest import Manifest


def counts(manifest: Manifest, attempts: Sequence[Recorded], summary: Mapping[str, Any]) -> dict[str, tuple[str, str]]:
    """Return the numbers that are shown at the top of the page of a run.

    The dict maps the name of each number to the number and a remark ("" for no remark).
    """
    rows, total, roles = summary["rows"], summary["total"], summary["total"].get("roles", {})
    planned, started = manifest.episodes, total["episodes"]
    numbers = {
        "episodes": (f"{started:,}", f"of {planned:,} planned" if planned and planned != started else ""),
        "counted in rates": (f"{sum(row['counted'] for row in rows):,}", ""),
        "attempts": (f"{len(attempts):,}", ""),
        "infrastructure errors": (f"{sum(row['faults'] for row in rows):,}", ""),
        "not finished": (f"{sum(row['incomplete'] for row in rows) + max(0, (planned or 0) - started):,}", ""),
    }
    for key, (name, form) in SUMS.items():
        cell = Sum(total[key]["known"], total[key]["unknown"], form)
        parts = [f"{role} {Sum(sums[key]['known'], sums[key]['unknown'], form)}" for role, sums in roles.items()]
        numbers[name] = cell.figure, "; ".join(filter(None, [cell.detail, ", ".join(parts)]))
    return numbers


def settings(manifest: Manifest, attempts: Sequence[Recorded]) -> dict[str, str]:
    """Return the settings and the environment of a run, as recorded in the manifest."""
    experiment = manifest.experiment
    stated = {
        "started": manifest.created_at,
        "models": ", ".join(
            f"{model} (simulated)" if manifest.is_simulated(model) else str(model)
            for model in experiment.get("models") or ()
        ),
        "short names": display_names(manifest, attempts).legend().removeprefix("Short names: "),
        "suites": ", ".join(
            f"{name} {version} ({content[:12]})" for name, (version, content) in manifest.suite_contents.items()
        ),
        "frameworks": ", ".join(_versions(name, manifest) for name in experiment.get("frameworks") or ()),
        "repair rounds": experiment.get("max_attempts"),
        "samples": experiment.get("samples"),
        "first problems only": experiment.get("limit"),
        "seed": experiment.get("seed"),
        "conditions": ", ".join(conditions(manifest)),
        "temperatures": _temperatures(experiment, attempts),
        "rule": printable(", ".join(sorted({a.verdict.rule for a in attempts if a.verdict is not None}))),
        "protocol": experiment.get("protocol"),
        "limits": _pairs((experiment.get("limits") or {}).get("default")),
        "sandbox": "; ".join(f"{name}: {_layers(layers)}" for name, layers in manifest.sandbox.items()),
        "driver": _pairs(manifest.versions.get("driver")),
        "machine": _pairs(manifest.platform),
        "excluded": "; ".join(f"{count(n, 'task')}: {reason}" for reason, n in manifest.exclusions.items()),
    }
    stated |= {label: ", ".join(task for _, task in manifest.labelled(label)) for label in DOUBTS}
    return {name: str(value) for name, value in stated.items() if value not in (None, "")}


def conditions(manifest: Manifest) -> dict[str, dict[str, str]]:
    return {
        name: {field.replace("_", " "): _text(value) for field, value in fields.items()}
        for name, fields in manifest.conditions.items()
    }


def _versions(framework: str, manifest: Manifest) -> str:
    versions = manifest.versions.get(framework) or {}
    version = versions.get(framework)
    return f"{framework} {version} (python {versions.get('python', 'unknown')})" if version else framework


def _temperatures(experiment: Mapping[str, Any], attempts: Sequence[Recorded]) -> str | None:
    """Describe the requested temperatures, and name the models that reject the parameter `temperature`."""
    requested = experiment.get("temperature")
    if requested is None:
        return None
    without = [model for model, names in dropped(attempts).items() if "temperature" in names]
    if without and set(experiment.get("models") or ()) <= set(without):
        return "provider default (the parameter is rejected)"
    stated = f"first {_text(requested.get('first'))}, repairs {_text(requested.get('repairs'))}"
    return f"{stated}; provider default for {', '.join(without)}" if without else stated


def _layers(layers: Mapping[str, str]) -> str:
    off = [layer for layer, state in layers.items() if state != "on"]
    return f"{len(layers) - len(off)} of {len(layers)} layers on" + (f" (not: {', '.join(off)})" if off else "")


def _pairs(values: Mapping[str, Any] | None) -> str:
    return ", ".join(f"{name.replace('_', ' ')} {_text(value)}" for name, value in (values or {}).items())


def _text(value: Any) -> str:
    if value is None:
        return "not set"
    return value if isinstance(value, str) else json.dumps(value)
