"""Kinds of answers and groups of infrastructure errors, in data and in the report."""

from dataclasses import replace

import pytest

from repair_bench.analysis.rates.metrics import episodes
from repair_bench.analysis.runs.infrastructure_errors import grouped
from repair_bench.analysis.runs.notices import notices
from repair_bench.analysis.runs.reply_kinds import FULL, Ending, dropped, endings
from repair_bench.report import sections
from repair_bench.report.page import facts
from repair_bench.report.sections.endings import WORDS
from repair_bench.testing import attempt
from repair_bench.traces.record.records import Attempt, Completion, FaultRecord
from repair_bench.traces.run.manifest import Manifest

MANIFEST = Manifest({"experiment": {"max_attempts": 0, "models": ["m/one"], "temperature": {"first": 0, "repairs": 1}}})


def ended(reply: str | None, reason: str | None, number: int, letter: str = "n", **completion: object) -> Attempt:
    answer = Completion("", reply=reply, finish_reason=reason, **completion)  # type: ignore[arg-type]
    return attempt(letter, 0, f"ep{number}", model="m/one", task_id=f"{number}", completion=answer)


REPLIES = [
    ("text", "stop"),
    ("cut", "length"),
    ("cut_in_reasoning", "length"),
    ("refusal", "stop"),
    ("filtered", "content_filter"),
    ("empty", "stop"),
    ("reasoning_only", "stop"),
    ("tool_calls", "tool_calls"),
]


def test_each_kind_of_reply_has_a_row_or_notice():
    recorded = [ended(*reply, number) for number, reply in enumerate([*REPLIES, ("text", "stop")])]
    recorded.append(attempt("c", 0, "full", model="m/one", task_id="full"))
    found = endings(episodes(recorded))
    assert found[0] == Ending("text", "stop", 2, 0)
    assert {(e.reply, e.finish_reason) for e in found} == {*REPLIES, (FULL, None)}
    assert {e.reply for e in found} | {None} == set(WORDS)
    said = " ".join(notices(episodes(recorded), MANIFEST))
    for words in ("TRUNCATED: 2 of 10 answers", "1 of them during", "REFUSED: 1 of", "FILTERED: 1 of", "EMPTY: 2 of"):
        assert words in said
    assert "TOOL CALLS: 1 of" in said
    data = sections.data(sections.run_data(MANIFEST, recorded))["endings"]
    assert sum(row["answers"] for row in data["rows"]) == 10


def test_reply_kind_defaults_to_the_finish_reason():
    (cut,) = endings(episodes([ended(None, "length", 1)]))
    assert (cut.reply, cut.answers) == ("cut", 1)
    assert endings(episodes([ended(None, None, 1)])) == []
    assert not any("CUT" in line for line in notices(episodes([ended(None, None, 1)]), MANIFEST))


def test_shared_answers_count_once_by_kind():
    first = ended("text", "stop", 1)
    shared = [first, replace(first, episode="other arm", condition="verdict")]
    assert [e.answers for e in endings(episodes(shared))] == [1]


@pytest.mark.parametrize(
    ("models", "says"),
    [
        (["m/one"], "provider default (the parameter is rejected)"),
        (["m/one", "m/two"], "first 0, repairs 1; provider default for m/one"),
    ],
)
def test_rejected_temperature_is_shown_as_provider_default(models: list[str], says: str):
    recorded = [ended("text", "stop", 1, dropped=["seed", "temperature"])]
    assert dropped(recorded) == {"m/one": ["seed", "temperature"]}
    assert "NOT SENT: m/one rejects seed and temperature" in notices(episodes(recorded), MANIFEST)[-1]
    manifest = Manifest({"experiment": {**MANIFEST.experiment, "models": models}})
    assert facts.settings(manifest, recorded)["temperatures"] == says


def test_errors_that_differ_only_in_numbers_are_grouped():
    messages = ["unknown host", "503 after 7 requests (req_0a1b2c)", "503 after 12 requests (req_9f8e7d)"]
    recorded = [attempt("f", 0, f"ep{n}", fault=FaultRecord("model", m)) for n, m in enumerate(messages)]
    assert [(g.message, g.faults) for g in grouped(recorded)] == [(messages[1], 2), (messages[0], 1)]
    rows = sections.data(sections.run_data(MANIFEST, recorded))["faults"]["rows"]
    assert [row["faults"] for row in rows] == [2, 1]
