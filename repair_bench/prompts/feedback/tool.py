"""The default policy's feedback, with the output of a command that analyses the program, such as a linter.

The sandbox runs the command (`repair.command` in the experiment) instead of the program.
"""

from __future__ import annotations

import json
import shlex

from repair_bench.executors.program import Program, Script
from repair_bench.prompts.feedback import Failure, default
from repair_bench.suites.task import Task
from repair_bench.text import shortened

FILE = "program.py"
MAX_OUTPUT = 4_000
"""Maximum number of output characters to show."""
_SOURCE = """\
import json, os, shutil, sys
from importlib.util import find_spec
with open({file!r}, "w", encoding="utf-8", errors="replace") as file:
    file.write(json.loads({code!r}))
command = json.loads({command!r})
os.environ["PATH"] = os.pathsep.join([os.path.dirname(sys.executable), os.environ.get("PATH", os.defpath)])
if shutil.which(command[0]) is None or (command[:2] == ["python", "-m"] and find_spec(command[2]) is None):
    raise FileNotFoundError(" ".join(command) + ": not installed in the environment of the framework")
if command[0] == "python":
    command[0] = sys.executable
sys.stdout.flush()
os.dup2(1, 2)
os.execvp(command[0], command)
"""


def program(task: Task, failure: Failure) -> Program | None:
    """Return a Python program that saves the answer's code to a file and then replaces itself with the command.

    Returns None if the attempt has no code, or if the experiment sets no command.
    """
    if failure.code is None or failure.sources.command is None:
        return None
    words = [word.replace("{file}", FILE) for word in shlex.split(failure.sources.command)]
    source = _SOURCE.format(file=FILE, code=json.dumps(failure.code), command=json.dumps(words))
    return Program(framework=task.framework, source=source, call=Script())


def feedback(task: Task, failure: Failure) -> str:
    text = default.feedback(task, failure)
    if failure.ran is None:
        return text
    printed = shortened(failure.ran.stdout.rstrip(), MAX_OUTPUT)
    title = f"Output of `{failure.sources.command}`:"
    return default.with_section(task, text, title, f"```\n{printed}\n```" if printed else "(no output)")
