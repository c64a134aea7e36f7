"""Download official dataset files at a pinned commit to the user's cache, and verify them."""

from __future__ import annotations

import hashlib
import urllib.error
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from repair_bench.executors.private import cache_folder
from repair_bench.suites import datafiles
from repair_bench.traces.faults import UsageError
from repair_bench.traces.files.atomic_file import write_whole

RAW = "https://raw.githubusercontent.com"
TIMEOUT_SECONDS = 60.0
MAX_BYTES = 64 << 20


@dataclass(frozen=True)
class Source:
    """A published dataset. `hashes`: the SHA-256 hashes of the files, by path in the repository."""

    repository: str
    commit: str
    licence: str
    hashes: Mapping[str, str]

    @property
    def version(self) -> str:
        return self.commit[:7]

    @property
    def files(self) -> dict[str, str]:
        return {Path(path).name: path for path in self.hashes}


def _humaneval(name: str, sha256: str) -> Source:
    commit = "5327d8e079db5e8b51b85e2acafbb67e36ba2777"
    return Source("qiskit-community/qiskit-human-eval", commit, "Apache-2.0", {f"dataset/{name}": sha256})


SOURCES = {
    "quanbench-plus": Source(
        "JawadKotaichh/quanbench-plus",
        "2dfd1a863b13d3762a734ed96742adb39e65e34b",
        "MIT",
        {
            "prompts/qiskit.jsonl": "ba928cd3eb81010a9cbb5852908b5c6de0023f116e039245f4e6f603f77d6542",
            "prompts/pennylane.jsonl": "0fac4628fc9477399593f004a8833626daa94deab27d1398fc0d649c3f6683f6",
            "prompts/cirq.jsonl": "b38e2d47b2e99f0abb7e9f97e56c6de732301da63c65decd44d914400a35ae96",
            "canonical_results/canonical_solutions.json": (
                "d593233675cf668a554a85df0a823a26e3c89f8d38744bf41013d3fd76d8da60"
            ),
        },
    ),
    "qiskit-humaneval": _humaneval(
        "dataset_qiskit_test_human_eval.json", "2d595cfec23e3d15e84a51bbce711d29501297d7418b966911f4111a1f62f042"
    ),
    "qiskit-humaneval-hard": _humaneval(
        "dataset_qiskit_test_human_eval_hard.json", "ad6a854317cd0d5b19f283ddc497f6ba8be53bf627beac2a2044f0f8435dc28f"
    ),
    "quantum-katas": Source(
        "cbjuan/QuantumKatas",
        "1cfd5f4bc86af5e84d5b1bcf87293d0ece37579a",
        "CC-BY-NC-SA-4.0",
        {"dataset/quantum_katas.jsonl": "e915f0216e7c936af16645acc3841a2940e8b22ea7fedf3ada8117c857605e74"},
    ),
}
"""The published datasets, by suite."""


def folder(name: str, cache_dir: Path | None = None) -> Path:
    """Return the folder for the files of a suite, by default in the user's cache directory."""
    return (cache_dir or cache_folder()) / "datasets" / name / SOURCES[name].version


def fetched() -> list[dict[str, str]]:
    """Return the version of each published suite, and the folder that contains the suite's files, if present."""
    rows = []
    for name, source in SOURCES.items():
        place = folder(name)
        there = all((place / file).is_file() for file in source.files)
        files = str(place) if there else f"absent: `repair-bench suites fetch {name}`, or --data"
        rows.append({"suite": name, "version": source.version, "files": files})
    return rows


def fetch(name: str, cache_dir: Path | None = None, base_url: str | None = None) -> Path:
    """Download the missing files, verify all files and return their folder.

    A file receives its final name only after verification. Raises UsageError for an unknown suite, for a file that
    cannot be downloaded or written, and for a file that differs from the published file.
    """
    if name not in SOURCES:
        raise UsageError(f"{name!r} cannot be fetched: choose from {', '.join(SOURCES)}")
    source = SOURCES[name]
    there = folder(name, cache_dir)
    for published, sha256 in source.hashes.items():
        path = there / Path(published).name
        if path.is_file() and datafiles.content_hash(path) == sha256:
            continue
        url = "/".join([(base_url or RAW).rstrip("/"), source.repository, source.commit, published])
        data = _download(url)
        if (digest := hashlib.sha256(data).hexdigest()) != sha256:
            raise UsageError(f"{url}: the SHA-256 is {digest}, not the published {sha256}; the file was not saved")
        write_whole(path, [data], durable=True)
    return there


def official(name: str, data: Path | None) -> dict[str, Path]:
    """Return the paths of a suite's official files, by name. `data`: the folder, by default in the user's cache.

    `data` may also be a folder whose subfolder NAME or NAME/VERSION contains the suite's files. For a suite with only
    one file, `data` may be that file. Raises UsageError if the files must be fetched first.
    """
    names = list(SOURCES[name].files)
    if data is not None and not data.is_dir() and len(names) == 1:
        return {names[0]: data}
    there = folder(name) if data is None else _within(data, name)
    paths = {file: there / file for file in names}
    if data is None and not all(path.is_file() for path in paths.values()):
        raise UsageError(
            f"the official files of {name} are missing: run `repair-bench suites fetch {name}`, or pass --data DIR, "
            f"a folder with {', '.join(names)}"
        )
    return paths


def _within(data: Path, name: str) -> Path:
    """Return the folder that contains a suite's files: `data` or a subfolder. Several suites may share one folder."""
    folders = [data, *(data / other for other in (name, *SOURCES)), data / name / SOURCES[name].version]
    return next((there for there in folders if any((there / file).is_file() for file in SOURCES[name].files)), data)


def version(name: str, paths: Mapping[str, Path], digest: str) -> str:
    """Return the pinned commit if all files are as published, otherwise "unpublished-" and the start of the digest."""
    source = SOURCES[name]
    hashes = {file: source.hashes[path] for file, path in source.files.items()}
    published = all(datafiles.content_hash(path) == hashes[file] for file, path in paths.items())
    return source.version if published else f"unpublished-{digest[:7]}"


def _download(url: str) -> bytes:
    try:
        with urllib.request.urlopen(url, timeout=TIMEOUT_SECONDS) as response:  # noqa: S310 - fixed URL scheme
            data: bytes = response.read(MAX_BYTES + 1)
    except urllib.error.HTTPError as error:
        raise UsageError(f"{url}: download failed: the server returned {error.code} {error.reason}") from error
    except (OSError, ValueError) as error:
        reason = getattr(error, "reason", None) or error
        raise UsageError(f"{url}: cannot be downloaded: {reason}") from error
    if len(data) > MAX_BYTES:
        raise UsageError(f"{url}: is larger than {MAX_BYTES >> 20} MiB")
    return data
