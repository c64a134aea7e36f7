"""A third-party directory, and the effects of a command on it: opened files and started processes."""

import contextlib
import json
import os
import resource
import shutil
import signal
import socket
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

SECRET = "a line that stands outside of the record"
SECONDS = 120
MEMORY = 2 << 30

COMMANDS: dict[str, list[str]] = {
    "report": ["report", "{run}"],
    "report --html": ["report", "{run}", "--html"],
    "report --watch": ["report", "{run}", "--html", "--watch", "--every", "0.1"],
    "report --rule": ["report", "{run}", "--rule", "paper"],
    "report --certificate": ["report", "{run}", "--certificate", "{run}/certificate.json"],
    "plot": ["plot", "{run}"],
    "compare": ["compare", "{run}", "{good}"],
    "compare --in": ["compare", "--in", "{run}", "--by", "condition", "default", "verdict"],
    "show": ["show", "{run}", "--task", "01"],
    "export csv": ["export", "{run}", "--format", "csv"],
    "export parquet": ["export", "{run}", "--format", "parquet"],
    "export sft": ["export", "{run}", "--format", "sft"],
    "export dpo": ["export", "{run}", "--format", "dpo"],
    "watch": ["watch", "{run}", "--once"],
    "suites headroom": ["suites", "headroom", "{run}"],
    "publish": ["publish", "{run}", "--out", "{out}"],
    "verify": ["verify", "{run}", "--sample", "1"],
    "regrade": ["regrade", "{run}", "--out", "{out}"],
    "regrade --out": ["regrade", "{good}", "--out", "{run}"],
    "run --resume": ["run", "--resume", "{run}"],
    "run --pilot": ["run", "--plan", "--limit", "1", "--model", "sim/novice", "--pilot", "{run}"],
    "run FILE": ["run", "{run}/experiment.toml", "--plan"],
    "serve FILE": ["serve", "{run}/experiment.toml"],
    "fork": ["fork", "{run}", "--all", "--out", "{out}"],
    "merge": ["merge", "{run}", "--out", "{out}"],
}
"""Every command that reads a run, with its arguments; each uses the run differently."""
NO_RECORD = {"graph", "schema", "doctor", "new", "env create", "env list", "env remove", "suites list", "suites show",
             "suites fetch", "suites validate", "suites audit", "suites calibrate", "grade", "drift"}  # fmt: skip
"""The commands that read no run; `grade` and `drift` read files that the user names."""


class Watched:
    """The actions of this process while it was watched."""

    def __init__(self) -> None:
        self.opened: list[tuple[str, bool]] = []
        """The real paths of files and folders, and whether they were opened for writing."""
        self.started: list[str] = []
        self.connected: list[Any] = []

    def note(self, event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open":
            path, _, flags = arguments
            changed = bool(flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC))
            self._path(path, changed)
        elif event in ("os.listdir", "os.scandir"):
            self._path(arguments[0], False)
        elif event in ("os.rename", "os.link", "os.symlink"):
            self._path(arguments[0], True)
            self._path(arguments[1], True)
        elif event in ("os.remove", "os.rmdir", "os.mkdir", "os.truncate", "os.chmod", "os.chown", "os.utime"):
            self._path(arguments[0], True)
        elif event in ("subprocess.Popen", "os.exec", "os.posix_spawn", "os.system", "os.spawn"):
            self.started.append(os.fsdecode(arguments[0] or arguments[1][0]))
        elif event == "socket.connect" and arguments[0].family != socket.AF_UNIX:
            self.connected.append(arguments[1])

    def _path(self, path: Any, changed: bool) -> None:
        if isinstance(path, str | bytes | os.PathLike):
            self.opened.append((os.path.realpath(os.fsdecode(path)), changed))


_current: list[Watched] = []


def _hook(event: str, arguments: tuple[Any, ...]) -> None:
    if _current:
        _current[-1].note(event, arguments)


@contextlib.contextmanager
def watched() -> Iterator[Watched]:
    """Watch all threads of this process during the block, for at most `SECONDS`."""
    if not hasattr(sys, "_strangers_hook"):
        sys.addaudithook(_hook)  # it cannot be removed
        sys._strangers_hook = True  # type: ignore[attr-defined]
    seen = Watched()

    def too_long(*_: object) -> None:
        raise AssertionError(f"not done after {SECONDS} s")

    before = signal.signal(signal.SIGALRM, too_long)
    signal.alarm(SECONDS)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    _current.append(seen)
    try:
        yield seen
    finally:
        _current.pop()
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - peak < MEMORY >> 10


