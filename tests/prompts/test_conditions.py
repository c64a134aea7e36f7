"""The messages of an attempt under each prompt condition and feedback arm."""

import hashlib
import re
from dataclasses import replace
from itertools import product
from pathlib import Path

import jinja2
import pytest

import repair_bench
from repair_bench import prompts, suites, testing
from repair_bench.prompts.compose import compose, compose_repair, prefill
from repair_bench.prompts.condition import Condition
from repair_bench.prompts.extraction.extract import extract
from repair_bench.prompts.feedback import POLICIES
from repair_bench.prompts.few_shot import examples, pool
from repair_bench.prompts.system import SYSTEMS, read_text
from repair_bench.prompts.templates import render
from repair_bench.suites.task import Task
from repair_bench.traces.faults import UsageError
from repair_bench.traces.record.records import Attempt, Completion

TEMPLATES = Path(repair_bench.__file__).parent / "prompts" / "templates"


def attempt(task: Task, condition: Condition, said: str, messages=None, shown=()) -> Attempt:
    code = extract(said, entry_point=task.entry_point, starter=task.starter).code
    asked = messages or compose(task, condition, shown)
    return testing.attempt("w", messages=asked, completion=Completion(said), code=code)


def roles(messages) -> list[str]:
    return [message["role"] for message in messages]


@pytest.mark.slow
def test_arms_share_the_messages_of_their_first_attempt(suite, task) -> None:
    shown = examples(task, pool(suite), 3)
    prompts = [
        {"system": system, "few_shot": k, "starter": starter, "assistant_prefill": begun}
        for system, k, starter, begun in product(SYSTEMS, (0, 3), (True, False), (True, False))
    ]
    arms = [
        {"feedback": policy, "history": history, "repair_temperature": t, "max_attempts": n}
        for policy, history, t, n in product(POLICIES, ("whole", "last"), (0.8, None), (0, 5))
    ]
    for prompt in prompts:
        conditions = [Condition(**prompt, **arm) for arm in arms]
        messages = [compose(task, one, shown if prompt["few_shot"] else ()) for one in conditions]
        assert all(one == messages[0] for one in messages)
        assert all(one.prompt_key() == conditions[0].prompt_key() for one in conditions)
    keys = [Condition(**prompt).prompt_key() for prompt in prompts]
    assert all(keys.count(key) == 1 for key in keys)


def test_arms_that_differ_have_keys_that_differ() -> None:
    arms = [
        Condition(feedback=policy, history=history, repair_temperature=t).arm_key()
        for policy, history, t in product(POLICIES, ("whole", "last"), (0.8, None))
    ]
    assert all(arms.count(arm) == 1 for arm in arms)


@pytest.mark.parametrize("framework", ["qiskit", "pennylane", "cirq"])
@pytest.mark.parametrize("system", SYSTEMS)
def test_system_prompts_differ(suite, system, framework) -> None:
    one = next(task for task in suite.tasks if task.framework == framework)
    said = {name: compose(one, Condition(system=name))[0] for name in SYSTEMS}
    assert said[system]["role"] == "system"
    assert sum(text == said[system] for text in said.values()) == 1
    assert "```" not in said[system]["content"]


def test_chain_of_thought_requires_the_marks_of_extraction(task) -> None:
    said = compose(task, Condition(system="chain_of_thought"))[0]["content"]
    assert "THINKING:" in said
    assert "CODE:" in said
    answer = "THINKING: two gates.\nCODE:\ndef Bell_State():\n    return 1\n"
    assert extract(answer, entry_point=task.entry_point).code == "def Bell_State():\n    return 1\n"


def test_the_users_text_is_sent_unchanged(task, tmp_path) -> None:
    own = "  Write {{ code }}.\n\nWell.  "
    (tmp_path / "system.txt").write_text(own + "\n", encoding="utf-8")
    condition = Condition(system_text=read_text(tmp_path / "system.txt"))
    assert compose(task, condition)[0] == {"role": "system", "content": own}
    assert condition.prompt_key() != Condition().prompt_key()
    with pytest.raises(UsageError, match="cannot read"):
        read_text(tmp_path / "absent.txt")


def test_an_empty_text_sends_no_system_message(task) -> None:
    assert roles(compose(task, Condition(system_text=""))) == ["user"]


def test_own_task_template_replaces_the_text_of_task_and_examples(suite, task) -> None:
    template = "Solve: {{ prompt }}{% if starter %}\nStart with:\n{{ starter }}{% endif %}"
    (shown,) = examples(task, pool(suite), 1)
    system, example, _, asked = compose(task, Condition(task_template=template), [shown])
    assert system["role"] == "system"
    assert asked["content"].startswith(f"Solve: {task.prompt.strip()}\nStart with:\n")
    assert asked["content"].endswith(task.separate_starter.rstrip("\n"))
    assert example["content"].startswith(f"Solve: {shown.prompt.strip()}")
    without = compose(task, Condition(task_template=template, starter=False))[-1]["content"]
    assert without == f"Solve: {task.prompt.strip()}"


def test_the_starter_code_is_shown_once_and_only_on_request(task) -> None:
    with_it, without = (compose(task, Condition(starter=one))[-1]["content"] for one in (True, False))
    assert with_it.count(task.starter.strip()) == 1
    assert task.starter.strip() not in without
    own = replace(task, prompt=task.starter + "    # complete this\n")
    assert compose(own, Condition())[-1]["content"].count("def Bell_State") == 1


