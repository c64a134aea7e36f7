"""A provider with a batch API in OpenAI's format that makes errors: the script of a `ScriptedServer`.

The result of a request follows from the seed, its custom id and the number of its submissions, in any order. A request
that is sent without a batch gets the same answer as in a batch.
"""

import json
import random
import re
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from server.scripted import ReceivedRequest, Reply, refused, reset

Body = Mapping[str, Any]


@dataclass
class Handed:
    """A submitted batch. `ready`: the time at which it ends."""

    name: str
    file: str
    metadata: dict[str, str]
    ready: float
    status: str = "completed"
    output: str | None = None
    errors: str | None = None


@dataclass
class BatchProvider:
    """Answers batches, with errors.

    `answer`: the completion for a request's body in OpenAI's format, or an error reply. `faults`: the share of requests
    in a batch by error: "error" (in the error file), "missing" (in no file), "refused" (an answer with status 500),
    "twice", "unknown" (also an answer with an unknown id). `ends`: the state of the n-th batch ("completed", "expired",
    "cancelled", "failed", "forgotten", or "lost": created, but not confirmed to the client); the last one repeats. An
    expired batch has answers to half of its requests. `delay`: seconds until a batch ends; `pause`: seconds before each
    reply.
    """

    answer: Callable[[Body], Body | Reply]
    faults: Mapping[str, float] = field(default_factory=dict)
    ends: tuple[str, ...] = ("completed",)
    delay: float = 0.0
    pause: float = 0.0
    seed: int = 0
    files: dict[str, bytes] = field(default_factory=dict)
    batches: dict[str, Handed] = field(default_factory=dict)
    answered: Counter[str] = field(default_factory=Counter)
    """Number of billed answers, by custom id."""
    submitted: Counter[str] = field(default_factory=Counter)
    """Number of accepted batches with the request, by custom id."""
    unanswered: Counter[str] = field(default_factory=Counter)
    """Number of those batches without a completion for it, by custom id."""
    used: Counter[str] = field(default_factory=Counter)
    """Number of batches made from it, by file."""
    refusals: list[str] = field(default_factory=list)
    """Requests that no client may send."""

    def __post_init__(self) -> None:
        self._lock = threading.Lock()

    def __call__(self, asked: ReceivedRequest) -> Reply:
        time.sleep(self.pause)
        path, _, query = asked.path.removeprefix("/v1").partition("?")
        with self._lock:
            match path.split("/")[1:]:
                case ["chat", "completions"]:
                    got = self.answer(asked.body)
                    return got if isinstance(got, Reply) else _json(got)
                case ["files"]:
                    return _json(self._upload(asked.body["content"]))
                case ["files", name, "content"]:
                    return Reply(self.files[name], content_type="application/jsonl")
                case ["batches"] if asked.body:
                    return self._create(asked.body)
                case ["batches"]:
                    return self._list(query)
                case ["batches", name]:
                    return self._retrieve(name)
        return refused(404, f"no such path: {path}")

    def _upload(self, content: bytes) -> Body:
        name = f"file-{len(self.files)}"
        found = re.search(rb"\r\n\r\n(\{.*?)\r\n--", content, re.DOTALL)
        self.files[name] = found.group(1) if found else b""
        return _file(name, len(self.files[name]))

    def _create(self, body: Body) -> Reply:
        number = len(self.batches)
        end = self.ends[min(number, len(self.ends) - 1)]
        if end == "busy":
            self.ends = self.ends[:number] + self.ends[number + 1 :]
            return refused(503, "The server is overloaded")
        batch = Handed(f"batch_{number}", body["input_file_id"], dict(body["metadata"] or {}), time.monotonic())
        batch.ready += self.delay
        self.batches[batch.name] = batch
        self.used[batch.file] += 1
        batch.status = "completed" if end == "lost" else end
        self._answer_all(batch)
        return reset() if end == "lost" else _json(self._shown(batch))

    def _answer_all(self, batch: Handed) -> None:
        requests = [json.loads(line) for line in self.files[batch.file].splitlines()]
        keys = [request["custom_id"] for request in requests]
        if len(set(keys)) < len(keys):
            self.refusals.append(f"{batch.name}: a custom id twice")
        self.submitted.update(keys)
        answered = self.answered.copy()
        if batch.status not in ("failed", "forgotten"):
            self._answer_each(batch, requests)
        self.unanswered.update(key for key in keys if self.answered[key] == answered[key])

    def _answer_each(self, batch: Handed, requests: list[Any]) -> None:
        good: list[str] = []
        bad: list[str] = []
        for request in requests:
            key = request["custom_id"]
            chance = random.Random(f"{self.seed} {key} {self.submitted[key]}")
            if batch.status in ("expired", "cancelled") and chance.random() < 0.5:
                if batch.status == "expired" and chance.random() < 0.7:
                    bad.append(_failed(key, "batch_expired", "This request could not be executed in time."))
                continue
            names, weights = [*self.faults, "ok"], [*self.faults.values(), 1 - sum(self.faults.values())]
            fault = chance.choices(names, weights)[0]
            if fault == "error":
                bad.append(_failed(key, "server_error", "The server had an error."))
                continue
            if fault == "missing":
                continue
            if fault == "refused":
                bad.append(_line(key, 500, {"error": {"message": "The server had an error", "type": "server_error"}}))
                continue
            got = self.answer(request["body"])
            if isinstance(got, Reply):
                bad.append(_line(key, got.status, json.loads(got.body)))
                continue
            self.answered[key] += 1
            good += [_line(key, 200, got)] * (2 if fault == "twice" else 1)
            if fault == "unknown":
                good.append(_line("nobody", 200, got))
        chance = random.Random(f"{self.seed} {batch.name}")
        chance.shuffle(good)
        batch.output, batch.errors = (self._keep(batch, lines) for lines in (good, bad))

    def _keep(self, batch: Handed, lines: list[str]) -> str | None:
        if not lines:
            return None
        name = f"file-of-{batch.name}-{len(self.files)}"
        self.files[name] = "\n".join(lines).encode() + b"\n"
        return name

    def _list(self, query: str) -> Reply:
        asked = dict(part.split("=") for part in query.split("&") if part)
        names = [*reversed(self.batches)]
        begin = names.index(asked["after"]) + 1 if "after" in asked else 0
        shown = names[begin : begin + int(asked.get("limit", 20))]
        data = [self._shown(self.batches[name]) for name in shown]
        return _json({"object": "list", "data": data, "has_more": begin + len(shown) < len(names)})

    def _retrieve(self, name: str) -> Reply:
        batch = self.batches.get(name)
        if batch is None or batch.status == "forgotten":
            return refused(404, f"No batch found with id '{name}'")
        return _json(self._shown(batch))

    def _shown(self, batch: Handed) -> Body:
        ended = time.monotonic() >= batch.ready
        errors = {"object": "list", "data": [{"code": "invalid_model", "message": "No.", "line": 1, "param": "model"}]}
        return {
            "id": batch.name,
            "object": "batch",
            "endpoint": "/v1/chat/completions",
            "completion_window": "24h",
            "created_at": 1,
            "input_file_id": batch.file,
            "metadata": batch.metadata,
            "status": batch.status if ended else "in_progress",
            "output_file_id": batch.output if ended else None,
            "error_file_id": batch.errors if ended else None,
            "errors": errors if ended and batch.status == "failed" else None,
        }


def completion(text: str, *, tokens: tuple[int, int] = (100, 20), model: str = "gpt-4.1") -> Body:
    """Return a completion in OpenAI's format. `tokens`: the counts for the prompt and the answer."""
    choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}
    usage = {"prompt_tokens": tokens[0], "completion_tokens": tokens[1], "total_tokens": sum(tokens)}
    kind = {"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": model}
    return {**kind, "choices": [choice], "usage": usage}


def _line(key: str, status: int, body: Body) -> str:
    response = {"status_code": status, "request_id": "r", "body": body}
    return json.dumps({"id": "batch_req_1", "custom_id": key, "response": response, "error": None})


def _failed(key: str, code: str, message: str) -> str:
    error = {"code": code, "message": message}
    return json.dumps({"id": "batch_req_1", "custom_id": key, "response": None, "error": error})


def _file(name: str, size: int) -> Body:
    kind = {"object": "file", "purpose": "batch", "status": "processed", "created_at": 1}
    return {"id": name, "bytes": size, "filename": f"{name}.jsonl", **kind}


def _json(data: Body) -> Reply:
    return Reply(json.dumps(data).encode())
