"""Real replies of providers, proxies and wrong addresses, over HTTP through litellm, and their classification.

The bodies were copied from reports of users.
"""

import socket
from pathlib import Path
from typing import Any

import pytest
from asking import ask, ask_at, ask_often
from hypothesis import given, settings
from hypothesis import strategies as st
from server.scripted import (
    USAGE,
    ReceivedRequest,
    Reply,
    ScriptedServer,
    answer,
    anthropic,
    html,
    invalid_json,
    rate_limited,
    refused,
    reset,
)

from repair_bench.agent.experiment.file import Experiment
from repair_bench.agent.loop.runner import RunEnd
from repair_bench.agent.models import ProviderSettings
from repair_bench.agent.models.network.client import LiteLLMModel
from repair_bench.agent.models.network.errors import (
    ReportedError,
    explain,
    is_filtered,
    is_transient,
    reason,
    refused_parameter,
    was_refused,
)
from repair_bench.agent.models.retry import RetryPolicy
from repair_bench.suites.task import Suite
from repair_bench.testing.driving import drive
from repair_bench.traces.faults import BudgetExhausted, ModelError, UsageError
from repair_bench.traces.record.records import Attempt, Completion

pytestmark = pytest.mark.slow

QUICK = RetryPolicy(first_wait=0.02, longest_wait=0.08, longest_retry_after=0.4, budget=0.4)


def closed_port() -> str:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return f"127.0.0.1:{free.getsockname()[1]}"


def test_refused_connection_ends_after_three_requests():
    place, told = closed_port(), []
    (failure,) = ask_at(f"http://{place}/v1", retry=QUICK, told=told.append)
    assert isinstance(failure, UsageError)
    assert f"connection refused at {place} after 3 requests; the server was never reached" in str(failure)
    assert "\n" not in str(failure)
    assert told == [f"openai: connection refused at {place} after {n}" for n in ("1 request", "2 requests")]


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("http://no-such-host.invalid/v1", "unknown host at no-such-host.invalid"),
        ("https://{place}/v1", "no TLS connection at {place}"),
    ],
)
def test_error_names_unknown_host_and_host_without_tls(address: str, words: str):
    with ScriptedServer([answer("ok")]) as server:
        (failure,) = ask_at(address.format(place=server.place), retry=QUICK)
    assert isinstance(failure, UsageError)
    assert words.format(place=server.place) in str(failure)


@pytest.mark.parametrize("reply", [html(), invalid_json(), Reply(b"{}")], ids=["html", "no json", "no choices"])
def test_server_that_is_not_a_provider_ends_after_three_replies(reply: Reply):
    failure, server = ask([reply], retry=QUICK)
    assert len(server.asked) == 3
    assert isinstance(failure, UsageError)
    assert f"the reply is not a completion at {server.place} after 3 requests" in str(failure)


def test_unknown_path_is_reported_at_once():
    failure, server = ask([Reply(b'{"detail":"Not Found"}', status=404)], retry=QUICK)
    assert len(server.asked) == 1
    assert isinstance(failure, UsageError)
    assert f"the path in the address is wrong ({server.place})" in str(failure)


def test_provider_that_answered_before_is_retried_fully():
    told: list[str] = []
    (first, second), server = ask_often([answer("ok"), html()], times=2, retry=QUICK, told=told.append)
    assert isinstance(first, Completion)
    assert isinstance(second, ModelError)
    assert len(server.asked) > 4
    assert told[-1] == f"openai: the reply is not a completion at {server.place} after {len(told)} requests"


def test_busy_provider_is_reached():
    told: list[str] = []
    result, _ = ask([rate_limited(), html(), html(), html(), answer("ok")], retry=QUICK, told=told.append)
    assert isinstance(result, Completion)
    assert [line.partition(" at ")[0] for line in told] == ["openai: rate limit (429)"] + 3 * [
        "openai: the reply is not a completion"
    ]


def test_broken_connection_is_not_a_wrong_address():
    told: list[str] = []
    failure, _ = ask([reset()], retry=QUICK, told=told.append)
    assert isinstance(failure, ModelError)
    assert told[0].startswith("openai: the connection broke")


