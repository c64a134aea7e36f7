"""Sections of a feedback text; the last one is the request for a repair."""

from __future__ import annotations

from repair_bench.prompts.templates import render
from repair_bench.suites.task import Task


def without_request(task: Task, text: str) -> str:
    return text.removesuffix(render("feedback_request", task.language)).rstrip()


def with_section(task: Task, text: str, title: str, content: str) -> str:
    """Insert a section before the request for a repair at the end of a feedback text."""
    request = render("feedback_request", task.language)
    return f"{without_request(task, text)}\n\n{title}\n\n{content}\n\n{request}"
