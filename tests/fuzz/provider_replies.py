"""Corrupted and malicious replies of a provider, passed to the client below HTTP. Each must result in a recordable
answer or in a typed fault.

python tests/fuzz/provider_replies.py --messages 2000000 --seed 0

Exit 1 for any other result. The n-th reply depends only on the seed and n.
"""

from __future__ import annotations

import argparse
import json
import logging
import random
import sys
import time
import warnings
from collections import Counter
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

from repair_bench.agent.models.network.client import load
from repair_bench.agent.models.network.errors import MalformedResponseError
from repair_bench.agent.models.network.providers import ProviderSettings
from repair_bench.agent.models.network.reply import MAX_WORD, read
from repair_bench.traces.record.records import Completion
from repair_bench.traces.record.spending import Spend, Spending, known_usage

WELL_FORMED: dict[str, Any] = {
    "id": "chatcmpl-1",
    "object": "chat.completion",
    "created": 1,
    "model": "gpt-4.1",
    "service_tier": "default",
    "choices": [
        {
            "index": 0,
            "finish_reason": "stop",
            "logprobs": None,
            "message": {"role": "assistant", "content": "```python\npass\n```", "refusal": None, "tool_calls": None},
        }
    ],
    "usage": {
        "prompt_tokens": 100,
        "completion_tokens": 20,
        "total_tokens": 120,
        "cost": 0.01,
        "prompt_tokens_details": {"cached_tokens": 10, "audio_tokens": 0},
        "completion_tokens_details": {"reasoning_tokens": 5},
    },
}
_CONVERTED_IN = 20  # only this share of replies goes through litellm's converter, which is slow
_BYTES = json.dumps(WELL_FORMED).encode()
_TOKENS = (
    b"NaN",
    b"Infinity",
    b"-Infinity",
    b"1e999",
    b"-5",
    b"null",
    b"{}",
    b"[]",
    b'"',
    b"\\ud800",
    b"\\u001b[2J",
    b",",
)


def nested(levels: int) -> Any:
    value: Any = 1
    for level in range(levels):
        value = [value] if level % 2 else {"tokens": value}
    return value


_VALUES = tuple(
    map(
        json.dumps,
        (
            *(None, True, False, 0, 1, -1, -5, 7, 10**9, 10**30, -(10**30), 10**400, 0.5, -0.5, 1e308, 1e-308),
            *(
                float("nan"),
                float("inf"),
                float("-inf"),
                "",
                "x",
                "5",
                "-5",
                "NaN",
                "\0",
                "\ud800",
                "\x1b[2J\x1b]0;x\x07",
            ),
            *(
                "\u202e",
                "m" * 5_000,
                [],
                {},
                [[]],
                [None],
                [1, "a", {}],
                {"text": "x"},
                [{"type": "text", "text": "x"}],
            ),
            *(
                [{"text": 1}],
                {"prompt_tokens": -1},
                {f"n{i}": i for i in range(200)},
                {"a\x1b": 1, "b" * 500: 2},
                {"": 0},
            ),
            *(nested(5), nested(100), nested(600)),
        ),
    )
)
"""Return the reply as JSON, so that each use creates a new object."""


def mutated(chance: random.Random) -> Any:
    """Return a reply: a well-formed one with changed values or bytes, or an arbitrary value."""
    kind = chance.random()
    if kind < 0.02:
        return _value(chance)
    if kind < 0.3:
        return _mutated_bytes(chance)
    data = json.loads(_BYTES)
    places = list(_places(data))
    for _ in range(chance.randint(1, 4)):
        place, key = chance.choice(places)
        if chance.random() < 0.15 and isinstance(place, dict):
            place.pop(key, None)
        else:
            place[key] = _value(chance)
    return data


def _value(chance: random.Random) -> Any:
    return json.loads(chance.choice(_VALUES))


