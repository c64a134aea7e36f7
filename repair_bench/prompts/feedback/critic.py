"""The default policy's feedback, and a critic's analysis of the failure: another model, the same model, or a person.

The critic sees what `critic.sees` lists. With `critic.replaces`, the repair sees only its analysis.
"""

from __future__ import annotations

from typing import Any

from repair_bench.prompts.feedback import Failure, default, verdict
from repair_bench.prompts.feedback.sections import with_section, without_request
from repair_bench.prompts.templates import render
from repair_bench.suites.task import Task


def question(task: Task, failure: Failure) -> list[dict[str, Any]]:
    """Return the messages to the critic."""
    sees = failure.sources.sees
    text = render(
        "critic_task",
        task.language,
        prompt=task.prompt if "task" in sees else "",
        starter=task.starter if "task" in sees else "",
        code=(failure.code or "").rstrip() if "program" in sees else "",
        evidence=evidence(task, failure) if "feedback" in sees else "",
    )
    return [{"role": "system", "content": render("critic_system", task.language)}, {"role": "user", "content": text}]


def feedback(task: Task, failure: Failure) -> str:
    reply = (failure.reply or "").strip()
    if not reply:
        return default.feedback(task, failure)
    base = verdict.feedback(task, failure) if failure.sources.replaces else default.feedback(task, failure)
    return with_section(task, base, "An analysis of the failure:", reply)


def evidence(task: Task, failure: Failure) -> str:
    """Return the default policy's feedback without the request for a repair."""
    return without_request(task, default.feedback(task, failure))
