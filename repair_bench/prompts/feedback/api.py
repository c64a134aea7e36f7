"""The default policy's feedback; for an exception, also the documentation of the names in its message.

The names come from the installed framework: for a name that does not exist, the same name elsewhere and similar ones;
for a wrong call, the function.
"""

from __future__ import annotations

import json
from importlib import resources

from repair_bench.executors.program import Program, Script
from repair_bench.frameworks import FRAMEWORKS, PYTHON
from repair_bench.prompts.feedback import Failure, default
from repair_bench.prompts.feedback.sections import with_section
from repair_bench.suites.task import Task

SHOWS_DOCUMENTATION = True
_CALL = "\nimport json\nprint('\\n'.join(lookup(*json.loads({arguments!r}))))\n"


def program(task: Task, failure: Failure) -> Program | None:
    """Return a program that looks up the names; None if there is no exception, or if the language is not Python."""
    if failure.verdict.kind != "exception" or task.language is not PYTHON:
        return None
    raised = [failure.verdict.evidence[name] for name in ("type", "message", "traceback")]
    arguments = json.dumps([task.framework, *raised, failure.code or ""])
    script = resources.files("repair_bench.executors.guest").joinpath("api_lookup.py").read_text(encoding="utf-8")
    return Program(framework=task.framework, source=script + _CALL.format(arguments=arguments), call=Script())


def feedback(task: Task, failure: Failure) -> str:
    text = default.feedback(task, failure)
    found = failure.ran.stdout.strip() if failure.ran is not None else ""
    title = f"From the documentation of the installed version of {FRAMEWORKS[task.framework].title}:"
    return with_section(task, text, title, found) if found else text
