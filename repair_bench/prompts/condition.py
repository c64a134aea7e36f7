"""A condition: how a model is prompted, and what it is told when it fails."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal


@dataclass(frozen=True)
class Condition:
    """One prompting condition with its feedback arm.

    The first group shapes attempt 0; conditions that differ only in the second share their first attempts.
    """

    name: str = "default"
    system: str = "default"
    """Name of a system prompt template (`templates/system_<name>.j2`)."""
    starter: bool = True
    """Show the starter code in the prompt (what the QuanBench+ paper calls prefill)."""
    first_temperature: float | None = 0.0
    """Temperature of attempt 0; None leaves it to the provider. QuanBench+ (section 3): 0.0."""
    max_tokens: int | None = None
    """Longest completion to ask for; None leaves it to the provider."""

    feedback: str = "default"
    """Name of the feedback policy."""
    history: Literal["whole", "last"] = "whole"
    """What a repair sees: the whole conversation, or the task with the last attempt alone."""
    repair_temperature: float | None = 0.8
    """Temperature of attempts 1 to N. QuanBench+ (section 3): 0.8."""
    max_attempts: int = 5
    """Repair attempts after the first answer."""

    def prompt_key(self) -> dict[str, Any]:
        """What attempt 0 depends on."""
        return {
            "system": self.system,
            "starter": self.starter,
            "first_temperature": self.first_temperature,
            "max_tokens": self.max_tokens,
        }

    def arm_key(self) -> dict[str, Any]:
        """What attempts 1 to N depend on besides. Not their number: a longer run extends a shorter."""
        return {"feedback": self.feedback, "history": self.history, "repair_temperature": self.repair_temperature}

    def temperature(self, attempt: int) -> float | None:
        return self.first_temperature if attempt == 0 else self.repair_temperature