def changed_json(path: Path, change: Callable[[Any], Any]) -> None:
    """Change a value of a JSON file, or of the first line of a journal."""
    first, _, rest = path.read_text().partition("\n") if path.suffix == ".jsonl" else (path.read_text(), "", "")
    value = json.loads(first)
    value = change(value) or value
    path.write_text(json.dumps(value) + "\n" + rest)


def ship(folder: Path, mark: Path) -> Path:
    """Add an executable that leaves a mark, under every name that may be searched for."""
    script = f'#!/bin/sh\ntouch {mark}\nexec {sys.executable} "$@"\n'
    for name in ("python", "bin/python", "latex", "uv"):
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(script)
        path.chmod(0o755)
    return folder / "python"


def tempting(run: Path, outside: Path, mark: Path) -> None:
    """Name in a record everything that a command might use, and add what it might execute or import."""
    python = ship(run, mark)
    code = f"open({str(mark)!r}, 'w')\n"
    for name in ("sitecustomize.py", "qiskit.py", "evil.py", "conftest.py", "numpy.py"):
        (run / name).write_text(code)
    (run / "evil-1.0.dist-info").mkdir()
    (run / "evil-1.0.dist-info" / "METADATA").write_text("Name: evil\nVersion: 1.0\n")
    groups = ("models", "suites", "feedback", "frameworks", "plots")
    points = "".join(f"[repair_bench.{group}]\nevil = evil:x\n" for group in groups)
    (run / "evil-1.0.dist-info" / "entry_points.txt").write_text(points)
    (run / "matplotlibrc").write_text("text.usetex: True\nbackend: module://evil\n")
    (run / ".env").write_text("OPENAI_BASE_URL=http://127.0.0.1:9/v1\n")

    def named(manifest: dict[str, Any]) -> None:
        manifest["name"] = f"../../{outside.name}/<b>\x1b[31m"
        manifest["data"] = str(outside)
        pythons = {"qiskit": str(python), "cirq": "python", "pennylane": f"../{run.name}/python"}
        manifest["resources"]["pythons"] = pythons
        manifest["resources"]["telemetry"] = {"otlp": "http://127.0.0.1:9"}
        manifest["resources"]["later"] = {"path": str(outside / "secret")}

    changed_json(run / "run.json", named)


def linked(run: Path, name: str, outside: Path) -> None:
    """Replace a file or folder of the record by a link to one outside."""
    place, target = run / name, outside / name.replace("/", "-")
    if place.is_dir() or "." not in name:
        target.mkdir(exist_ok=True)
        (target / "secret").write_text(SECRET)
        shutil.rmtree(place, ignore_errors=True)
    else:
        target.write_bytes(place.read_bytes() if place.exists() else SECRET.encode())
        place.unlink(missing_ok=True)
    place.parent.mkdir(exist_ok=True)
    place.symlink_to(target)


LINKS = ("run.json", "attempts.jsonl", "completions.jsonl", "study.lock", "experiment.toml", "run.lock", "run.log",
         "plots", "plots/errors.png", "report.html", "attempts.csv", "attempts.parquet", "sft", "dpo",
         "donors.json", "origin.jsonl", "decisions.jsonl", "batches.jsonl", "nodes.jsonl")  # fmt: skip


def _manifest(**fields: Any) -> Callable[[Path], None]:
    return lambda run: changed_json(run / "run.json", lambda manifest: manifest.update(fields))


def _experiment(**fields: Any) -> Callable[[Path], None]:
    return lambda run: changed_json(run / "run.json", lambda manifest: manifest["experiment"].update(fields))


def _lines(text: str) -> Callable[[Path], None]:
    return lambda run: (run / "attempts.jsonl").write_text(text + (run / "attempts.jsonl").read_text())


def _first(**fields: Any) -> Callable[[Path], None]:
    return lambda run: changed_json(run / "attempts.jsonl", lambda attempt: attempt.update(fields))


def _pipe(name: str) -> Callable[[Path], None]:
    def make(run: Path) -> None:
        (run / name).unlink(missing_ok=True)
        os.mkfifo(run / name)

    return make


def _long(run: Path) -> None:
    with (run / "attempts.jsonl").open("r+b") as file:  # sparse
        file.truncate(200 << 20)
        file.seek(0, os.SEEK_END)
        file.write(b"\n")


def _raw(name: str, text: str | bytes) -> Callable[[Path], Any]:
    data = text.encode() if isinstance(text, str) else text
    return lambda run: (run / name).write_bytes(data)


