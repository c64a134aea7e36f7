"""The path of one attempt, as AGENTS.md describes it: few modules, and calls that only go forward."""

import re
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

import pytest
from rich.console import Console
from server.scripted import ScriptedServer, answer

import repair_bench
from repair_bench.agent import run_setup, session
from repair_bench.executors.options import ExecutorOptions
from repair_bench.report.progress import RunProgress

PACKAGE = Path(repair_bench.__file__).parent


def described() -> list[str]:
    """Return the modules on the path, in their order."""
    text = (PACKAGE.parent / "AGENTS.md").read_text(encoding="utf-8")
    (path,) = re.findall(r"^## The path of one attempt\n\n((?:\d+\. .*\n)+)", text, re.MULTILINE)
    modules: list[str] = []
    for name in re.findall(r"`([\w/]+\.py)`", path):
        folder = "" if "/" in name or not modules else f"{modules[-1].rpartition('/')[0]}/"
        modules.append(folder + name)
    return modules


@contextmanager
def calls() -> Iterator[set[tuple[str, str]]]:
    """Collect which module of the package calls which other."""
    found: set[tuple[str, str]] = set()

    def module(frame: FrameType | None) -> str | None:
        name = frame.f_code.co_filename if frame is not None else ""
        return name.removeprefix(f"{PACKAGE}/") if name.startswith(f"{PACKAGE}/") else None

    def profile(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and (callee := module(frame)) is not None:
            caller = frame.f_back
            while caller is not None and module(caller) is None:
                caller = caller.f_back
            if (above := module(caller)) not in (None, callee):
                found.add((above, callee))  # type: ignore[arg-type]

    threading.setprofile(profile)
    sys.setprofile(profile)
    try:
        yield found
    finally:
        sys.setprofile(None)
        threading.setprofile(None)  # type: ignore[arg-type]


def test_the_path_has_at_most_25_modules() -> None:
    modules = described()
    assert 15 <= len(modules) <= 25
    assert [name for name in modules if not (PACKAGE / name).is_file()] == []


@pytest.mark.slow
def test_calls_on_the_path_only_go_forward(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-path")
    modules = described()
    path = modules[modules.index("agent/session.py") :]
    replies = [answer("I do not know."), answer("```python\ndef Bell_State():\n    return 1\n```")]
    with ScriptedServer(replies) as server:
        settings = {"models": ["openai/gpt-4.1"], "frameworks": ["qiskit"], "limit": 1, "max_attempts": 1}
        opened = run_setup.start(
            {**settings, "api_base": server.url}, out=tmp_path / "run", data=None, executor=ExecutorOptions(workers=1)
        )
        console = Console(quiet=True)
        progress = RunProgress(1, console, repairs=1, spending=opened.store.spending)
        with calls() as found:
            result = session.drive(opened, concurrency=1, progress=progress, preflight=False)
    assert (result.pending, result.faults) == (0, 0)
    called = {callee for _, callee in found}
    assert [name for name in path if name not in {*called, path[0]}] == []
    back = {(a, b) for a, b in found if a in path and b in path and path.index(a) > path.index(b)}
    assert back == set()
