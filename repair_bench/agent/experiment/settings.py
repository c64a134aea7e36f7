"""Build an experiment from a protocol, a file and options; each source overrides the previous one."""

from __future__ import annotations

import contextlib
import functools
import json
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import tomli_w
from pydantic import ValidationError

from repair_bench.agent.experiment.file import Experiment
from repair_bench.agent.experiment.given_again import check_recorded_file, is_in_run
from repair_bench.agent.experiment.options import flag_of
from repair_bench.prompts.system import read_text
from repair_bench.traces.faults import UsageError
from repair_bench.traces.record.printable import printable
from repair_bench.traces.record.writable import is_deeper

_MAX_DEPTH = 20
"""Maximum nesting depth of tables and lists in an experiment. Most fields need six; `parameters` may need more."""


def protocols() -> dict[str, Path]:
    """Return the files of the published protocols, keyed by name."""
    return {path.stem: path for path in sorted((Path(__file__).parent / "protocols").glob("*.toml"))}


def collect(file: Path | None, overrides: Sequence[str], fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings of an experiment, merged from all their sources. Raises UsageError.

    The sources are the published protocol, the experiment file, `overrides` such as `path.to.field=value`, and
    `fields`. If several sources set a field, the last of these sources takes precedence.
    """
    given = read(file) if file is not None else {}
    for text in overrides:
        given = merged(given, _override(text))
    for path, value in fields.items():
        *owners, name = path.split(".")
        nested = functools.reduce(lambda inner, owner: {owner: inner}, reversed(owners), {name: value})
        given = merged(given, nested)
    return over_protocol(given)


def over_protocol(given: Mapping[str, Any]) -> dict[str, Any]:
    """Add the settings of the protocol that `given` names, if any.

    The other values in `given` take precedence. Raises UsageError.
    """
    if (name := given.get("protocol")) is None:
        return dict(given)
    files = protocols()
    if name not in files:
        raise UsageError(f"unknown protocol {name!r}: choose from {', '.join(files)}")
    return merged(read(files[name]), given)


def read(file: Path) -> dict[str, Any]:
    """Return the content of an experiment file, including the prompt files that it names. Raises UsageError."""
    recorded = is_in_run(file)
    try:
        content = _parsed(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(f"{file} cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise UsageError(printable(f"{file} is not TOML: {error}")) from None
    if recorded:
        check_recorded_file(file, content)
    prompts = content.get("prompt")
    for prompt in prompts if isinstance(prompts, list) else [prompts]:
        for kind in ("system_text", "task_template"):
            if isinstance(prompt, dict) and isinstance(path := prompt.pop(f"{kind}_file", None), str):
                prompt[kind] = read_text(file.parent / path)
    if isinstance(path := content.get("first_answers"), str):
        content["first_answers"] = str(file.parent / path)
    return content


def experiment(values: Mapping[str, Any]) -> Experiment:
    """Build an experiment. Raises UsageError with one line that names the field or option and describes the error."""
    try:
        return Experiment(**values)
    except ValidationError as error:
        raise UsageError(_explained(error)) from None


def written(experiment: Experiment) -> str:
    """Return the experiment as a file for `repair-bench run`."""
    return tomli_w.dumps(_without_none({**experiment.settings(), **experiment.resources()}))


def _without_none(value: Any) -> Any:
    if isinstance(value, Mapping):
        kept = {name: _without_none(one) for name, one in value.items()}
        return {name: one for name, one in kept.items() if one not in (None, {}, [None])}
    return [_without_none(one) for one in value] if isinstance(value, list | tuple) else value


def _parsed(text: str) -> dict[str, Any]:
    """Parse a TOML text. Raises ValueError if the text is invalid or nested too deeply."""
    with contextlib.suppress(RecursionError):
        content = tomllib.loads(text)
        if not is_deeper(content, _MAX_DEPTH):
            return content
    raise ValueError(f"nested more than {_MAX_DEPTH} levels deep")


def _override(text: str) -> dict[str, Any]:
    """Parse `path.to.field=value`. The path is in TOML notation, and the value is TOML or a plain word."""
    path, equals, value = text.partition("=")
    if equals and path.strip():
        for written in (value, json.dumps(value.strip())):
            with contextlib.suppress(ValueError):
                return _parsed(f"{path} = {written}")
    raise UsageError(f"-c {_shown(text)}: write -c path.to.field=value, for example -c repair.history=last")


def merged(low: Mapping[str, Any], high: Mapping[str, Any]) -> dict[str, Any]:
    """Merge `high` over `low` per field.

    A list in `high` replaces the value in `low`. If a field is a list of tables in `low` and a table in `high`, the
    table is merged into each table of the list.
    """
    both = dict(low)
    for name, value in high.items():
        old = both.get(name)
        if isinstance(value, Mapping) and isinstance(old, Mapping):
            both[name] = merged(old, value)
        elif isinstance(value, Mapping) and isinstance(old, list | tuple) and old:
            both[name] = [merged(table, value) for table in old]
        else:
            both[name] = value
    return both


def _explained(error: ValidationError) -> str:
    first = error.errors()[0]
    path = ".".join(str(part) for part in first["loc"] if not isinstance(part, int))
    name = flag_of(path) or path
    if first["type"] == "extra_forbidden":
        return f"the experiment has no field {path!r}: `repair-bench schema` lists the fields"
    if path.startswith("providers"):  # the value may be an API key
        return f"{name}: {first['msg'].lower()}"
    return f"{name} {_shown(first['input'])}: {printable(first['msg'].lower())}"


def _shown(value: Any) -> str:
    """Return a value as the user wrote it, truncated if it is long."""
    try:
        text = repr(value)
    except ValueError:  # Python writes no integer of more than 4,300 digits
        return "(a number with thousands of digits)"
    return text if len(text) <= 100 else f"{text[:97]}..."
