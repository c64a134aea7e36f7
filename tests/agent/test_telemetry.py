"""The spans that a collector receives, decoded as it decodes them."""

import contextlib
import importlib.util
import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from typer.testing import CliRunner

from repair_bench.agent import telemetry
from repair_bench.agent.experiment import settings
from repair_bench.agent.telemetry import Telemetry
from repair_bench.cli import app
from repair_bench.testing.made_up_runs import attempt, load_run
from repair_bench.traces.faults import UsageError
from repair_bench.traces.record.records import Completion, FaultRecord, Feedback, Outcome, Query

SECRET = "never to be sent"


class Collector:
    """Stores the spans that it receives, or answers with another status."""

    def __init__(self, status=200):
        received = self.received = []

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                received.append((self.path, self.headers, body))
                self.send_response(status)
                self.end_headers()

            def log_message(self, *_):
                """Log nothing."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self.server.server_port}"

    @property
    def spans(self):
        found = []
        for path, headers, body in self.received:
            assert (path, headers["Content-Type"]) == ("/v1/traces", "application/x-protobuf")
            for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
                assert [a.value.string_value for a in resource.resource.attributes if a.key == "service.name"] == [
                    "repair-bench"
                ]
                found += [span for scope in resource.scope_spans for span in scope.spans]
        return found


@contextlib.contextmanager
def collector(status=200):
    made = Collector(status)
    serving = threading.Thread(target=made.server.serve_forever, args=(0.02,), daemon=True)
    serving.start()
    try:
        yield made
    finally:
        made.server.shutdown()
        made.server.server_close()
        serving.join()


def values(span):
    def plain(value):
        kind = value.WhichOneof("value")
        return [plain(v) for v in value.array_value.values] if kind == "array_value" else getattr(value, kind)

    return {a.key: plain(a.value) for a in span.attributes}


def told(number, letter, **more):
    completion = Completion(
        SECRET,
        {
            "prompt_tokens": 100,
            "completion_tokens": 40,
            "prompt_tokens_details": {"cached_tokens": 60},
            "completion_tokens_details": {"reasoning_tokens": 30},
        },
        0.25,
        params={"temperature": 0.8, "max_tokens": 900, "seed": 7, "messages": SECRET, "api_key": SECRET},
        finish_reason="stop",
        served_by="gpt-4.1-2026",
    )
    fields = {
        "model": "openai/gpt-4.1",
        "messages": [{"role": "user", "content": SECRET}],
        "code": SECRET,
        "feedback": Feedback("default", SECRET) if number else None,
        "completion": completion,
        "outcome": Outcome("returned", SECRET, wall_seconds=0.5),
        "started_at": f"2026-01-01T00:00:{10 * number:02}.000+00:00",
        "finished_at": f"2026-01-01T00:00:{10 * number + 5:02}.500+00:00",
    }
    return attempt(letter, number, **{**fields, **more})


def test_cost_of_a_critic_is_an_attribute():
    critic = Query("openai/gpt-4.1-mini", [], Completion(SECRET, {}, 0.5))
    with collector() as there:
        sending = Telemetry(there.address, "study", 5)
        for one in (told(0, "w"), told(1, "w", feedback=Feedback("critic", SECRET, critic=critic))):
            sending.attempt(one)
        assert sending.close() is None
        costs = [values(span).get("repair_bench.critic_cost_usd") for span in there.spans]
    assert sorted(costs, key=str) == [0.5, None]


def test_attempt_is_a_span_with_its_episode_as_parent():
    with collector() as there:
        sending = Telemetry(there.address + "/", "study", 5)
        for one in (told(0, "w"), told(1, "p")):
            sending.attempt(one)
        assert sending.close() is None
    first, second, episode = there.spans
    assert [first.name, second.name, episode.name] == ["chat gpt-4.1", "chat gpt-4.1", "episode"]
    assert len({span.trace_id for span in there.spans}) == 1
    assert first.parent_span_id == second.parent_span_id == episode.span_id
    assert episode.parent_span_id == b""
    assert (first.kind, first.end_time_unix_nano - first.start_time_unix_nano) == (3, 5_500_000_000)
    assert episode.end_time_unix_nano - episode.start_time_unix_nano == 15_500_000_000
    found = values(second)
    assert {name: value for name, value in found.items() if name.startswith("gen_ai.")} == {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "openai",
        "gen_ai.request.model": "gpt-4.1",
        "gen_ai.request.temperature": 0.8,
        "gen_ai.request.max_tokens": 900,
        "gen_ai.request.seed": 7,
        "gen_ai.response.model": "gpt-4.1-2026",
        "gen_ai.response.finish_reasons": ["stop"],
        "gen_ai.usage.input_tokens": 100,
        "gen_ai.usage.output_tokens": 40,
        "gen_ai.usage.cache_read.input_tokens": 60,
        "gen_ai.usage.reasoning.output_tokens": 30,
    }
    assert found["repair_bench.run"] == "study"
    assert (found["repair_bench.attempt"], found["repair_bench.verdict"]) == (1, "pass")
    assert (found["repair_bench.task"], found["repair_bench.framework"]) == ("01", "qiskit")
    assert values(episode)["repair_bench.solved"] is True
    assert not any(SECRET.encode() in body for *_, body in there.received)


def test_fault_span_has_no_message_and_episode_continues():
    with collector() as there:
        sending = Telemetry(there.address, "study", 5)
        fault = FaultRecord("model", SECRET)
        sending.attempt(told(0, "f", completion=None, fault=fault, verdict=None, outcome=None))
        assert sending.close() is None
        (span,) = there.spans
        assert (values(span)["error.type"], span.status.code, span.status.message) == ("model", 2, "")
        later = Telemetry(there.address, "study", 0)
        later.attempt(told(0, "w"))
        later.close()
    again, episode = there.spans[1:]
    assert again.trace_id == span.trace_id
    assert episode.span_id == span.parent_span_id
    assert not any(SECRET.encode() in body for *_, body in there.received)


@pytest.mark.slow
@pytest.mark.parametrize("status", [None, 400, 503])
def test_unavailable_collector_is_reported_in_one_sentence(status, capfd, monkeypatch):
    monkeypatch.setattr(telemetry, "_MAX_QUEUE", 600)
    with collector(status or 200) as there:
        if status is None:
            there.server.server_close()
        sending = Telemetry(there.address, "study", 5)
        began = time.perf_counter()
        for number in range(2_000):
            sending.attempt(told(0, "p", episode=f"e{number}"))
        queued = time.perf_counter() - began
        said = sending.close()
        assert time.perf_counter() - began < queued + telemetry._FLUSH_SECONDS + 2
    assert said.startswith("telemetry: http://127.0.0.1:")
    assert "did not accept 4,000 of 4,000 spans" in said
    assert capfd.readouterr() == ("", "")


def test_telemetry_is_off_by_default_and_affects_no_record():
    plain = settings.experiment({})
    sent = settings.experiment({"telemetry": {"otlp": "http://127.0.0.1:4318"}})
    assert "telemetry" not in plain.resources()
    assert sent.resources() == {**plain.resources(), "telemetry": {"otlp": "http://127.0.0.1:4318"}}
    assert sent.settings() == plain.settings()
    assert "127.0.0.1:4318" in settings.written(sent)
    for wrong in ("127.0.0.1:4318", "http://user:key@host", "http://host/v1/traces", "http://host?key=1"):
        with pytest.raises(UsageError, match=r"telemetry\.otlp"):
            settings.experiment({"telemetry": {"otlp": wrong}})


def test_environment_adds_headers_and_attributes(monkeypatch):
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_HEADERS", "x-mlflow-experiment-id=7")
    monkeypatch.setenv("OTEL_RESOURCE_ATTRIBUTES", "wandb.entity=team,wandb.project=repair")
    with collector() as there:
        address = settings.experiment({"telemetry": {"otlp": f"{there.address}/traces/otel"}}).telemetry.otlp
        sending = Telemetry(address, "study", 5)
        sending.attempt(told(0, "p"))
        assert sending.close() is None
    ((path, headers, body),) = there.received
    assert (path, headers["x-mlflow-experiment-id"]) == ("/traces/otel/v1/traces", "7")
    (sent,) = ExportTraceServiceRequest.FromString(body).resource_spans
    found = {a.key: a.value.string_value for a in sent.resource.attributes}
    assert (found["wandb.entity"], found["wandb.project"], found["service.name"]) == ("team", "repair", "repair-bench")


def test_missing_extra_is_reported_before_writing(tmp_path, monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    arguments = ["run", "-c", 'telemetry.otlp="http://127.0.0.1:1"', "--out", str(tmp_path / "run")]
    with pytest.raises(UsageError, match=r"pip install \"repair-bench\[telemetry\]\""):
        CliRunner().invoke(app, arguments, catch_exceptions=False)
    assert not (tmp_path / "run").exists()


@pytest.mark.slow
def test_run_sends_one_span_per_completion(tmp_path):
    with collector() as there:
        arguments = ["run", "--limit", "2", "--framework", "qiskit", "--max-attempts", "2", "--json"]
        arguments += ["-c", f'telemetry.otlp="{there.address}"', "-c", 'repair.feedback=["default", "none"]']
        result = CliRunner().invoke(app, [*arguments, "--out", str(tmp_path / "run")], catch_exceptions=False)
        assert result.exit_code == 0
    _, attempts = load_run(tmp_path / "run")
    chats = [span for span in there.spans if span.name.startswith("chat ")]
    assert sorted(values(span)["repair_bench.attempt_id"] for span in chats) == sorted({a.id for a in attempts})
    assert json.loads((tmp_path / "run" / "run.json").read_text())["resources"]["telemetry"] == {"otlp": there.address}