def test_unsent_request_is_not_billed():
    chained = RuntimeError()
    chained.__cause__ = ConnectionRefusedError(111, "refused")
    assert was_refused(chained)
    assert not was_refused(ConnectionResetError(104, "reset"))


@pytest.mark.parametrize(
    ("status", "body", "refused", "transient"),
    [
        (400, {"code": "invalid_value"}, True, False),
        (400, {"code": "content_filter"}, False, False),  # Azure bills for a filtered prompt
        (408, {}, False, True),
        (409, {}, True, True),
        (425, {}, True, True),
        (429, {}, True, True),
        (500, {}, True, True),
        (502, {}, False, True),
    ],
)
def test_status_decides_whether_a_request_is_billed_and_repeated(status, body, refused, transient):
    error = ReportedError(status, {"message": "No.", **body})
    assert (was_refused(error), is_transient(error)) == (refused, transient)


@pytest.mark.parametrize(
    ("param", "message", "expected"),
    [
        ("stop[0]", "No.", "stop"),
        ("messages", "The value of 'stop' is invalid.", None),
        ("None", "The value of 'stop' is invalid.", "stop"),  # of litellm, for an error without a parameter
        (None, "The value of 'stop' is invalid.", "stop"),
        (None, "The value of 'stop' is fine.", None),
    ],
)
def test_parameter_of_an_error_has_priority_over_its_message(param, message, expected):
    assert refused_parameter(ReportedError(400, {"message": message, "param": param}), {"stop"}) == expected


BUDGETS = {
    "litellm 400": refused(
        400, "Budget has been exceeded! Current cost: 76.16, Max budget: 10.0",
        type="budget_exceeded", param=None, code="400",
    ),
    "litellm 422": refused(
        422, "Budget has been exceeded! Key=k (sk-...abcd) Current cost: 10.51, Max budget: 10.0",
        type="budget_exceeded", param=None, code="422",
    ),
    "litellm 429": refused(
        429, "LiteLLM User: engineer-1, exceeded budget for model=claude-opus-4-8",
        type="budget_exceeded", param=None, code="429",
    ),
    "litellm end user": refused(
        400, "ExceededBudget: End User=ishaan3 over budget. Spend=0.0008869999999999999, Budget=0.0001",
        type="auth_error", param="None", code=400,
    ),
    "litellm deployment": refused(
        429, "No deployments available - crossed budget: Exceeded budget for deployment model_name: xxx",
        type=None, param=None, code="429",
    ),
    "openrouter": refused(402, "Insufficient credits. Add more using https://openrouter.ai/settings/credits", code=402),
    "openrouter key": refused(403, "Key limit exceeded (total limit).", code=403),
    "openai": refused(
        429, "You exceeded your current quota, please check your plan and billing details.",
        type="insufficient_quota", param=None, code="insufficient_quota",
    ),
    "anthropic by a proxy": refused(
        400, "Your credit balance is too low to access the Anthropic API.", type="invalid_request_error"
    ),
}  # fmt: skip


@pytest.mark.parametrize("reply", BUDGETS.values(), ids=BUDGETS.keys())
def test_spent_account_raises_budget_exhausted(reply: Reply):
    failure, server = ask([reply], retry=QUICK)
    assert len(server.asked) == 1
    assert isinstance(failure, BudgetExhausted)
    assert "is exhausted" in str(failure)
    assert "\n" not in str(failure)