@pytest.mark.parametrize(
    ("condition", "words"),
    [
        ({"system": "verbose"}, "unknown system prompt 'verbose'"),
        ({"feedback": "praise"}, "unknown feedback policy 'praise'"),
        ({"few_shot": 2}, "choose from 0, 1, 3, 5"),
        ({"history": "none"}, "unknown history 'none'"),
        ({"reasoning": "keep", "history": "last"}, "requires the whole conversation"),
    ],
)
def test_a_value_that_means_nothing_here_is_refused(condition, words) -> None:
    with pytest.raises(UsageError, match=words):
        Condition(**condition)


def test_a_prefilled_answer_begins_with_the_starter_code(task) -> None:
    messages = compose(task, Condition(assistant_prefill=True))
    assert roles(messages) == ["system", "user", "assistant"]
    assert messages[-1]["content"] == f"```python\n{task.starter.rstrip()}"
    assert prefill(messages) == messages[-1]["content"]
    assert prefill(compose(task, Condition())) == ""


def test_without_starter_code_it_begins_with_an_open_block(task) -> None:
    messages = compose(replace(task, starter=""), Condition(assistant_prefill=True))
    assert prefill(messages) == "```python"


def test_a_continuation_is_joined_to_the_prefill(suite) -> None:
    for task in suite.tasks:
        begun = prefill(compose(task, Condition(assistant_prefill=True)))
        assert begun == begun.rstrip()
        body = "\n    return None\n```\n\nThat is all."
        found = extract(body, entry_point=task.entry_point, starter=task.starter, prefill=begun)
        assert found.code == task.starter.rstrip() + "\n    return None\n"


def test_a_repair_is_prefilled_like_a_first_answer(task) -> None:
    for history in ("whole", "last"):
        condition = Condition(assistant_prefill=True, history=history)
        last = attempt(task, condition, "\n    return None\n```")
        messages = compose_repair(task, condition, [last], "it is wrong")
        assert prefill(messages) == prefill(last.messages)
        expected = ["system", "user", "assistant", "user", "assistant"] if history == "whole" else [
            "system", "user", "assistant",
        ]  # fmt: skip
        assert roles(messages) == expected
        told = messages[-2]["content"]
        assert told == "it is wrong" if history == "whole" else told.endswith("it is wrong")
    whole = compose_repair(task, Condition(assistant_prefill=True), [last], "it is wrong")
    assert whole[2]["content"] == prefill(last.messages) + "\n    return None\n```"


def test_the_whole_history_holds_every_answer(task) -> None:
    condition = Condition()
    first = attempt(task, condition, "one")
    second = attempt(task, condition, "two", compose_repair(task, condition, [first], "wrong once"))
    messages = compose_repair(task, condition, [first, second], "wrong twice")
    assert roles(messages) == ["system", "user", "assistant", "user", "assistant", "user"]
    assert [message["content"] for message in messages[2:]] == ["one", "wrong once", "two", "wrong twice"]


def test_only_the_last_attempt_is_shown_with_the_task(suite, task) -> None:
    shown = examples(task, pool(suite), 1)
    condition = Condition(history="last", few_shot=1)
    last = attempt(task, condition, "```python\nx = 1\n```", shown=shown)
    messages = compose_repair(task, condition, [last], "it is wrong", shown)
    assert roles(messages) == ["system", "user", "assistant", "user"]
    assert messages[:3] == compose(task, condition, shown)[:3]
    assert task.prompt.strip() in messages[-1]["content"]
    assert "x = 1" in messages[-1]["content"]
    assert messages[-1]["content"].endswith("it is wrong")


@pytest.mark.parametrize("history", ["whole", "last"])
def test_a_new_sample_does_not_see_the_last(suite, task, history) -> None:
    shown = examples(task, pool(suite), 3)
    condition = Condition(feedback="none", history=history, few_shot=3, assistant_prefill=True)
    last = attempt(task, condition, "an answer", shown=shown)
    assert compose_repair(task, condition, [last], "", shown) == compose(task, condition, shown)


def test_braces_in_a_task_or_an_answer_are_not_rendered(task) -> None:
    odd = replace(task, prompt="{{ prompt }} {% if %}", starter="")
    condition = Condition(history="last")
    messages = compose_repair(odd, condition, [attempt(odd, condition, "{{ secret }}")], "{{ feedback }}")
    for text in ("{{ prompt }} {% if %}", "{{ secret }}", "{{ feedback }}"):
        assert text in messages[-1]["content"]


WORDING = {"1": "c56ead5dd6c84d6b77a162bc5dd13cb9b405efb76c3be4f14d93ab07d2bc8aca"}
"""The hash of all templates, by version. A change of a text requires a new version and a line in the changelog."""


def test_each_wording_has_its_version() -> None:
    templates = [*sorted(TEMPLATES.rglob("*.j2")), Path(suites.__file__).parent / "prompt.j2"]
    texts = hashlib.sha256(b"".join(path.read_bytes() for path in templates))
    assert WORDING[prompts.VERSION] == texts.hexdigest()


def test_each_template_is_used_and_a_missing_value_is_an_error() -> None:
    sources = [path.read_text() for path in TEMPLATES.parent.rglob("*.*") if path.suffix in {".py", ".j2"}]
    for path in TEMPLATES.glob("*.j2"):
        used = path.stem.startswith("system_") or any(re.search(rf'"{path.stem}(\.j2)?"', source) for source in sources)
        assert used, path.name
    assert {path.stem.removeprefix("system_") for path in TEMPLATES.glob("system_*.j2")} == set(SYSTEMS)
    with pytest.raises(jinja2.UndefinedError):
        render("feedback_exception")
