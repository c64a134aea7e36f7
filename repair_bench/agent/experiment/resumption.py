"""Check whether a run can be resumed after changes.

| change | result |
| --- | --- |
| the experiment, the content of its tasks, whether a task can be judged | error: this would be a different run |
| the version of a package that may affect a verdict (see `decides`) | error, unless the user accepts the change |
| other versions, the machine, rate limits, the budget, interpreter paths | the run resumes |

The field `resumed` of the manifest records each change to a resumed run, and the time of the change.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Collection, Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from repair_bench.executors.interpreters import find
from repair_bench.frameworks import FRAMEWORKS
from repair_bench.suites.task import Task
from repair_bench.traces.faults import UsageError
from repair_bench.traces.run.manifest import Manifest, change_words, leaves
from repair_bench.traces.run.manifest_fields import Change, ResumedFields
from repair_bench.traces.run.store import check_same

Versions = Mapping[str, Mapping[str, str]]


def resumption(
    directory: Path,
    manifest: Manifest,
    tasks: Collection[Task],
    *,
    accept_versions: bool = False,
    otherwise: str = "pass --accept-versions to use the installed versions, which every report will list",
) -> Manifest:
    """Return the manifest of the resumed run in `directory`.

    The result contains the versions recorded when the run started, and all later changes. `manifest`: the manifest of a
    new run with the current settings. `tasks`: the run's tasks, including excluded tasks. `otherwise`: the advice to a
    user who cannot restore the old versions. Raises UsageError, naming each change and its remedy, if the run cannot
    resume.
    """
    stored = Manifest.read(directory)
    pinned = manifest.experiment.copy()
    pinned["versions"] = stored.versions
    resumed = manifest.replaced(experiment=pinned)
    check_same(directory, stored, resumed)
    _check_excluded(directory, stored, manifest)
    changed = _changed(stored, manifest)
    deciding = {
        name: pair for name, pair in changed.items() if name.startswith("versions.") and decides(name, pair, tasks)
    }
    pythons = manifest.resources.get("pythons") or {}
    if deciding and not accept_versions:
        raise UsageError(
            f"{directory} was started with other package versions, which can affect verdicts: "
            f"{in_words(deciding)}. Reinstall them ({_remedy(deciding, pythons)}), or {otherwise}"
            + "".join(f". {sentence}" for sentence in stored.unused(Path(), pythons))
        )
    if not changed:
        return resumed.replaced(resumed=stored.resumed) if stored.resumed else resumed
    entry: ResumedFields = {"at": datetime.now(UTC).isoformat(timespec="seconds"), "changed": changed}
    if deciding:
        entry["accepted"] = list(deciding)
    return resumed.replaced(resumed=[*stored.resumed, entry])


def decides(name: str, change: Change, tasks: Iterable[Task] = ()) -> bool:
    """Whether a different version of a package may change a verdict. `name`: `versions.INTERPRETER.PACKAGE`.

    Assumes that patch releases of Python, and packages in a framework's environment that no task uses, cannot change a
    verdict.
    """
    interpreter, package = _place(name)
    old, new = change
    if package == "python":
        return _minor(old) != _minor(new)
    framework = FRAMEWORKS.get(interpreter)
    if framework is None or package not in framework.incidental:
        return True
    named = re.compile(rf"\b{re.escape(package)}\b")
    texts = (
        text
        for task in tasks
        if task.framework == interpreter
        for text in (task.prompt, task.starter, task.reference or "", getattr(task.check, "test", ""))
    )
    return any(map(named.search, texts))


def version_changes(old: Versions, new: Versions) -> tuple[dict[str, Change], dict[str, Change]]:
    """Return two mappings: the version differences that may affect verdicts, and all other version differences."""
    changed = _differences(leaves(old, "versions"), leaves(new, "versions"))
    deciding = {name: pair for name, pair in changed.items() if decides(name, pair)}
    return deciding, {name: pair for name, pair in changed.items() if name not in deciding}


def in_words(changed: Mapping[str, Change]) -> str:
    """Describe version changes in words; a change in several interpreters is listed once."""
    where: dict[str, list[str]] = {}
    for name, pair in changed.items():
        interpreter, package = _place(name)
        where.setdefault(change_words(package, pair), []).append(interpreter)
    return "; ".join(f"{words} ({', '.join(interpreters)})" for words, interpreters in where.items())


def _changed(stored: Manifest, now: Manifest) -> dict[str, Change]:
    before, after = ({"versions": m.versions, "platform": m.platform, "resources": m.resources} for m in (stored, now))
    last = leaves(before)
    for entry in stored.resumed:
        last.update({name: new for name, (_, new) in entry["changed"].items()})
    return _differences(last, leaves(json.loads(json.dumps(after))))


def _differences(old: Mapping[str, Any], new: Mapping[str, Any]) -> dict[str, Change]:
    names = dict.fromkeys([*old, *new])
    return {name: [old.get(name), new.get(name)] for name in names if old.get(name) != new.get(name)}


def _check_excluded(directory: Path, stored: Manifest, now: Manifest) -> None:
    before, after = ({tuple(entry[:3]): entry[3] for entry in manifest.excluded} for manifest in (stored, now))
    changed = [f"{' '.join(task)} can no longer be graded: {why}" for task, why in after.items() if task not in before]
    changed += [
        f"{' '.join(task)} can now be graded; before: {why}" for task, why in before.items() if task not in after
    ]
    if changed:
        more = f"; and {len(changed) - 3} more" if len(changed) > 3 else ""
        raise UsageError(
            f"{directory} cannot be resumed, because the set of gradable tasks has changed: "
            f"{'; '.join(changed[:3])}{more}. Restore the earlier packages, or start a new run with another --out"
        )


def _place(name: str) -> tuple[str, str]:
    _, interpreter, package = name.split(".", 2)
    return interpreter, package


def _minor(version: str | None) -> list[str] | None:
    return None if version is None else version.split(".")[:2]


def _remedy(changed: Mapping[str, Change], pythons: Mapping[str, str]) -> str:
    wanted: dict[str, list[str]] = {}
    others: list[str] = []
    for name, (old, _) in changed.items():
        interpreter, package = _place(name)
        if package == "python":
            option = f"--python {interpreter}=INTERPRETER"
            python_of = option if interpreter in FRAMEWORKS else "repair-bench in an environment"
            others.append(f"{python_of} with Python {'.'.join(_minor(old) or ['?'])}")
            continue
        python = pythons.get(interpreter)
        pip = "pip" if python is None else f"pip --python {shlex.quote(str(find(python)))}"
        verb = "uninstall" if old is None else "install"
        requirement = package.replace("_", "-") + ("" if old is None else f"=={old}")
        wanted.setdefault(f"{pip} {verb}", []).append(requirement)
    pips = [f"`{command} {' '.join(dict.fromkeys(listed))}`" for command, listed in wanted.items()]
    return ", ".join([*pips, *dict.fromkeys(others)])
