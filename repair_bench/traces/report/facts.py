"""What was run: the essentials of the manifest in words, and the counts of what came of it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from repair_bench.traces.notices import count, excluded
from repair_bench.traces.row import Recorded


def counts(
    manifest: dict[str, Any], attempts: Sequence[Recorded], summary: dict[str, Any]
) -> dict[str, tuple[str, str]]:
    """The numbers at the head of the report, each with what stands below it."""
    rows, total = summary["rows"], summary["total"]
    planned = manifest.get("episodes")
    begun = total["episodes"]
    said = {
        "episodes": (f"{begun:,}", f"of {planned:,} planned" if planned and planned != begun else ""),
        "counted in rates": (f"{sum(row['counted'] for row in rows):,}", ""),
        "attempts": (f"{len(attempts):,}", ""),
        "faults": (f"{sum(row['faults'] for row in rows):,}", ""),
        "not finished": (f"{sum(row['incomplete'] for row in rows) + max(0, (planned or 0) - begun):,}", ""),
    }
    for name, key, form in (
        ("tokens in", "prompt_tokens", ",.0f"),
        ("tokens out", "completion_tokens", ",.0f"),
        ("cost, USD", "cost_usd", ",.4f"),
    ):
        said[name] = _sum(total[key], form)
    return said


def settings(manifest: dict[str, Any]) -> dict[str, str]:
    """What was asked for, and on what it ran; what the manifest does not hold is left out."""
    experiment = manifest.get("experiment") or {}
    made_up = manifest.get("simulated") or []
    said = {
        "begun": manifest.get("created_at"),
        "models": ", ".join(
            f"{model} (simulated)" if made_up is True or model in made_up else str(model)
            for model in experiment.get("models") or ()
        ),
        "suites": ", ".join(
            f"{name} {version} ({content[:12]})"
            for name, (version, content) in (experiment.get("suite_contents") or {}).items()
        ),
        "frameworks": ", ".join(_versions(name, experiment) for name in experiment.get("frameworks") or ()),
        "repair attempts": experiment.get("max_attempts"),
        "samples": experiment.get("samples"),
        "first problems only": experiment.get("limit"),
        "seed": experiment.get("seed"),
        "conditions": ", ".join(conditions(manifest)),
        "temperatures": _temperatures(experiment),
        "rule": experiment.get("rule"),
        "protocol": experiment.get("protocol"),
        "limits": _pairs((experiment.get("limits") or {}).get("default")),
        "sandbox": "; ".join(f"{name}: {_layers(layers)}" for name, layers in (manifest.get("sandbox") or {}).items()),
        "driver": _pairs((experiment.get("versions") or {}).get("driver")),
        "machine": _pairs(manifest.get("platform")),
        "excluded": "; ".join(f"{count(n, 'task')}: {reason}" for reason, n in excluded(manifest).items()),
        "reference wrong": ", ".join(task for _, task in manifest.get("reference_wrong") or ()),
    }
    return {name: str(value) for name, value in said.items() if value not in (None, "")}


def conditions(manifest: dict[str, Any]) -> dict[str, dict[str, str]]:
    """The fields of each condition, by its name; empty for a run whose manifest does not describe them."""
    described = (manifest.get("experiment") or {}).get("conditions")
    if not isinstance(described, dict):
        return {}
    return {
        name: {field.replace("_", " "): _text(value) for field, value in fields.items()}
        for name, fields in described.items()
        if isinstance(fields, dict)
    }


def experiment(manifest: dict[str, Any]) -> str:
    """The part of the manifest that a repetition must share, as JSON."""
    return json.dumps(manifest.get("experiment") or {}, indent=1)


def _sum(total: Mapping[str, Any], form: str) -> tuple[str, str]:
    known, unknown = total["known"], total["unknown"]
    if not unknown:
        return format(known, form), ""
    return (format(known, form), f"+ {unknown:,} unknown") if known else ("unknown", "")


def _versions(framework: str, experiment: Mapping[str, Any]) -> str:
    versions = (experiment.get("versions") or {}).get(framework) or {}
    found = versions.get(framework)
    return f"{framework} {found} (python {versions.get('python', 'unknown')})" if found else framework


def _temperatures(experiment: Mapping[str, Any]) -> str | None:
    asked = experiment.get("temperature")
    if not isinstance(asked, dict):
        return None
    return f"first {_text(asked.get('first'))}, repairs {_text(asked.get('repairs'))}"


def _layers(layers: Mapping[str, str]) -> str:
    off = [layer for layer, state in layers.items() if state != "on"]
    return f"{len(layers) - len(off)} of {len(layers)} layers on" + (f" (not: {', '.join(off)})" if off else "")


def _pairs(values: Mapping[str, Any] | None) -> str:
    return ", ".join(f"{name.replace('_', ' ')} {_text(value)}" for name, value in (values or {}).items())


def _text(value: Any) -> str:
    if value is None:
        return "not set"
    return value if isinstance(value, str) else json.dumps(value)
