"""The default policy's feedback, together with a critic's analysis of the failed attempt.

The critic is another model, the repairing model itself, or a person. The critic sees the parts listed in `critic.sees`.
With `critic.replaces`, the analysis replaces the default policy's feedback.
"""

from __future__ import annotations

from typing import Any

from repair_bench.prompts.feedback import Failure, default, verdict
from repair_bench.prompts.templates import render
from repair_bench.suites.task import Task


def question(task: Task, failure: Failure) -> list[dict[str, Any]]:
    parts = {
        "task": {"prompt": task.prompt.strip(), "starter": task.separate_starter},
        "program": {"code": (failure.code or "").rstrip()},
        "feedback": {"evidence": default.without_request(task, default.feedback(task, failure))},
    }
    seen = {name: text if part in failure.sources.sees else "" for part in parts for name, text in parts[part].items()}
    text = render("critic_task", task.language, **seen)
    return [{"role": "system", "content": render("critic_system", task.language)}, {"role": "user", "content": text}]


def feedback(task: Task, failure: Failure) -> str:
    reply = (failure.reply or "").strip()
    if not reply:
        return default.feedback(task, failure)
    base = verdict.feedback(task, failure) if failure.sources.replaces else default.feedback(task, failure)
    return default.with_section(task, base, "An analysis of the failure:", reply)
