"""Merge the shards of an experiment into one run, which can be reported and resumed like any other run."""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from repair_bench.agent.experiment.resumption import in_words, version_changes
from repair_bench.agent.studies.sharding import Shard
from repair_bench.analysis.rates.metrics import episodes
from repair_bench.analysis.runs.notices import repairs_of
from repair_bench.traces.faults import UsageError
from repair_bench.traces.files.atomic_file import sibling
from repair_bench.traces.files.journal import parse, read_lines, sync_directory
from repair_bench.traces.run.batches import BATCHES
from repair_bench.traces.run.changes import changes
from repair_bench.traces.run.manifest import Manifest
from repair_bench.traces.run.run_files import ATTEMPTS, EXPERIMENT, PLACEBO_SOURCES
from repair_bench.traces.run.run_reader import load_rows
from repair_bench.traces.run.store import COMPLETIONS, LOCK, RunStore
from repair_bench.traces.run.study_lock import STUDY_LOCK, StudyLock


@dataclass(frozen=True)
class Part:
    directory: Path
    manifest: Manifest
    shard: Shard

    def compared(self) -> dict[str, Any]:
        """Return the fields that must be equal in all shards, except for versions, which are compared separately."""
        shard = {name: value for name, value in (self.manifest.shard or {}).items() if name != "number"}
        experiment = {name: value for name, value in self.manifest.experiment.items() if name != "versions"}
        return {"experiment": experiment, "excluded": self.manifest.stated.get("excluded"), **shard}

    def progress(self) -> tuple[bool, int]:
        """Return whether the shard is complete and, if not, the number of its answers."""
        rows = load_rows(self.directory).rows
        repairs = repairs_of(rows, self.manifest)
        closed = sum(episode.state(repairs) == "counted" for episode in episodes(rows))
        complete = closed == self.manifest.episodes
        return complete, 0 if complete else sum(row.completion is not None for row in rows)


def merge(directories: Sequence[Path], out: Path) -> dict[str, Any]:
    """Merge shards into the run `out`. The shards are not changed.

    Returns the numbers of merged shards (`shards`) and missing shards (`missing`), and the total number of shards
    (`of`). `left_out` lists the runs that were not merged because another run of the same shard was merged instead.
    `differs` contains one sentence for each directory in which versions differ without affecting verdicts. `attempts`
    is the number of merged attempts. `episodes` is the number of planned episodes in all shards, including missing
    shards. If a shard has two runs, a complete run takes precedence over an incomplete run. Among incomplete runs, the
    one with the most answers takes precedence; if there is a tie, the first one does.

    Raises UsageError if a directory is not a shard, is being written, or belongs to another experiment.
    """
    RunStore.check_free(out)
    parts = [_read(directory) for directory in dict.fromkeys(directory.resolve() for directory in directories)]
    first = parts[0]
    differs = []
    for part in parts[1:]:
        different = list(changes(first.compared(), part.compared()))
        deciding, others = version_changes(first.manifest.versions, part.manifest.versions)
        if different := [*different, *([in_words(deciding)] if deciding else [])]:
            raise UsageError(
                f"{part.directory} and {first.directory} are not shards of the same run: {'; '.join(different)}"
            )
        if others:
            differs.append(f"{part.directory} used different versions from {first.directory}: {in_words(others)}")
    by_number: dict[int, list[Part]] = {}
    for part in parts:
        by_number.setdefault(part.shard.number, []).append(part)
    chosen = [max(runs, key=Part.progress) if len(runs) > 1 else runs[0] for _, runs in sorted(by_number.items())]
    placebo_sources = {
        (part.directory / PLACEBO_SOURCES).read_bytes()
        for part in chosen
        if (part.directory / PLACEBO_SOURCES).exists()
    }
    if len(placebo_sources) > 1:
        raise UsageError(
            f"the shards do not belong to the same run: they have different placebo feedback ({PLACEBO_SOURCES})"
        )
    locks = {None if (lock := StudyLock.read(part.directory)) is None else lock.hash for part in chosen}
    if len(locks) > 1:
        raise UsageError(f"the shards do not belong to the same study: they have different {STUDY_LOCK}")
    try:
        lines = _write(chosen, out)
    except OSError as error:
        raise UsageError(f"{out} cannot be written: {error.strerror}") from error
    return {
        "out": str(out),
        "shards": [part.shard.number for part in chosen],
        "of": first.shard.of,
        "missing": sorted(set(range(1, first.shard.of + 1)) - set(by_number)),
        "left_out": [str(part.directory) for part in parts if part not in chosen],
        "differs": differs,
        "attempts": lines,
        "episodes": first.manifest.stated["shard"]["episodes_in_all"],
    }


