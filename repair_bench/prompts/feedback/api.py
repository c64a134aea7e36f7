"""The default policy's feedback; after an exception, also the documentation of names in the installed framework.

For a nonexistent name, the feedback includes the documentation of similar names, and of the same name in other modules
and classes. For a call with incorrect arguments, the feedback includes the documentation of the called function.
"""

from __future__ import annotations

import json
from importlib import resources

from repair_bench.executors.program import Program, Script
from repair_bench.frameworks import FRAMEWORKS, PYTHON
from repair_bench.prompts.feedback import Failure, default
from repair_bench.suites.task import Task

SHOWS_DOCUMENTATION = True
_CALL = "\nimport json\nprint('\\n'.join(lookup(*json.loads({arguments!r}))))\n"


def program(task: Task, failure: Failure) -> Program | None:
    """Return a program that finds documentation for the exception that a Python answer raised.

    Returns None for any other failure.
    """
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
    return default.with_section(task, text, title, found) if found else text
