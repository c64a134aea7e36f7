"""Settings that are never taken from a record: the destinations of requests and keys, executed programs, and files.

A record could come from an untrusted third party. To resume or fork a run, the user must therefore pass such settings
again. `resumption` checks that the settings that affect answers are unchanged.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from repair_bench.traces.faults import UsageError
from repair_bench.traces.files.record_files import check_contained
from repair_bench.traces.run.manifest import Manifest
from repair_bench.traces.run.run_files import MANIFEST

LOCAL = ("api_base", "providers", "pythons", "telemetry")
"""The fields that state where requests, keys and telemetry spans are sent, or which programs are executed."""
_FILES = ("system_text_file", "task_template_file", "first_answers")
_DIRECTORY_MODELS = ("manual", "replay")
"""Providers whose models read or write files in a directory. In a model's name, the path of the directory follows the
slash."""


def check_given_again(directory: Path, stored: Manifest, given: Mapping[str, Any], models: Iterable[str]) -> None:
    """Raise UsageError, listing the settings that the user must pass again. `models`: the models to query."""
    missing = []
    api_base = stored.experiment.get("api_base")
    if api_base is not None and given.get("api_base") is None:
        missing.append(f"--api-base {shlex.quote(api_base)}")
    if "models" not in given and (named := [name for name in models if leads_elsewhere(name)]):
        missing.append(" ".join(f"--model {shlex.quote(name)}" for name in named))
    table: Any = stored.experiment.get("critic")
    critic = table.get("model", "self") if isinstance(table, dict) else "self"
    if "critic" not in given and leads_elsewhere(critic):
        missing.append(f"-c {shlex.quote(f'critic.model={critic}')}")
    if not given.get("providers"):
        for name, settings in (stored.resources.get("providers") or {}).items():
            missing.append(f"[providers.{json.dumps(name)}] {json.dumps(settings)}")
    if missing:
        raise UsageError(
            f"{directory} contains settings that determine where prompts and keys are sent. Such settings are not read "
            "from a record. If you trust these settings, pass them as options or in the experiment file: "
            f"{'; '.join(missing)}"
        )


def arguments(
    file: Path | None,
    fields: Mapping[str, Any],
    override: Sequence[str] | None,
    data: Path | None,
    pythons: Mapping[str, str],
) -> list[str]:
    """Return the command-line arguments that the user must repeat with `--resume`."""
    models = fields.get("models", ())
    values = {
        "--model": models if any(map(leads_elsewhere, models)) else (),
        "--api-base": [fields["api_base"]] if "api_base" in fields else (),
        "-c": [
            text for text in override or () if text.partition("=")[0].partition(".")[0].strip() in (*LOCAL, "critic")
        ],
        "--data": [data] if data is not None else (),
        "--python": [f"{framework}={python}" for framework, python in pythons.items()],
    }
    words = [word for option, listed in values.items() for value in listed for word in (option, str(value))]
    return words if file is None else [str(file), *words]


def is_in_run(file: Path) -> bool:
    """Whether an experiment file belongs to a run. Raises UsageError for a run that contains links."""
    found = (file.parent / MANIFEST).exists()
    if found:
        check_contained(file.parent)
    return found


def check_recorded_file(file: Path, content: Mapping[str, Any]) -> None:
    """Raise UsageError if an experiment file inside a run directory sets addresses, keys, programs or files.

    Addresses, keys, programs and files must be set by the user, because the run may come from a third party.
    """
    found = [name for name in LOCAL if content.get(name)]
    tables = [table for table in (content, *_listed(content.get("prompt"))) if isinstance(table, Mapping)]
    found += [name for table in tables for name in _FILES if name in table]
    critic = content.get("critic")
    asked = [*_listed(content.get("models")), critic.get("model") if isinstance(critic, Mapping) else None]
    found += [name for name in map(str, asked) if leads_elsewhere(name)]
    if found:
        raise UsageError(
            f"{file} belongs to a run, and a run must not set addresses, keys, programs or files: {', '.join(found)}. "
            "Copy the file elsewhere, check these settings, and use the copy"
        )


def leads_elsewhere(model: str) -> bool:
    """Whether a model name contains a directory or an address."""
    return model.strip().partition("/")[0] in _DIRECTORY_MODELS or "://" in model


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]