def _read(directory: Path) -> Part:
    manifest = Manifest.read(directory)
    shard = Shard.of_run(manifest)
    if shard is None:
        raise UsageError(f"{directory} is not a shard: it was created without --shard")
    with contextlib.suppress(FileNotFoundError), (directory / LOCK).open("rb") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            raise UsageError(f"{directory} is in use by another process: wait until it ends") from None
    return Part(directory, manifest, shard)


def _write(parts: Sequence[Part], out: Path) -> int:
    """Write the merged run, and rename its directory when complete. Return the number of attempts."""
    making = sibling(out, f"{out.name}.merging")
    shutil.rmtree(making, ignore_errors=True)
    making.mkdir(parents=True)
    first = parts[0].directory
    for name in (EXPERIMENT, PLACEBO_SOURCES, STUDY_LOCK):
        if (first / name).exists():
            shutil.copyfile(first / name, making / name)
    _join([part.directory / COMPLETIONS for part in parts], making / COMPLETIONS)
    lines = _join([part.directory / ATTEMPTS for part in parts], making / ATTEMPTS)
    if ledgers := [path for part in parts if (path := part.directory / BATCHES).exists()]:
        _join(ledgers, making / BATCHES)
    _manifest(parts, out.name).write(making)
    making.rename(out)
    sync_directory(out.parent)
    return lines


def _join(journals: Iterable[Path], into: Path) -> int:
    """Concatenate the lines of journals, omitting incomplete last lines. Return the number of lines."""
    count = 0
    with into.open("wb") as file:
        for journal in journals:
            for line in read_lines(journal, lambda raw: raw if parse(raw) is not None else None):
                file.write(line.data)
                count += 1
        file.flush()
        os.fsync(file.fileno())
    return count


def _manifest(parts: Sequence[Part], name: str) -> Manifest:
    resumed = sorted((entry for part in parts for entry in part.manifest.resumed), key=lambda entry: entry["at"])
    merged = parts[0].manifest.without("shard", "nodes", "resumed")
    return (merged.replaced(resumed=resumed) if resumed else merged).replaced(
        name=name,
        sandbox=_weakest([part.manifest.sandbox for part in parts]),
        episodes=parts[0].manifest.stated["shard"]["episodes_in_all"],
        resources={**merged.resources, "budget": _budget(parts)},
        merged={"of": parts[0].shard.of, "shards": [_own(part) for part in parts]},
    )


def _budget(parts: Sequence[Part]) -> dict[str, float | None]:
    """Return the sum of each limit over all shards, or None if a shard has no such limit."""
    budgets: list[Mapping[str, float | None]] = [part.manifest.resources.get("budget") or {} for part in parts]
    limits = {name: [budget.get(name) for budget in budgets] for name in budgets[0]}
    return {name: None if None in found else sum(filter(None, found)) for name, found in limits.items()}


def _own(part: Part) -> dict[str, Any]:
    stated: Mapping[str, Any] = part.manifest.stated
    own = {key: stated[key] for key in ("created_at", "platform", "sandbox", "nodes") if key in stated}
    versions = {"versions": part.manifest.versions} if part.manifest.versions else {}
    return {"number": part.shard.number, "run": part.manifest.name, **own, **versions}


def _weakest(sandboxes: Sequence[Mapping[str, Mapping[str, str]]]) -> dict[str, dict[str, str]]:
    """Return the state of each sandbox layer by framework.

    The state of a layer is "on" if the layer is on in all shards. If the layer is not on in some shards, its state in
    the first of these shards is returned.
    """
    weakest: dict[str, dict[str, str]] = {}
    for sandbox in sandboxes:
        for framework, layers in sandbox.items():
            for layer, state in layers.items():
                if weakest.setdefault(framework, {}).get(layer, "on") == "on":
                    weakest[framework][layer] = state
    return weakest
