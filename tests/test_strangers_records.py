"""Commands on a third-party run: they execute, read and write nothing else, and report what they ignore."""

import json
import shutil
import socket
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
import typer
from commands import Done, exit_code
from strangers import COMMANDS, LINKS, NO_RECORD, SECRET, SITES, UNREADABLE, Watched, linked, tempting, watched

from repair_bench.cli import app

pytestmark = pytest.mark.slow

NOT_RUN = ("run FILE", "serve FILE", "regrade --out", "report --certificate", "merge")
"""Commands that read another file of the directory, or refuse every run of another kind."""


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run with two arms and a failure."""
    directory = tmp_path_factory.mktemp("good") / "run"
    arguments = [
        "--model",
        "sim/bernoulli?first=0&repair=0",
        "--framework",
        "qiskit",
        "--limit",
        "2",
        "--max-attempts",
        "1",
    ]
    done = exit_code("run", *arguments, "--feedback", "default", "--feedback", "verdict", "--out", str(directory))
    assert done == 0
    return directory


class Place:
    """A copy of the good run, a folder outside of it, and an output."""

    def __init__(self, folder: Path, good: Path) -> None:
        self.good, self.run, self.outside, self.out = good, folder / "run", folder / "outside", folder / "out"
        self.mark = folder / "executed"
        shutil.copytree(good, self.run)
        self.outside.mkdir()
        (self.outside / "secret").write_text(SECRET)

    def call(self, command: str) -> tuple[int, Watched]:
        with watched() as seen:
            arguments = [part.format(run=self.run, good=self.good, out=self.out) for part in COMMANDS[command]]
            return exit_code(*arguments), seen

    def check(self, seen: Watched, files: dict[str, bytes]) -> None:
        """Assert that everything executed, sent, read or written belongs to the program, the record or the output."""
        assert not self.mark.exists()
        assert not [path for path in seen.started if path.startswith(str(self.run.parent))]
        assert seen.connected == []
        assert not [path for path, _ in seen.opened if path.startswith(str(self.outside))]
        seen.opened = [(path, changed) for path, changed in seen.opened if path != tempfile.gettempdir()]
        ours = (str(self.run), str(self.out), f"{self.out.parent}/.out", *_TEMPORARY)
        strange = {path for path, changed in seen.opened if changed and not path.startswith(ours)}
        assert not strange
        assert _files(self.outside) == files
        texts = [path.read_bytes() for folder in (self.run, self.out) for path in _all(folder)]
        assert not any(SECRET.encode() in text for text in texts)


_TEMPORARY = ("/tmp/repair-bench-", "/dev/", "/proc/", "/sys/", "/tmp/tmp", "/tmp/matplotlib")


def _all(folder: Path) -> Iterator[Path]:
    return (path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())


def _files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in _all(folder)}


@pytest.fixture
def place(tmp_path: Path, good: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    made = Place(tmp_path / "place", good)
    cache = tmp_path / "place" / "out" / "cache"
    monkeypatch.setenv("REPAIR_BENCH_ENVS", str(tmp_path / "place" / "out" / "envs"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)  # our modules, in a new checkout
    return made


def test_every_command_that_takes_a_run_is_tried() -> None:
    there = set(_leaves(typer.main.get_command(app)))
    tried = {" ".join(words) for words in (_command(arguments) for arguments in COMMANDS.values())}
    assert tried | NO_RECORD == there
    assert not tried & NO_RECORD


def _leaves(command: Any, name: str = "") -> Iterator[str]:
    for sub in getattr(command, "commands", {}).items():
        yield from _leaves(sub[1], f"{name} {sub[0]}".strip())
    if not getattr(command, "commands", {}):
        yield name


def _command(arguments: list[str]) -> list[str]:
    return arguments[: 2 if arguments[0] in ("suites", "env") else 1]


@pytest.mark.parametrize("command", sorted(set(COMMANDS) - {"serve FILE"}))
def test_files_and_paths_of_a_record_are_not_used(
    place: Place, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], command: str
) -> None:
    tempting(place.run, place.outside, place.mark)
    monkeypatch.chdir(place.run)  # where a third-party `.env` and `matplotlibrc` would be found
    files = _files(place.outside)
    code, seen = place.call(command)
    out, errors = capfd.readouterr()
    assert code in (0, 2), errors
    assert code == 0 or command in NOT_RUN or "the run has no training examples" in errors, errors
    assert "\x1b" not in out + errors.replace("\x1b[", "" if sys.stderr.isatty() else "\x1b[")
    place.check(seen, files)
    if command in ("verify", "regrade", "run --resume", "fork", "report --rule"):
        assert f"run.json names the interpreter {place.run}/python for qiskit" in errors


def _some(names: Sequence[str], command: str) -> Sequence[str]:
    """Return a sixth of the names, different ones for each command, because commands share the code that reads runs."""
    return names[list(COMMANDS).index(command) % 6 :: 6]


@pytest.mark.parametrize("command", sorted(COMMANDS))
def test_a_link_in_a_record_is_refused_and_not_followed(
    place: Place, capfd: pytest.CaptureFixture[str], command: str
) -> None:
    plain = place.run.with_name("plain")
    place.run.rename(plain)
    for name in ("run.json", "attempts.jsonl", *_some(LINKS[2:], command)):
        shutil.copytree(plain, place.run)
        linked(place.run, name, place.outside)
        files = _files(place.outside)
        code, seen = place.call(command)
        errors = capfd.readouterr().err
        assert code == 2, (name, errors)
        assert len(_messages(errors)) == 1, (name, errors)
        assert "is a symbolic link" in errors, (name, errors)
        place.check(seen, files)
        shutil.rmtree(place.run)


@pytest.mark.parametrize("command", sorted(set(COMMANDS) - set(NOT_RUN)))
def test_unreadable_record_is_reported_in_one_line(
    place: Place, capfd: pytest.CaptureFixture[str], command: str
) -> None:
    plain = place.run.with_name("plain")
    place.run.rename(plain)
    for name in UNREADABLE if command == "report" else _some(list(UNREADABLE), command):
        damage = UNREADABLE[name]
        shutil.copytree(plain, place.run)
        damage(place.run)
        code, seen = place.call(command)
        errors = capfd.readouterr().err
        assert code == 2, (name, errors)
        assert len(_messages(errors)) == 1, (name, errors)
        assert len(errors) < 2_000, (name, errors[:3_000])
        assert str(place.run) in errors, (name, errors)
        place.check(seen, {"secret": SECRET.encode()})
        shutil.rmtree(place.run)


@pytest.mark.parametrize("command", ["run --resume {}", "fork {} --all --out forked"])
def test_no_key_is_sent_to_an_address_in_a_record(
    cli: Callable[..., Done], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, command: str
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-the-user")
    model = "sim/bernoulli?first=0&repair=0"
    arguments = ["--model", model, "--framework", "qiskit", "--limit", "1", "--max-attempts", "1"]
    assert cli("run", *arguments, "--out", "r").returncode == 0
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.1)
        manifest = json.loads(Path("r/run.json").read_text())
        manifest["experiment"]["models"] = ["openai/gpt-4.1"]
        manifest["experiment"]["api_base"] = f"http://127.0.0.1:{server.getsockname()[1]}/v1"
        Path("r/run.json").write_text(json.dumps(manifest))
        lines = [json.loads(line) for line in Path("r/attempts.jsonl").read_text().splitlines()]
        if "resume" in command:
            lines = []
        Path("r/attempts.jsonl").write_text("".join(f"{json.dumps({**a, 'model': 'openai/gpt-4.1'})}\n" for a in lines))
        with watched() as seen:
            done = cli(*command.format("r").split())
        assert seen.connected == []
        assert done.returncode == 2
        assert "--api-base" in done.stderr
        assert len(_messages(done.stderr)) == 1
        with pytest.raises(TimeoutError):
            server.accept()


def test_unreadable_site_is_reported_in_one_line(
    place: Place, good: Path, capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert exit_code("publish", str(good), "--out", str(place.out)) == 0
    capfd.readouterr()
    shutil.rmtree(place.run)
    for name, damage in SITES.items():
        shutil.copytree(place.out, place.run)
        damage(place.run)
        files = _files(place.outside)
        for arguments in (["verify", "{}", "--sample", "0"], ["publish", str(good), "--out", "{}"]):
            if arguments[0] == "publish" and not name.startswith(("a linked", "sums")):
                continue  # the replaced site is not read
            with watched() as seen:
                code = exit_code(*(part.format(place.run) for part in arguments))
            errors = capfd.readouterr().err
            assert code == 2, (name, errors)
            assert len(_messages(errors)) == 1, (name, errors)
            place.check(seen, files)
        shutil.rmtree(place.run)


def test_unreadable_graded_lines_are_reported_in_one_line(cli: Callable[..., Done], tmp_path: Path) -> None:
    good = {"task_id": "1", "framework": "qiskit", "verdict": "pass", "error_type": None, "detail": ""}
    deep = "[" * 100_000 + "]" * 100_000
    lines = (deep, "1" * 5000, *(json.dumps({**good, name: []}) for name in good))
    for line in lines:
        (tmp_path / "graded.jsonl").write_text(line + "\n")
        done = cli("drift", "graded.jsonl", "graded.jsonl")
        assert (done.returncode, len(done.stderr.splitlines())) == (2, 1)


def test_run_with_invalid_times_can_be_watched(good: Path, tmp_path: Path, cli: Callable[..., Done]) -> None:
    directory = shutil.copytree(good, tmp_path / "run")
    lines = [json.loads(line) for line in (directory / "attempts.jsonl").read_text().splitlines()]
    for number, line in enumerate(lines):
        line["finished_at"] = ("zz", "zz\x1b[31m", "9999-01-01")[number % 3]
    (directory / "attempts.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    events = [
        {"event": "retry", "wait_seconds": 1e308, "timestamp": "\x1b[31m", "reason": "\x1b[31m"},
        {"event": "quota_wait", "seconds": -1, "provider": "<b>\x1b[31m"},
        {"event": "quota_wait", "seconds": 1, "provider": "<b>\x1b[31m", "timestamp": "\x1b[31m" * 9},
    ]
    (directory / "run.log").write_text("".join(f"{json.dumps(event)}\n" for event in events))
    (directory / "experiment.toml").write_text("budget = 1\n")
    done = cli("watch", str(directory), "--once")
    assert done.returncode == 0, done.stderr
    assert "\x1b" not in done.stdout


def _messages(errors: str) -> list[str]:
    """Return the lines of standard error, without the one about the sandbox."""
    return [line for line in errors.splitlines() if not line.startswith("sandbox: ")]
