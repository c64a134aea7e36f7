"""What options give, for tests that write them as a user does."""

from collections.abc import Mapping
from typing import Any

from repair_bench.agent.experiment.options import OPTIONS


def by_path(flags: Mapping[str, Any]) -> dict[str, Any]:
    """Values by the path of their field, from values by flag, as in `few_shot=[3]`."""
    paths = {option.flag.removeprefix("--").replace("-", "_"): option.path for option in OPTIONS}
    return {paths[name]: value for name, value in flags.items()}
