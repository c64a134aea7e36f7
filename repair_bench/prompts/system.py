"""The system prompt: a built-in prompt, selected by name, or the user's text."""

from __future__ import annotations

from pathlib import Path

from repair_bench.frameworks import FRAMEWORKS
from repair_bench.prompts.templates import render
from repair_bench.suites.task import Task
from repair_bench.traces.faults import UsageError

SYSTEMS = {
    "default": "states the requirements for an answer",
    "minimal": "asks for a program in one sentence",
    "detailed": "states the requirements for an answer, with hints about circuits",
    "chain_of_thought": "tells the model to reason step by step before it writes the program",
}
"""Summaries of the built-in system prompts, keyed by name; the texts are in `templates/system_<name>.j2`."""


def check_system(name: str) -> None:
    """Raise UsageError for a system prompt that does not exist."""
    if name not in SYSTEMS:
        raise UsageError(f"unknown system prompt {name!r}; choose from {', '.join(SYSTEMS)}, or pass your own text")


def system_text(name: str, own: str | None, task: Task) -> str:
    """Return the user's text (`own`), or the built-in prompt if there is none.

    If the text is empty, no system message is sent.
    """
    if own is not None:
        return own
    return render(f"system_{name}", task.language, framework=FRAMEWORKS[task.framework].title)


def read_text(path: Path) -> str:
    """Return the text of a user's file without the final newline. Raises UsageError."""
    try:
        return path.read_text(encoding="utf-8").removesuffix("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"cannot read the system prompt {path}: {error}") from None
