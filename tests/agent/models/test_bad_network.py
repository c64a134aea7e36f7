"""Complete runs through litellm against a real HTTP server with errors: each attempt is classified correctly."""

import json
from collections import Counter
from pathlib import Path

import pytest
from server.scripted import (
    ReceivedRequest,
    Reply,
    ScriptedServer,
    answer,
    cut_mid_body,
    html,
    rate_limited,
    server_error,
    unauthorized,
)

from repair_bench.agent.experiment.file import Experiment
from repair_bench.agent.models import ProviderSettings
from repair_bench.agent.models.network.client import LiteLLMModel
from repair_bench.agent.models.retry import RetryPolicy
from repair_bench.suites.task import Suite, Task
from repair_bench.testing.driving import drive
from repair_bench.traces.faults import UsageError
from repair_bench.traces.record.records import Attempt

QUICK = RetryPolicy(first_wait=0.02, longest_wait=0.1, longest_retry_after=0.3, budget=1.5)
RAISES = "```python\nraise ValueError('not today')\n```"


def run(directory: Path, url: str, suite: Suite, *, resume: bool = False, limit: int = 9):
    """Run the first problems of the suite in Qiskit with one repair. Return the end of the run and all attempts."""
    experiment = Experiment(models=("openai/gpt-4.1",), frameworks=("qiskit",), limit=limit, max_attempts=1)
    model = LiteLLMModel("openai/gpt-4.1", ProviderSettings(api_base=url, timeout_seconds=30), retry=QUICK)
    result, attempts, _ = drive(directory, experiment.episodes([suite]), [model], resume=resume)
    return result, attempts


class Script:
    """Replies to each task's requests in order, then correct answers."""

    def __init__(self, tasks: list[Task], days: list[list[Reply]]) -> None:
        self.tasks = tasks
        self.days = days
        self.asked: Counter[int] = Counter()

    def __call__(self, asked: ReceivedRequest) -> Reply:
        number = next(i for i, t in enumerate(self.tasks) if f"{t.entry_point}(" in asked.messages[1]["content"])
        self.asked[number] += 1
        day = self.days[number]
        if self.asked[number] <= len(day):
            return day[self.asked[number] - 1]
        return answer(f"```python\n{self.tasks[number].reference}```")


@pytest.mark.slow
def test_run_completes_on_a_bad_network(suite, tmp_path) -> None:
    tasks = [t for t in suite.tasks if t.framework == "qiskit"][:9]
    days = [
        [],  # no errors
        [answer(RAISES)],  # an incorrect first answer
        [answer(RAISES, delay=0.5), rate_limited(0.2)],  # slow, then a rate limit between answer and repair
        [server_error(), server_error(503)],
        [cut_mid_body()],
        [html()],
        [answer("")],  # empty content is an answer
        [answer(None)],
        [server_error()] * 500,  # permanently unavailable
    ]
    script = Script(tasks, days)
    with ScriptedServer(script) as server:
        result, attempts = run(tmp_path, server.url, suite)
        asked_while_down = script.asked[8]

        by_task: dict[str, list[Attempt]] = {}
        for attempt in attempts:
            by_task.setdefault(attempt.task_id, []).append(attempt)
        kinds = [[a.verdict.kind if a.verdict else a.fault.boundary for a in by_task[t.id]] for t in tasks]
        assert kinds == [
            ["pass"],
            ["exception", "pass"],
            ["exception", "pass"],
            ["pass"],
            ["pass"],
            ["pass"],
            ["no_code", "pass"],
            ["no_code", "pass"],
            ["model"],
        ]
        assert (result.pending, result.faults, result.interrupted) == (1, 1, False)
        # repeats follow faults only, and are counted with the completion that ends them
        requests = [[a.completion.requests for a in by_task[t.id] if a.completion] for t in tasks]
        assert requests == [[1], [1, 1], [1, 2], [3], [2], [2], [1, 1], [1, 1], []]
        assert [script.asked[i] for i in range(8)] == [sum(r) for r in requests[:8]]
        assert asked_while_down > 3
        assert by_task[tasks[8].id][0].fault.retries == asked_while_down - 1

        # the server is available again: only pending requests are sent
        days[8].clear()
        before = script.asked.copy()
        result, attempts = run(tmp_path, server.url, suite, resume=True)
        assert result.pending == 0
        assert script.asked - before == Counter({8: 1})
        assert all(a.verdict is not None for a in attempts)

    for path in tmp_path.iterdir():
        assert b"canary" not in path.read_bytes(), path
    for line in (tmp_path / "attempts.jsonl").read_text().splitlines():
        completion = json.loads(line)["completion"]
        assert completion is None or completion["cost_usd"] > 0


@pytest.mark.slow
def test_a_refused_key_stops_at_once_with_one_clear_line(suite, tmp_path) -> None:
    with ScriptedServer([unauthorized()]) as server:
        with pytest.raises(UsageError) as stopped:
            run(tmp_path, server.url, suite)
        assert len(server.asked) <= 4  # those that were in flight
    assert "OPENAI_API_KEY" in str(stopped.value)
    assert "\n" not in str(stopped.value)
    assert "canary" not in str(stopped.value)
    assert (tmp_path / "attempts.jsonl").read_text() == ""