@pytest.mark.parametrize(
    ("reply", "parameter"),
    [
        (refused(400, "Unsupported parameter: 'stop' is not supported with this model.",
               type="invalid_request_error", param="stop", code="unsupported_parameter"), "stop"),
        (refused(400, "Unrecognized request argument supplied: reasoning_effort",
               type="invalid_request_error", param=None, code=None), "reasoning_effort"),
        (refused(400, "Unsupported value: 'reasoning_effort' does not support 'minimal' with this model.",
               type="invalid_request_error", param="reasoning_effort", code="unsupported_value"), "reasoning_effort"),
        (refused(400, "[{'type': 'extra_forbidden', 'loc': ('body', 'stop'), 'msg': 'Extra inputs are not permitted'}]",
               type="BadRequestError", param=None, code=400), "stop"),
        (Reply(b'{"detail":[{"type":"extra_forbidden","loc":["body","stop"],"msg":"Extra inputs are not permitted"}]}',
               status=422), "stop"),
    ],
)  # fmt: skip
def test_refused_parameter_is_a_usage_error(reply: Reply, parameter: str):
    parameters = {"stop": ["END"], "reasoning_effort": "minimal"}
    failure, server = ask([reply], retry=QUICK, parameters=parameters, name="openai/o4-mini")
    assert len(server.asked) == 1
    assert isinstance(failure, UsageError)
    assert f"openai/o4-mini: the provider rejects the parameter {parameter}: remove or" in str(failure)


@pytest.mark.parametrize(
    "reply",
    [
        refused(400, "Invalid 'messages[0].content': unexpected stop of the text", param="messages[0].content"),
        refused(400, "the prompt holds unknown words, which stop the model", param=None),
        refused(400, "messages must alternate", param=None),
    ],
)
def test_error_about_the_messages_is_a_fault(reply: Reply):
    failure, _ = ask([reply], retry=QUICK, parameters={"stop": ["END"]})
    assert isinstance(failure, ModelError)


def test_dropped_parameters_are_recorded():
    def script(asked: ReceivedRequest) -> Reply:
        if "temperature" in asked.body:
            return refused(400, "Unsupported parameter: 'temperature'", param="temperature")
        return answer("ok")

    results, _ = ask_often(script, times=2, retry=QUICK)
    assert [result.dropped for result in results if isinstance(result, Completion)] == [["temperature"]] * 2
    known, _ = ask([answer("ok")], name="openai/o3")
    assert known.dropped == ["temperature"]  # according to litellm's table, without a request
    plain, _ = ask([answer("ok")])
    assert plain.dropped is None


FILTERS = {
    "azure": refused(
        400, "The response was filtered due to the prompt triggering Azure OpenAI's content management policy.",
        type=None, param="prompt", code="content_filter", status=400,
        innererror={
            "code": "ResponsibleAIPolicyViolation",
            "content_filter_result": {"violence": {"filtered": True, "severity": "medium"}},
        },
    ),
    "openai": refused(
        400, "Your request was rejected as a result of our safety system.",
        type="invalid_request_error", param=None, code="content_policy_violation",
    ),
    "openrouter": refused(
        403, 'openai/gpt-4o requires moderation on OpenAI. Your input was flagged for "violence".',
        code=403, metadata={"reasons": ["violence"], "flagged_input": "...", "provider_name": "OpenAI"},
    ),
}  # fmt: skip


@pytest.mark.parametrize("reply", FILTERS.values(), ids=FILTERS.keys())
def test_filtered_prompt_is_a_reply_with_unknown_cost(reply: Reply):
    result, server = ask([reply], retry=QUICK)
    assert len(server.asked) == 1
    assert isinstance(result, Completion)
    assert (result.text, result.finish_reason, result.reply) == ("", "content_filter", "filtered")
    assert (result.usage, result.cost_usd) == (None, None)


def test_later_403_is_a_fault_of_one_request():
    (first, second), server = ask_often([answer("ok"), refused(403, "blocked by the firewall")], times=2, retry=QUICK)
    assert isinstance(first, Completion)
    assert isinstance(second, ModelError)
    assert len(server.asked) == 2


@pytest.mark.parametrize("reason", ["error", "ERROR", "network_error", "insufficient_system_resource", "abort"])
@pytest.mark.parametrize("text", ["def f(", ""])
def test_answer_that_the_provider_broke_off_is_requested_again(reason: str, text: str):
    result, server = ask([answer(text, finish_reason=reason), answer("ok")], retry=QUICK)
    assert len(server.asked) == 2
    assert isinstance(result, Completion)
    assert (result.text, result.finish_reason, result.requests) == ("ok", "stop", 2)


