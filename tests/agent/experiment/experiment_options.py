"""Values of options, for tests that write them as a user does."""

from collections.abc import Mapping
from typing import Any

from repair_bench.agent.experiment.options import OPTIONS

FIELDS = ("history", "system", "few_shot", "starter", "assistant_prefill", "seed")
"""Fields without an option."""


def by_path(flags: Mapping[str, Any]) -> dict[str, Any]:
    """Return values by the path of their field, from values by flag, as in `few_shot=[3]`."""
    paths = {name: f"prompt.{name}" for name in FIELDS} | {"history": "repair.history", "seed": "seed"}
    paths |= {"repair_temperature": "temperature.repairs"}
    paths |= {option.flag.removeprefix("--").replace("-", "_"): option.path for option in OPTIONS}
    return {paths[name]: value for name, value in flags.items()}
