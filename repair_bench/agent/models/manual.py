"""A model without an API, queried by hand: `manual/DIR`.

The run writes each prompt to `DIR/<attempt id>/`, both as `prompt.md` for people and as `messages.json` for a chat
interface. The run reads the answer from `answer.md` in the same folder. Episodes without an answer are pending. After
writing all prompts that do not depend on missing answers, the run stops; it continues when it is resumed. If an answer
asks the run to execute a program, another prompt in `DIR/<attempt id>-1` shows the result of the program. The results
of further programs follow in `DIR/<attempt id>-2` and so on.
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
    """Reads answers from files. `waiting`: the number of prompts without an answer."""

    simulated = False
    supports_prefill = True

    def __init__(self, name: str, directory: Path) -> None:
        self.name = name
        self.directory = directory
        self.waiting = 0

    async def complete(self, request: Request) -> Completion:
        """Return the stored answer.

        Raises Unanswered if there is no answer yet, ModelError if the answer replies to a different prompt, and
        UsageError if the files are unusable.
        """
        folder = self.directory / (f"{request.id}-{request.step}" if request.step else request.id)
        messages = json.dumps(request.messages, indent=1, ensure_ascii=False) + "\n"
        try:
            before = _read(folder / MESSAGES)
            answer = _read(folder / ANSWER)
            if answer.strip() and before != messages:
                raise ModelError(f"{folder / ANSWER} answers a prompt from another run: use a different directory")
            if before != messages:
                folder.mkdir(parents=True, exist_ok=True)
                (folder / PROMPT).write_text(_readable(request), encoding="utf-8")
                (folder / MESSAGES).write_text(messages, encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise UsageError(f"{self.name}: the files in {folder} cannot be used: {error}") from None
        if not answer.strip():
            self.waiting += 1
            raise Unanswered(f"{folder / PROMPT} has no answer yet: write an answer into {ANSWER} in the same folder")
        return Completion(text=answer)

    def closing_line(self) -> str | None:
        """Return a sentence about prompts without an answer; None if there are none."""
        if not self.waiting:
            return None
        prompts = "1 prompt" if self.waiting == 1 else f"{self.waiting:,} prompts"
        return (
            f"{self.directory} contains {prompts} without an answer: write the answer to each {PROMPT} into {ANSWER} "
            "in the same folder, then resume the run"
        )


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
        parts[-1] = parts[-1].replace("## Assistant", "## Beginning of the answer: continue from here", 1)
    return "\n\n".join(parts) + "\n"


def create(name: str) -> Model:
    """Return the model with this name. Raises UsageError if the name contains no directory."""
    directory = name.removeprefix("manual").removeprefix("/")
    if not directory:
        raise UsageError("the model `manual` requires a directory for prompts and answers: use manual/DIR")
    return ManualModel(name, Path(directory))