DEEP = "[" * 100_000 + "]" * 100_000
DIGITS = "1" + "0" * 100_000
UNREADABLE: dict[str, Callable[[Path], Any]] = {
    "a manifest that is a list": _raw("run.json", "[]"),
    "a manifest that is empty": _raw("run.json", ""),
    "a deep manifest": _raw("run.json", f'{{"later": {DEEP}}}'),
    "a long number in the manifest": _raw("run.json", f'{{"episodes": {DIGITS}}}'),
    "a manifest in another coding": _raw("run.json", b"\xff\xfe{}"),
    "half a surrogate pair in the manifest": _manifest(name="\ud800"),
    "not a number in the manifest": _manifest(later=float("nan")),
    "an experiment that is a list": _manifest(experiment=[]),
    "models that are a text": _experiment(models="sim/one"),
    "repairs without end": _experiment(max_attempts=10**18),
    "a condition that is a text": _experiment(conditions={"default": "x"}),
    "versions that are numbers": _experiment(versions={"qiskit": {"qiskit": 1}}),
    "contents that are cut": _experiment(suite_contents={"aligned": ["1.0"]}),
    "titles that are cut": _manifest(titles=[["aligned"]]),
    "labels of numbers": _manifest(labels={"weak": [[1, 2]]}),
    "a shard without end": _manifest(shard={"number": 1, "of": 10**15, "episodes_in_all": 1}),
    "sessions that are texts": _manifest(resumed=["x"]),
    "a change of nothing": _manifest(resumed=[{"at": "now", "changed": {}, "accepted": ["versions.a.b"]}]),
    "a pipe for a manifest": _pipe("run.json"),
    "a pipe for a record": _pipe("attempts.jsonl"),
    "a lock that is a list": _raw("study.lock", "[1]"),
    "a deep lock": _raw("study.lock", DEEP),
    "a lock of other types": _raw("study.lock", '{"sha256": "x", "comparisons": [{"k": []}], "suites": 1}'),
    "a line of 200 MB": _long,
    "a deep line": _lines(DEEP + "\n"),
    "a deep field": _lines('{"id": ' + DEEP + "}\n"),
    "a line without an object": _lines("1\n"),
    "a long number": _first(attempt=10**4000),
    "an attempt far away": _first(attempt=10**15),
    "a sample below zero": _first(sample=-1),
    "a cost that is no number": lambda run: changed_json(
        run / "attempts.jsonl", lambda a: a["completion"].update(cost_usd=float("nan"))
    ),
    "tokens below zero": lambda run: changed_json(
        run / "attempts.jsonl", lambda a: a["completion"].update(usage={"prompt_tokens": -1})
    ),
    "a task of another episode": _first(task_id="16"),
    "a model that was not asked": _first(model="openai/gpt-4.1"),
    "a name of a megabyte": _first(task_id="x" * 2**20),
    "a verdict that does not exist": lambda run: changed_json(
        run / "attempts.jsonl", lambda a: a["verdict"].update(kind="PASS")
    ),
}
"""Defects of a record, which every command that reads it must refuse in one line."""


def _elsewhere(folder: str) -> Callable[[Path], Any]:
    return lambda site: changed_json(site / "site.json", lambda data: data["runs"][0].update(folder=folder))


def _record(made: dict[str, Any]) -> Callable[[Path], None]:
    def write(site: Path) -> None:
        import pyarrow as pa
        import pyarrow.parquet as pq

        pq.write_table(pa.table(made), next(site.glob("runs/*")) / "attempts.parquet")

    return write


def _linked_run(site: Path) -> None:
    (folder,) = site.glob("runs/*")
    folder.rename(site.with_name("outside") / "run")
    folder.symlink_to(site.with_name("outside") / "run")


SITES: dict[str, Callable[[Path], Any]] = {
    "a run elsewhere": _elsewhere("../../outside"),
    "a run at the root": _elsewhere("/etc"),
    "a run that is not there": _elsewhere("nothing"),
    "a linked run": _linked_run,
    "a deep list of runs": _raw("site.json", DEEP),
    "a long number of a format": _raw("site.json", f'{{"format": {DIGITS}}}'),
    "a format without end": _raw("site.json", '{"format": 1e999, "runs": []}'),
    "sums that are none": _raw("SHA256SUMS", "x"),
    "sums in another coding": _raw("SHA256SUMS", b"\xff"),
    "a record that is none": lambda site: (next(site.glob("runs/*")) / "attempts.parquet").write_bytes(b"PAR1"),
    "a record without attempts": _record({"episode": [1]}),
    "a record of other columns": _record({"episode": ["a"], "id": ["b"], "messages": [[{"x": 1}]]}),
    "a deep manifest of a run": lambda site: (next(site.glob("runs/*")) / "run.json").write_text(DEEP),
}
"""Defects of a site."""