def _mutated_bytes(chance: random.Random) -> Any:
    """Return the JSON value of the changed bytes, or None if they are not JSON."""
    raw = bytearray(_BYTES)
    for _ in range(chance.randint(1, 6)):
        at = chance.randrange(len(raw))
        match chance.randrange(4):
            case 0:
                raw[at] = chance.randrange(256)
            case 1:
                del raw[at : at + chance.randint(1, 8)]
            case 2:
                raw[at:at] = chance.choice(_TOKENS)
            case _:
                raw[at : at + 3] = chance.choice(_TOKENS)
    try:
        return json.loads(raw)
    except ValueError:
        return None


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Yield each container with a key or an index."""
    for key, one in value.items() if isinstance(value, dict) else enumerate(value):
        yield value, key
        if isinstance(one, dict | list):
            yield from _places(one)


def as_attributes(data: Any, depth: int = 4) -> Any:
    """Return the reply as objects without validation. Counts remain a dictionary."""
    if isinstance(data, dict) and depth:
        plain = {"usage", "_hidden_params"}
        parts = {str(n): one if n in plain else as_attributes(one, depth - 1) for n, one in data.items()}
        return SimpleNamespace(**parts)
    return [as_attributes(one, depth) for one in data] if isinstance(data, list) and depth else data


def converted(litellm: Any, data: Any) -> Any:
    """Return the reply after litellm's conversion."""
    from litellm.litellm_core_utils.llm_response_utils.convert_dict_to_response import convert_to_model_response_object

    return convert_to_model_response_object(response_object=data, model_response_object=litellm.ModelResponse())


def completion_of(litellm: Any, response: Any) -> Completion:
    """Return the completion of a response. Raises AssertionError if it cannot be recorded."""
    settings = ProviderSettings(api_base="http://127.0.0.1:9/v1")
    completion = read(litellm, response, "openai/gpt-4.1", settings)
    written = json.dumps(vars(completion), allow_nan=False)
    assert Completion(**json.loads(written)) == completion
    assert known_usage(completion.usage) == completion.usage
    assert completion.cost_usd is None or 0 <= completion.cost_usd < float("inf")
    for word in (completion.finish_reason, completion.served_by):
        assert word is None or (word.isprintable() and 0 < len(word) <= MAX_WORD)
    spending = Spending()
    spending.requested("k", Spend(1.0, 1_000))
    spending.answered("k", vars(completion))
    assert spending.settled.cost_usd is not None
    assert spending.settled.cost_usd >= 0
    assert (spending.settled.tokens or 0) >= 0
    return completion


def outcome(litellm: Any, seed: int, number: int) -> str:
    """Return the result of one reply: "answer", "malformed", "refused by litellm", or our own error as text."""
    chance = random.Random(f"{seed} {number}")
    data = mutated(chance)
    if number % _CONVERTED_IN:
        response = as_attributes(data)
        if chance.random() < 0.2 and isinstance(response, SimpleNamespace):
            cost = {"llm_provider-x-litellm-response-cost": _value(chance)}
            response._hidden_params = {"additional_headers": chance.choice((cost, None, {}, cost))}
    else:
        try:
            response = converted(litellm, data)
        except Exception:  # noqa: BLE001 - litellm may raise anything, and the client converts it to a fault
            return "refused by litellm"
    try:
        completion_of(litellm, response)
    except MalformedResponseError:
        return "malformed"
    except Exception as error:  # noqa: BLE001 - such exceptions are the result of the test
        return f"OURS: {type(error).__name__}: {error}"[:200]
    return "answer"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--messages", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    logging.disable()  # litellm logs every irregularity of a reply
    warnings.simplefilter("ignore")  # pydantic warns about the types of values that litellm passes on
    litellm = load()
    began = time.monotonic()
    counts: Counter[str] = Counter()
    for number in range(options.messages):
        what = outcome(litellm, options.seed, number)
        if what.startswith("OURS") and what not in counts:
            print(f"reply {number}: {what}", file=sys.stderr)
        counts[what] += 1
    for what, count in counts.most_common():
        print(f"{count:>10,}  {what}")
    print(f"{options.messages:,} replies in {time.monotonic() - began:.0f} s")
    sys.exit(any(what.startswith("OURS") for what in counts))


if __name__ == "__main__":
    main()
