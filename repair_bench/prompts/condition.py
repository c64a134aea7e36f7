"""A condition: the prompt settings, and the feedback after a failure."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from repair_bench.prompts.feedback import Sources, asks, is_independent, policy
from repair_bench.prompts.system import check_system
from repair_bench.prompts.templates import check_template
from repair_bench.traces.faults import UsageError

FEW_SHOT = (0, 1, 3, 5)
HISTORIES = ("whole", "last", "best")
MAX_TEMPERATURE = 100.0
"""The maximum temperature. Most providers accept temperatures up to 1 or 2, but some self-hosted servers accept higher
temperatures."""


@dataclass(frozen=True)
class Ramp:
    """A temperature that is `start` at attempt 1 and changes by `step` with each further attempt, but never exceeds
    `most`.

    Raises UsageError if `start`, `most` or the magnitude of `step` is not in the range from 0 to `MAX_TEMPERATURE`.
    """

    start: float
    step: float
    most: float = 2.0

    def __post_init__(self) -> None:
        for name, minimum in (("start", 0.0), ("step", -MAX_TEMPERATURE), ("most", 0.0)):
            value = getattr(self, name)
            if not minimum <= value <= MAX_TEMPERATURE:
                raise UsageError(f"temperature: {name} = {value} is not between {minimum:g} and {MAX_TEMPERATURE:g}")

    def at(self, attempt: int) -> float:
        """Return the temperature of the attempt with the number `attempt` (1 or more). The temperature is never below
        0.
        """
        return max(0.0, min(self.start + self.step * (attempt - 1), self.most))


@dataclass(frozen=True)
class Condition:
    """A condition: the settings of the prompt and of the feedback arm.

    The fields up to and including `ask` affect attempt 0. Two conditions share attempt 0 if they differ only in
    `feedback` and the fields that are defined after `feedback`. Raises UsageError for an unknown name.
    """

    name: str = "default"
    system: str = "default"
    """Name of the built-in system prompt."""
    system_text: str | None = None
    """The user's system prompt, which replaces the built-in prompt; empty for no system message."""
    task_template: str | None = None
    """The user's text around the task: a Jinja2 template with the variables `prompt` and `starter`."""
    few_shot: int = 0
    """Number of worked examples before the task: 0, 1, 3 or 5, from the suite's pool."""
    starter: bool = True
    """Whether to show the starter code in the prompt (called prefill in the QuanBench+ paper)."""
    assistant_prefill: bool = False
    """Whether to begin the model's answer with an open code block and the starter code (called prefill in QuanBench+'s
    released code). Requires a model that can continue an assistant message."""
    first_temperature: float | None = 0.0
    """Temperature of attempt 0; None for the provider's default. QuanBench+ (section 3): 0.0."""
    max_tokens: int | None = None
    """Maximum length of a completion; None for the provider's default."""
    reasoning_effort: str | None = None
    """Reasoning effort as the provider names it; None for the provider's default."""
    thinking_budget: int | None = None
    """Maximum number of reasoning tokens; None for the provider's default."""
    tools: int = 0
    """Maximum number of programs that the model may run before each answer."""
    ask: int = 0
    """Maximum number of questions that the model may ask before each answer. Each question asks for the correct output
    for one input."""

    feedback: str = "default"
    sources: Sources = field(default_factory=Sources)
    """The critic and the command, for policies that use them."""
    history: Literal["whole", "last", "best"] = "whole"
    """History that a repair sees. "whole": the whole conversation; "last": the task and the last attempt; "best": the
    task and the attempt that came closest."""
    restart: int = 0
    """Number of failed repairs after which the task is answered from scratch; 0 for never."""
    reasoning: Literal["keep", "drop"] = "drop"
    """Whether earlier answers are sent together with their reasoning."""
    repair_temperature: float | tuple[float, ...] | Ramp | None = 0.8
    """Temperature of attempts 1 to N: one value, a list (the last repeats), or a rule. QuanBench+ (section 3): 0.8."""
    max_attempts: int = 5
    """Maximum number of repairs."""
    probe: bool = False
    """Whether to ask the model about its assumed conventions before each repair. The question is asked in a copy of the
    conversation."""

    def __post_init__(self) -> None:
        policy(self.feedback)
        if self.system_text is None:
            check_system(self.system)
        if self.task_template is not None:
            check_template(self.task_template, prompt="", starter="")
        if self.repair_temperature == ():
            raise UsageError(
                "the list of repair temperatures is empty: list one temperature per repair, or one for all"
            )
        if self.few_shot not in FEW_SHOT:
            raise UsageError(f"few-shot {self.few_shot}: choose from {', '.join(map(str, FEW_SHOT))}")
        if self.history not in HISTORIES:
            raise UsageError(f"unknown history {self.history!r}; choose from {', '.join(HISTORIES)}")
        if self.reasoning == "keep" and self.history != "whole":
            raise UsageError("reasoning = keep requires the whole conversation: set history = whole")
        if self.tools and self.assistant_prefill:
            raise UsageError(
                "assistant_prefill and tools cannot be combined, because a prefill starts the answer: remove one"
            )

    def prompt_key(self) -> dict[str, Any]:
        return {
            "system": self.system if self.system_text is None else {"text": self.system_text},
            "task_template": self.task_template,
            "few_shot": self.few_shot,
            "starter": self.starter,
            "assistant_prefill": self.assistant_prefill,
            "first_temperature": self.first_temperature,
            "max_tokens": self.max_tokens,
            **self._changed("reasoning_effort", "thinking_budget", "tools", "ask"),
        }

    def arm_key(self) -> dict[str, Any]:
        """Return the settings that affect only repairs. The number of repairs is omitted, because it can be increased
        later.
        """
        repairs = self.repair_temperature
        return {
            "feedback": self.feedback,
            "history": self.history,
            "repair_temperature": asdict(repairs) if isinstance(repairs, Ramp) else repairs,
            **self._changed("reasoning", "restart", "probe"),
            **({"critic": [self.sources.critic, self.sources.sees, self.sources.replaces]} if self.asks else {}),
            **({"command": self.sources.command} if self.feedback == "tool" else {}),
        }

    @property
    def asks(self) -> bool:
        """Whether a critic is queried for the feedback."""
        return asks(self.feedback)

    def is_fresh(self, attempt: int) -> bool:
        """Whether an attempt sees neither history nor feedback."""
        repeats = self.restart > 0 and attempt % (self.restart + 1) == 0
        return attempt == 0 or repeats or is_independent(self.feedback)

    def _changed(self, *names: str) -> dict[str, Any]:
        """Return the settings in `names` that differ from their defaults.

        The other settings in `names` do not affect the ids of attempts.
        """
        default = type(self)
        return {name: value for name in names if (value := getattr(self, name)) != getattr(default, name)}

    def settings(self) -> dict[str, Any]:
        return {**self.prompt_key(), **self.arm_key(), "max_attempts": self.max_attempts}

    def temperature(self, attempt: int) -> float | None:
        """Return the temperature of an attempt, or None for the provider's default."""
        match self.repair_temperature if attempt else self.first_temperature:
            case Ramp() as ramp:
                return ramp.at(attempt)
            case tuple(listed):
                return listed[min(attempt, len(listed)) - 1]
            case one:
                return one
