"""A run with tool turns, for a test that kills it.

`python killed_turns.py DIRECTORY KIND` starts or resumes the run. Each request is durably noted in `DIRECTORY.asked`
before it is answered. `turns` runs programs; `consulting` also asks for correct outputs, with a critic, a command and
decoding probes.
"""

import hashlib
import json
import os
import sys
from pathlib import Path
from typing import Any

from repair_bench.agent.experiment.file import Experiment
from repair_bench.agent.models.base import Request
from repair_bench.agent.models.network.providers import ProviderSettings, Throttle
from repair_bench.agent.models.retry import RetryPolicy
from repair_bench.suites import aligned, conventions
from repair_bench.testing.driving import drive
from repair_bench.traces.record.records import Completion
from repair_bench.traces.record.spending import Spend

USAGE = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}


class Paid:
    """Runs two programs and then answers incorrectly. Each reply names the conversation that it answers."""

    name, simulated, supports_prefill, supports_tools = "paid/model", False, False, True
    reasons, retry, timeout, quota = False, RetryPolicy(), 60.0, Throttle(ProviderSettings())

    def __init__(self, asked: Path) -> None:
        self._asked = os.open(asked, os.O_WRONLY | os.O_APPEND | os.O_CREAT)

    async def complete(self, request: Request) -> Completion:
        conversation = hashlib.sha256(json.dumps([request.id, request.messages]).encode()).hexdigest()[:16]
        os.write(self._asked, f"{conversation}\n".encode())
        if request.role != "answer":
            return Completion(f"('{conversation}')", usage=USAGE, cost_usd=0.25, reply="text")
        code = f"print('{conversation}')\n"
        called = request.messages[-1]["content"] if request.messages[-1]["role"] == "tool" else ""
        function = {"name": "run_python", "arguments": json.dumps({"code": code})}
        if "Runs left: 0" in called and len(request.tools) > 1:
            function = {"name": "correct_output", "arguments": json.dumps({"inputs": f"#('{conversation}')\n"})}
        elif "left: 0" in called:
            text = f"```python\nraise ValueError('{conversation}')\n```"
            return Completion(text, usage=USAGE, cost_usd=0.25, reply="text")
        parts = {"tool_calls": [{"id": "call", "type": "function", "function": function}]}
        return Completion("", usage=USAGE, cost_usd=0.25, parts=parts, reply="tool_calls")

    def worst_case(self, messages: list[dict[str, Any]], max_tokens: int | None) -> Spend:
        return Spend(0.25, 15)

    async def close(self) -> None:
        os.close(self._asked)


def run(directory: Path, kind: str) -> None:
    """Start or resume the run, to its end."""
    settings = {"models": ("paid/model",), "frameworks": ("qiskit",), "max_attempts": 2}
    if kind == "turns":
        planned = Experiment(**settings, limit=8, tools={"python": 2})
        suite = aligned.load(frameworks=["qiskit"])
    else:
        repair = {"feedback": ("critic", "tool"), "command": "python -m py_compile {file}", "probe": True}
        planned = Experiment(**settings, limit=4, tools={"python": 1, "ask": 1}, repair=repair)
        suite = conventions.load(name="conventions?bits=1&seed=3", frameworks=["qiskit"])
    resume = (directory / "run.json").exists()
    model = Paid(directory.with_suffix(".asked"))
    drive(directory, planned.episodes([suite]), [model], resume=resume, concurrency=3)


if __name__ == "__main__":
    run(Path(sys.argv[1]), sys.argv[2])
