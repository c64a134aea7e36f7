"""The task with a scripted model: task 01 is solved at once, task 16 after one repair, and the others never."""

from inspect_ai import Task, task, task_with
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from repair_bench_inspect.tasks import repair

from repair_bench.suites import aligned

RAISES = "```python\ndef Bell_State():\n    return missing\n```"
ANSWERS = {task.id: f"```python\n{task.reference}```" for task in aligned.load().tasks if task.framework == "qiskit"}
ENTRY_POINTS = {task.id: task.entry_point for task in aligned.load().tasks}


def answer(messages, *_) -> ModelOutput:
    asked = next((n for n in ("01", "16") if ENTRY_POINTS[n] in messages[1].text), None)
    text = ANSWERS.get(asked, "I do not know.")
    output = ModelOutput.from_content("mockllm/model", RAISES if asked == "16" and len(messages) == 2 else text)
    output.usage = ModelUsage(input_tokens=100, output_tokens=10, total_tokens=110)  # otherwise a tokenizer is fetched
    return output


@task
def scripted() -> Task:
    return task_with(repair(repairs=2), model=get_model("mockllm/model", custom_outputs=answer))