CALL = {"id": "call_1", "type": "function", "function": {"name": "python", "arguments": "{}"}}
HIDDEN = {**USAGE, "completion_tokens_details": {"reasoning_tokens": 64}}


@pytest.mark.parametrize(
    ("name", "reply", "kind", "finish_reason"),
    [
        ("openai/gpt-4.1", answer(None, refusal="I'm sorry, I can't assist with that."), "refusal", "stop"),
        ("openai/gpt-4.1", answer("def f(", finish_reason="content_filter"), "filtered", "content_filter"),
        ("openai/gpt-4.1", answer(None, finish_reason="tool_calls", tool_calls=[CALL]), "tool_calls", "tool_calls"),
        ("openai/gpt-4.1", answer(None, reasoning_content="Hm."), "reasoning_only", "stop"),
        ("openai/gpt-4.1", answer(None), "empty", "stop"),
        ("openai/gpt-4.1", answer("def f(", finish_reason="length"), "cut", "length"),
        ("openai/o4-mini", answer("", usage=HIDDEN, finish_reason="length"), "cut_in_reasoning", "length"),
        ("anthropic/claude-sonnet-4-5", anthropic(stop_reason="refusal"), "refusal", "content_filter"),
        ("anthropic/claude-sonnet-4-5",
         anthropic({"type": "thinking", "thinking": "Hm.", "signature": "s"}, stop_reason="max_tokens"),
         "cut_in_reasoning", "length"),
    ],
)  # fmt: skip
def test_kind_of_reply_is_recorded(name: str, reply: Reply, kind: str, finish_reason: str):
    result, server = ask([reply], retry=QUICK, name=name)
    assert len(server.asked) == 1
    assert isinstance(result, Completion)
    assert (result.reply, result.finish_reason) == (kind, finish_reason)


class Hostile(Exception):
    """An error like litellm's, with arbitrary content of a provider."""

    def __init__(self, status: Any, body: Any, param: Any, message: str) -> None:
        super().__init__(message)
        self.status_code, self.body, self.param = status, body, param


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["code", "type", "param"]), inner),
    max_leaves=6,
)
STATUS = st.sampled_from([400, 402, 404, 408, 422, 429, 500, 503, None, "400"])


@settings(max_examples=25, deadline=None)
@given(STATUS, ANYTHING, ANYTHING, st.text(max_size=60))
def test_any_error_content_is_classified(status: Any, body: Any, param: Any, message: str):
    error = Hostile(status, body, param, message)
    assert isinstance(reason(error), str)
    assert isinstance(is_filtered(error), bool)
    assert isinstance(was_refused(error), bool)
    assert refused_parameter(error, {"stop"}) in (None, "stop")
    assert isinstance(explain(error, "m", 1, "", {"stop"}, answered=False), ModelError | UsageError | BudgetExhausted)


def test_run_continues_after_proxy_budget_and_filter(suite: Suite, tmp_path: Path):
    experiment = Experiment(models=("openai/gpt-4.1",), frameworks=("qiskit",), limit=3, max_attempts=0)

    def run(url: str, *, resume: bool) -> tuple[RunEnd, list[Attempt]]:
        model = LiteLLMModel("openai/gpt-4.1", ProviderSettings(api_base=url), retry=QUICK)
        return drive(tmp_path, experiment.episodes([suite]), [model], resume=resume, concurrency=1)[:2]

    replies = [answer("I would rather not."), BUDGETS["litellm 400"], FILTERS["azure"], answer("No.")]
    with ScriptedServer(replies) as server:
        end, attempts = run(server.url, resume=False)
        assert (end.pending, end.faults, len(attempts), len(server.asked)) == (2, 0, 1, 2)
        assert "is exhausted" in (end.exhausted or "")
        end, attempts = run(server.url, resume=True)
        assert (end.pending, end.faults, end.exhausted, len(server.asked)) == (0, 0, None, 4)
    assert [a.completion.reply for a in attempts if a.completion] == ["text", "filtered", "text"]
    assert {a.verdict.kind for a in attempts if a.verdict} == {"no_code"}
