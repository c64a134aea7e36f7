"""A condition: how a model is prompted, and what it is told when it fails."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

from repair_bench.prompts.feedback import policy
from repair_bench.prompts.system import check_system
from repair_bench.prompts.templates import check_template
from repair_bench.traces.faults import UsageError

FEW_SHOT = (0, 1, 3, 5)
HISTORIES = ("whole", "last")
MAX_TEMPERATURE = 100.0
"""The highest temperature that may be set. Providers end at 1 or 2, some servers of one's own go further."""


@dataclass(frozen=True)
class Ramp:
    """A temperature that goes with the attempt: `start` for attempt 1, `step` more for each, `most` at most.

    Raises UsageError for a `start` or `most` that is not from 0 to `MAX_TEMPERATURE`, and a `step` beyond that
    either way.
    """

    start: float
    step: float
    most: float = 2.0

    def __post_init__(self) -> None:
        for name, least in (("start", 0.0), ("step", -MAX_TEMPERATURE), ("most", 0.0)):
            value = getattr(self, name)
            if not least <= value <= MAX_TEMPERATURE:
                raise UsageError(f"temperature: {name} {value} is not between {least:g} and {MAX_TEMPERATURE:g}")

    def at(self, attempt: int) -> float:
        """The temperature of attempt 1, 2, ...; never below 0."""
        return max(0.0, min(self.start + self.step * (attempt - 1), self.most))


@dataclass(frozen=True)
class Condition:
    """One prompting condition with its feedback arm.

    The first group shapes attempt 0; conditions that differ only in the second share their first attempts. Raises
    UsageError for a name that does not exist.
    """

    name: str = "default"
    system: str = "default"
    """Name of a system prompt (`repair_bench.prompts.system`)."""
    system_text: str | None = None
    """The user's own system prompt, word for word, instead of a named one; empty for none at all."""
    task_template: str | None = None
    """The user's own words around the task, a Jinja2 text with `prompt` and `starter`, instead of ours."""
    few_shot: int = 0
    """Worked examples shown before the task: 0, 1, 3 or 5, from the pool that the suite names."""
    starter: bool = True
    """Show the starter code in the prompt (what the QuanBench+ paper calls prefill)."""
    assistant_prefill: bool = False
    """Begin the model's answer for it, with an open code block and the starter code (what QuanBench+'s released code
    calls prefill). Only for models that go on from a last message of their own."""
    first_temperature: float | None = 0.0
    """Temperature of attempt 0; None leaves it to the provider. QuanBench+ (section 3): 0.0."""
    max_tokens: int | None = None
    """Longest completion to ask for; None leaves it to the provider."""
    reasoning_effort: str | None = None
    """How long the model is to reason, in its provider's word; None leaves it to the provider."""
    thinking_budget: int | None = None
    """Tokens that the model may reason for; None leaves it to the provider."""
    tools: int = 0
    """Programs of its own that the model may run before each answer."""

    feedback: str = "default"
    """Name of the feedback policy."""
    history: Literal["whole", "last"] = "whole"
    """What a repair sees: the whole conversation, or the task with the last attempt alone."""
    reasoning: Literal["keep", "drop"] = "drop"
    """Whether the reasoning of earlier answers is handed back with them."""
    repair_temperature: float | tuple[float, ...] | Ramp | None = 0.8
    """Temperature of attempts 1 to N: one, one for each (the last goes on), or a rule. QuanBench+ (section 3): 0.8."""
    max_attempts: int = 5
    """Repair attempts after the first answer."""

    def __post_init__(self) -> None:
        policy(self.feedback)
        if self.system_text is None:
            check_system(self.system)
        if self.task_template is not None:
            check_template(self.task_template, prompt="", starter="")
        if self.repair_temperature == ():
            raise UsageError("the list of repair temperatures is empty: give one for each repair, or one for all")
        if self.few_shot not in FEW_SHOT:
            raise UsageError(f"few-shot {self.few_shot}: choose from {', '.join(map(str, FEW_SHOT))}")
        if self.history not in HISTORIES:
            raise UsageError(f"unknown history {self.history!r}; choose from {', '.join(HISTORIES)}")
        if self.reasoning == "keep" and self.history == "last":
            raise UsageError("reasoning = keep hands back a conversation: it needs history = whole")
        if self.tools and self.assistant_prefill:
            raise UsageError(
                "assistant_prefill begins the answer, which leaves no room for tools: leave one of them out"
            )

    def prompt_key(self) -> dict[str, Any]:
        """The settings that attempt 0 depends on."""
        return {
            "system": self.system if self.system_text is None else {"text": self.system_text},
            "task_template": self.task_template,
            "few_shot": self.few_shot,
            "starter": self.starter,
            "assistant_prefill": self.assistant_prefill,
            "first_temperature": self.first_temperature,
            "max_tokens": self.max_tokens,
            **self._beside("reasoning_effort", "thinking_budget", "tools"),
        }

    def arm_key(self) -> dict[str, Any]:
        """The settings that attempts 1 to N depend on besides. Not their number: a longer run extends a shorter."""
        repairs = self.repair_temperature
        return {
            "feedback": self.feedback,
            "history": self.history,
            "repair_temperature": asdict(repairs) if isinstance(repairs, Ramp) else repairs,
            **self._beside("reasoning"),
        }

    def _beside(self, *names: str) -> dict[str, Any]:
        """Those of some settings that are not the default; a setting that is not used is in no attempt's name."""
        default = type(self)
        return {name: value for name in names if (value := getattr(self, name)) != getattr(default, name)}

    def settings(self) -> dict[str, Any]:
        """The whole of it as JSON data, for the manifest."""
        return {**self.prompt_key(), **self.arm_key(), "max_attempts": self.max_attempts}

    def temperature(self, attempt: int) -> float | None:
        """What to ask for at an attempt; None leaves it to the provider."""
        match self.repair_temperature if attempt else self.first_temperature:
            case Ramp() as ramp:
                return ramp.at(attempt)
            case tuple(listed):
                return listed[min(attempt, len(listed)) - 1]
            case one:
                return one
