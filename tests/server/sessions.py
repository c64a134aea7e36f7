"""Sessions of a run through the real loop, store and client, for `Warm`.

Frameworks are not started, because the answers contain no code.
"""

import sys
from functools import cache
from pathlib import Path

from repair_bench import suites
from repair_bench.agent.experiment.file import Experiment
from repair_bench.agent.models import ProviderSettings
from repair_bench.agent.models.network.client import LiteLLMModel
from repair_bench.coroutines import run_to_end
from repair_bench.suites.task import Suite
from repair_bench.testing.driving import drive

MODEL = "openai/gpt-4.1"
LONGEST = 300
"""Maximum tokens of an answer."""
PATIENCE = 6.0


@cache
def suite() -> Suite:
    return run_to_end(suites.load("aligned"))


def main() -> None:
    """Start or resume a run: `DIRECTORY URL PROBLEMS REPAIRS`. The exit codes are those of the command."""
    directory, url, limit, repairs = sys.argv[1:]
    prompt = [{"max_completion_tokens": LONGEST}]
    experiment = Experiment.model_validate(
        {"models": [MODEL], "frameworks": ["qiskit"], "limit": limit, "max_attempts": repairs, "prompt": prompt}
    )
    model = LiteLLMModel(MODEL, ProviderSettings(api_base=url, retry_for_seconds=PATIENCE))
    resume = (Path(directory) / "run.json").exists()
    end, _, _ = drive(
        Path(directory), experiment.episodes([suite()]), [model], resume=resume, concurrency=8, max_cost=50.0
    )
    sys.exit(130 if end.interrupted else int(bool(end.pending)))


def prepare() -> None:
    """Prepare what every session needs."""
    suite()
    LiteLLMModel(MODEL, ProviderSettings())
