"""From what the user gave (a protocol, a file, options) to an experiment. Later ones override earlier ones."""

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

PROTOCOLS = Path(__file__).parent / "protocols"

_DEEPEST = 20
"""Levels of tables and lists in an experiment. What is written there needs six; the rest is for `parameters`."""
_TOO_DEEP = f"it is nested more than {_DEEPEST} levels deep"


def protocols() -> dict[str, Path]:
    """The files of the published protocols, by name."""
    return {path.stem: path for path in sorted(PROTOCOLS.glob("*.toml"))}


def protocol_file(name: str) -> Path:
    """Raises UsageError for a protocol that does not exist."""
    files = protocols()
    if name not in files:
        raise UsageError(f"no protocol is called {name!r}: choose from {', '.join(files)}")
    return files[name]


def collect(file: Path | None, overrides: Sequence[str], fields: Mapping[str, Any]) -> dict[str, Any]:
    """What was given, as one nested mapping of `Experiment`'s fields, without defaults.

    The file comes first; then `path.to.field=value` overrides; then `fields`, values by path, as options give them. All
    of them go over the protocol that they name. Raises UsageError for a file that cannot be read.
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
    """What was given over the settings of the protocol that it names; itself where it names none. Raises UsageError."""
    named = given.get("protocol")
    return dict(given) if named is None else merged(read(protocol_file(str(named))), given)


def read(file: Path) -> dict[str, Any]:
    """The content of an experiment file; `system_text_file` and `task_template_file`, looked for beside it, are read.

    Raises UsageError.
    """
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
    return content


def experiment(values: Mapping[str, Any]) -> Experiment:
    """Raises UsageError, one line, that names the field or option and what is wrong with it."""
    try:
        return Experiment(**values)
    except ValidationError as error:
        raise UsageError(_explained(error)) from None


def written(experiment: Experiment) -> str:
    """The whole of an experiment as a file that `repair-bench run` takes."""
    return tomli_w.dumps(_without_none({**experiment.settings(), **experiment.resources()}))


def _without_none(value: Any) -> Any:
    """TOML has no null: what is not set is left out."""
    if isinstance(value, Mapping):
        kept = {name: _without_none(one) for name, one in value.items()}
        return {name: one for name, one in kept.items() if one not in (None, {}, [None])}
    return [_without_none(one) for one in value] if isinstance(value, list | tuple) else value


def _parsed(text: str) -> dict[str, Any]:
    """The content of a TOML text. Raises ValueError, too for one that is nested deeper than any experiment."""
    try:
        content = tomllib.loads(text)
    except RecursionError:
        raise ValueError(_TOO_DEEP) from None
    level: list[Any] = [content]
    for _ in range(_DEEPEST):
        level = [inner for one in level for inner in (one.values() if isinstance(one, dict) else one)]
        level = [one for one in level if isinstance(one, dict | list)]
    if level:
        raise ValueError(_TOO_DEEP)
    return content


def _override(text: str) -> dict[str, Any]:
    """`path.to.field=value`, the path as TOML writes it; the value is TOML, or else a plain word."""
    path, equals, value = text.partition("=")
    if equals and path.strip():
        for written in (value, json.dumps(value.strip())):
            with contextlib.suppress(ValueError):
                return _parsed(f"{path} = {written}")
    raise UsageError(f"-c {_shown(text)}: write path.to.field=value, for example repair.history=last")


def merged(low: Mapping[str, Any], high: Mapping[str, Any]) -> dict[str, Any]:
    """`high` over `low`, field by field. Lists are replaced whole, but a table goes over each of a list of tables."""
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
        return f"the experiment has no field {path!r}: `repair-bench schema` lists them"
    if path.startswith("providers"):  # what was written there may be a key
        return f"{name}: {first['msg'].lower()}"
    return f"{name} {_shown(first['input'])}: {printable(first['msg'].lower())}"


def _shown(value: Any) -> str:
    """A value as it was given, cut where it is long."""
    try:
        text = repr(value)
    except ValueError:  # Python writes no integer of more than 4,300 digits
        return "(a number of thousands of digits)"
    return text if len(text) <= 100 else f"{text[:97]}..."
