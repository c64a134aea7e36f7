"""Tool calls in the replies of models without native tool calls."""

import pytest

from repair_bench.prompts import tools
from repair_bench.traces.record.records import Completion

CALL = "```try\nif 1:\n    print(1)\n```"


def called(text: str) -> list[str | None]:
    return [call.code for call in tools.calls_of(Completion(text), {"python": 1}, native=False)]


@pytest.mark.parametrize(
    "text",
    [
        CALL,
        CALL.replace("\n", "\r\n"),
        CALL.replace("```try", "```try python"),
        CALL.replace("```try", "``` try"),
        "".join(f"   {line}\n" for line in CALL.split("\n")),
        f"<think>Shall I?</think>\n{CALL}",
        f"{CALL}<|im_end|>",
    ],
    ids=["plain", "Windows line ends", "second tag", "blank", "indented", "after reasoning", "chat token"],
)
def test_a_call_is_found_in_any_layout(text: str) -> None:
    assert called(text) == ["if 1:\n    print(1)\n"]


def test_a_call_in_reasoning_is_no_call() -> None:
    assert called(f"<think>I could run\n{CALL}\nbut need not.</think>\n```python\ndef bell(): ...\n```") == []


def test_another_tag_is_no_call() -> None:
    assert called(CALL.replace("try", "tryout")) == called(CALL.replace("try", "ask")) == []
