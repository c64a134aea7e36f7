"""A model without an API, asked by hand: `manual/DIR`.

Each prompt is written to `DIR/<attempt id>/prompt.md`, for people, and `messages.json`, as a chat interface takes it.
The answer is read from `answer.md` beside them. Until it is there the episode is owed: a run writes all the prompts
that it can ask, stops, and goes on with the answers when it is resumed. Where an answer asks to run a program, what
that printed is shown in another prompt, in `DIR/<attempt id>-1`, and so on.
"""

from __future__ import annotations

import json
from pathlib import Path

from repair_bench.agent.models.base import Model, Request
from repair_bench.prompts.compose import prefill
from repair_bench.traces.faults import ModelError, Unanswered, UsageError
from repair_bench.traces.record.records import Completion

PROMPT, MESSAGES, ANSWER = "prompt.md", "messages.json", "answer.md"

_WHO = {"system": "System prompt", "user": "User", "assistant": "Assistant"}


class ManualModel(Model):
    """Reads answers from files. `waiting` counts the prompts that had none when they were asked."""

    simulated = False
    supports_prefill = True

    def __init__(self, name: str, directory: Path) -> None:
        self.name = name
        self.directory = directory
        self.waiting = 0

    async def complete(self, request: Request) -> Completion:
        """The answer in the file; usage, cost and latency are unknown.

        Raises Unanswered where there is none or an empty one, ModelError where it was given to other messages, and
        UsageError when the files cannot be written or read.
        """
        folder = self.directory / (f"{request.id}-{request.step}" if request.step else request.id)
        asked = json.dumps(request.messages, indent=1, ensure_ascii=False) + "\n"
        try:
            before = _read(folder / MESSAGES)
            answer = _read(folder / ANSWER)
            if answer.strip() and before != asked:
                raise ModelError(f"{folder / ANSWER} answers another prompt than this run's: use another directory")
            if before != asked:
                folder.mkdir(parents=True, exist_ok=True)
                (folder / PROMPT).write_text(_readable(request), encoding="utf-8")
                (folder / MESSAGES).write_text(asked, encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise UsageError(f"{self.name}: the files in {folder} cannot be used: {error}") from None
        if not answer.strip():
            self.waiting += 1
            raise Unanswered(f"{folder / PROMPT} waits for an answer in {ANSWER}")
        return Completion(text=answer)

    def closing_line(self) -> str | None:
        """What there is to do by hand before the run can go on, in a sentence; None when nothing is."""
        if not self.waiting:
            return None
        prompts = "1 prompt waits" if self.waiting == 1 else f"{self.waiting:,} prompts wait"
        return f"{prompts} in {self.directory}: put the answer to each {PROMPT} beside it, in {ANSWER}, and resume"


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.exists() else ""


def _readable(request: Request) -> str:
    task = request.task
    parts = [f"# {task.suite}/{task.id}, {task.framework}, sample {request.sample}, attempt {request.attempt}"]
    if request.temperature is not None:
        parts.append(f"Temperature: {request.temperature}")
    for message in request.messages:
        who = _WHO.get(message["role"], message["role"])
        parts.append(f"## {who}\n\n{message['content']}")
    if prefill(request.messages):
        parts[-1] = parts[-1].replace("## Assistant", "## The beginning of the answer, to be continued", 1)
    return "\n\n".join(parts) + "\n"


def create(name: str) -> Model:
    """The model of a name. Raises UsageError."""
    directory = name.removeprefix("manual").removeprefix("/")
    if not directory:
        raise UsageError("write manual/DIR, the directory where prompts are put and answers are looked for")
    return ManualModel(name, Path(directory))
