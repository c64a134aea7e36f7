"""The name of a framework as a field of a pydantic model."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator
from pydantic_core import PydanticKnownError

from repair_bench.frameworks import FRAMEWORKS, available


def _known(name: str) -> str:
    if name not in FRAMEWORKS and name not in available():
        *others, last = map(repr, FRAMEWORKS)
        raise PydanticKnownError("literal_error", {"expected": f"{', '.join(others)} or {last}"})
    return name


FrameworkName = Annotated[str, AfterValidator(_known)]
"""The name of a framework that there is, asked when a value is read: one that is added later is known."""
