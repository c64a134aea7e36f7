"""The same work in inspect-ai, run by loop.py in an environment with inspect-ai. Prints attempts per second."""

import json
import sys
import time

import inspect_ai
from inspect_ai.dataset import Sample
from inspect_ai.model import ChatMessageUser, ModelOutput, ModelUsage, get_model
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.util import sandbox

GIVEN = json.loads(sys.argv[1])


@solver
def repairing() -> Solver:
    """Generate, execute, give feedback, and repeat."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        for _ in range(GIVEN["attempts"]):
            state = await generate(state)
            code = state.output.completion.removeprefix("```python\n").removesuffix("\n```")
            result = await sandbox().exec([GIVEN["python"], "-c", code], timeout=60)
            state.messages.append(ChatMessageUser(content=f"It is wrong:\n{result.stdout}{result.stderr}"))
        return state

    return solve


def run(samples: int) -> float:
    """Return the seconds for this number of samples."""
    answer = ModelOutput.from_content("mockllm/model", f"```python\n{GIVEN['code']}\n```")
    answer.usage = ModelUsage(input_tokens=100, output_tokens=20, total_tokens=120)  # otherwise a tokenizer is used
    model = get_model("mockllm/model", custom_outputs=[answer] * (samples * GIVEN["attempts"] + 1))
    task = inspect_ai.Task(
        dataset=[Sample(id=n, input="Print one.") for n in range(1, samples + 1)], solver=repairing(), sandbox="local"
    )
    began = time.perf_counter()
    (log,) = inspect_ai.eval(task, model=model, max_samples=GIVEN["in_flight"], display="none", log_level="error")
    if log.status != "success":
        sys.exit(f"inspect-ai: {log.error}")
    return time.perf_counter() - began


run(1)  # warm-up
print(GIVEN["samples"] * GIVEN["attempts"] / run(GIVEN["samples"]))
