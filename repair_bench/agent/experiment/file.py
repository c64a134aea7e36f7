"""The experiment file: models, suites and conditions, in TOML."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Annotated, Any, Literal, TypeVar, cast

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from repair_bench.agent.experiment.episodes import PlannedEpisode, mark_stoppable
from repair_bench.agent.models.network.providers import ProviderSettings
from repair_bench.frameworks import USUAL, FrameworkName
from repair_bench.prompts import few_shot
from repair_bench.prompts.condition import MAX_TEMPERATURE, Condition, Ramp
from repair_bench.suites.task import Suite, Task
from repair_bench.traces.faults import UsageError
from repair_bench.traces.record.spending import MAX_TOKENS
from repair_bench.traces.run.manifest_fields import ExperimentFields, ResourceFields

MAX_EPISODES = 2_000_000
"""Maximum of one experiment; all are held in memory."""

T = TypeVar("T")
OneOrMore = Annotated[
    tuple[T, ...],
    Field(min_length=1),
    BeforeValidator(lambda value: tuple(value) if isinstance(value, list | tuple) else (value,)),
]
"""One value, or a list: every combination of the lists is a condition."""

Effort = Annotated[str, Field(pattern=r"^[a-z_]{1,32}$")]
TokenCount = Annotated[int, Field(ge=1, le=MAX_TOKENS)]
ToolRuns = Annotated[int, Field(ge=0, le=64)]
ShortName = Annotated[str, Field(min_length=1, max_length=40)]
TemperatureValue = Annotated[float, Field(ge=0, le=MAX_TEMPERATURE)]
ToProvider = Literal["provider"]
"""A temperature that is not sent, so that the provider's default applies."""


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


class Prompt(_Part):
    """What shapes the first answer. Conditions that differ only elsewhere share their first attempts."""

    name: str | None = None
    """What its conditions are called, where the settings do not tell two prompts apart."""
    system: OneOrMore[str] = ("default",)
    """System prompt: default, minimal, detailed or chain_of_thought. A list makes a condition of each."""
    system_text: str | None = None
    """Your own system prompt, word for word, instead of a named one. Empty: none is sent. `system_text_file` in a file
    reads it from another, looked for beside it."""
    task_template: str | None = None
    """Your own words around the task: a Jinja2 text with `{{ prompt }}` and `{{ starter }}`. `task_template_file` in a
    file reads it from another."""
    few_shot: OneOrMore[Literal[0, 1, 3, 5]] = (0,)
    """Worked examples before the task: 0, 1, 3 or 5, from the pool that the suite names. A list makes a condition of
    each."""
    starter: OneOrMore[bool] = (True,)
    """Show the starter code in the prompt. A list makes a condition of each."""
    assistant_prefill: OneOrMore[bool] = (False,)
    """Begin the model's answer with the starter code; for models that can go on from it. A list makes a condition of
    each."""
    max_completion_tokens: int | None = Field(default=None, ge=1, le=MAX_TOKENS)
    """Longest completion to ask for. Needed where a budget is set."""
    reasoning_effort: OneOrMore[Effort | None] = (None,)
    """How long the model reasons before it answers, in its provider's words: low, medium, high, ... A list makes a
    condition of each."""
    thinking_budget: OneOrMore[TokenCount | None] = (None,)
    """Tokens that the model may reason for, where its provider takes a number of them. A list makes a condition of
    each."""


class Tools(_Part):
    """What a model may do before it answers."""

    python: OneOrMore[ToolRuns] = (0,)
    """Programs of its own that the model may run before each answer, and see what they print; 0 to 64. A list makes a
    condition of each."""


class Repair(_Part):
    """What a model is told of its failure, and what it sees when it repairs."""

    feedback: OneOrMore[str] = ("default",)
    """What a model is told of its failure: default, function, verdict, output, distance, support, expected, shuffled or
    none. A list makes an arm of each; arms share their first attempts."""
    history: OneOrMore[Literal["whole", "last"]] = ("whole",)
    """What a repair sees: whole (the conversation) or last (the task with the last attempt alone). A list makes an arm
    of each."""
    reasoning: OneOrMore[Literal["keep", "drop"]] = ("drop",)
    """Whether a repair is handed back what the model thought before its earlier answers: keep (byte for byte) or drop.
    A list makes an arm of each."""

    stop: Literal["attempts", "value"] = "attempts"
    """When an episode that fails is given up: attempts (after `max_attempts` repairs) or value (as soon as a new sample
    of an unsolved task is expected to solve more for its cost)."""
    controls: float = Field(default=0.2, gt=0, le=1)
    """Where `stop` is value: the share of tasks whose first sample is repaired to the end all the same. Rates are
    made of these alone."""


class Temperature(_Part):
    """Sampling temperatures. "provider" sends none."""

    first: TemperatureValue | ToProvider = 0.0
    """Temperature of the first answer."""
    repairs: TemperatureValue | ToProvider | tuple[TemperatureValue, ...] | Ramp = 0.8
    """Temperature of the repairs: one for all. In a file also a list, attempt by attempt, whose last value goes on; or
    a rule {start, step, most}: attempt k has the smaller of start + step (k - 1) and most."""


class Budget(_Part):
    """Where to stop. The run can be resumed with a larger one."""

    max_cost: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    """Stop before more than this many USD are spent, in all sessions of the run."""
    max_tokens: int | None = Field(default=None, gt=0, lt=2**63)
    """Stop before more than this many tokens are used, prompts and completions together, in all sessions of the run."""


class PlannedComparison(_Part):
    """A comparison that the study is about: two arms within each model and suite, or two models within each condition
    and suite.
    """

    arms: tuple[str, str] | None = None
    """Two conditions by their names, as `--plan` prints them: the control and what is compared with it."""
    models: tuple[str, str] | None = None
    """Two models: the baseline and what is compared with it."""
    k: int | None = Field(default=None, ge=0, le=1_000)
    """Compare FB@k. All repairs where it is not given."""

    @model_validator(mode="after")
    def _one_of_two(self) -> PlannedComparison:
        if (self.arms is None) == (self.models is None):
            raise UsageError("a table of `comparisons` names two arms or two models: arms = [...] or models = [...]")
        return self


class Telemetry(_Part):
    """Where the progress of a run is sent. Off by default."""

    otlp: str | None = Field(default=None, pattern=r"^https?://[^\s/@]+/?$")
    """Send a span for each attempt to the OpenTelemetry collector at this address, as in http://127.0.0.1:4318 (OTLP by
    HTTP). Needs the extra `telemetry`."""


class Experiment(_Part):
    """One file, one experiment. What is not in it has the defaults shown here."""

    models: OneOrMore[str] = ("sim/journeyman",)
    """The models: a litellm name (openai/gpt-4.1, ollama_chat/...), sim/novice|journeyman|expert,
    sim/bernoulli?first=P&repair=Q, replay/RUN_DIR (a run's answers) or manual/DIR (answers by hand). A name and a
    variant, openai/o4-mini#high, asks openai/o4-mini with the settings of that variant."""
    suites: OneOrMore[str] = ("aligned",)
    """The suites, by name."""
    frameworks: OneOrMore[FrameworkName] = USUAL
    """The frameworks whose tasks are run: qiskit, pennylane and cirq where none is named.
    One that another package adds is run where it is named."""
    rule: Literal["exact", "semantic", "paper", "released"] = "exact"
    """Grading rule: exact; semantic, by oracles of ours beside the published unit tests, where there are any; or paper
    or released, the noisy rules of a published system, to reproduce its tables."""
    require_sealed: bool = False
    """Exclude the tasks whose test can only run beside the candidate (guarded)."""
    max_attempts: int = Field(default=5, ge=0, le=1_000)
    """Repair attempts after the first answer. QuanBench+'s released code makes 5 generations in all: that is 4 here."""
    samples: int = Field(default=1, ge=1, le=MAX_EPISODES)
    """Independent episodes for each task; more than one need a temperature above 0."""
    limit: int | None = Field(default=None, ge=1, lt=2**63)
    """Only the first problems of each suite, in every framework."""
    seed: int = Field(default=0, ge=0, lt=2**63)
    """Seeds what is drawn: the simulated models, and providers that take a seed."""
    api_base: str | None = None
    """Address of an OpenAI-compatible server, for models whose provider has no other."""
    prompt: OneOrMore[Prompt] = (Prompt(),)
    """How the task is put to the model: one table, or several where not every combination is wanted."""
    tools: Tools = Tools()
    repair: Repair = Repair()
    temperature: Temperature = Temperature()
    comparisons: tuple[PlannedComparison, ...] = ()
    """The few comparisons that the study is about, a table each; all others are exploratory. Without any, all that
    `report` and `compare` make of its arms and models are."""
    protocol: str | None = None
    """Begin from a published protocol, which every report names: quanbench-plus-paper, quanbench-plus-released,
    qiskit-humaneval or quantum-katas."""

    # the following may differ between sessions, and decide no record
    providers: dict[str, ProviderSettings] = Field(default_factory=dict, exclude=True)
    """Quotas, addresses, parameters and prices of a provider (`providers.openai`), or of one model by its whole name,
    or of a variant of it (`providers."openai/o4-mini#high"`)."""
    budget: Budget = Field(default=Budget(), exclude=True)
    telemetry: Telemetry = Field(default=Telemetry(), exclude=True)
    names: dict[str, ShortName] = Field(default_factory=dict, exclude=True)
    """Short names of models, suites and conditions in tables, plots and pages, by full name. Others are derived."""
    pythons: dict[str, str] = Field(default_factory=dict, exclude=True)
    """The interpreter of a framework: a path or the name of an environment. Its versions are pinned, not its place."""

    @model_validator(mode="after")
    def _names_exist(self) -> Experiment:
        names = [name.strip() for name in self.models]
        if twice := next((name for name in names if names.count(name) > 1), None):
            raise UsageError(
                f"the model {twice} is listed twice: leave one out; `samples` makes more answers of one model"
            )
        self.conditions()
        return self

    def settings(self) -> ExperimentFields:
        """Return the fields that decide records, as JSON data."""
        return cast("ExperimentFields", self.model_dump(mode="json"))

    def resources(self) -> ResourceFields:
        """Return the fields that may differ between sessions, as JSON data."""
        stated: ResourceFields = {
            "providers": {name: provider.model_dump(mode="json") for name, provider in self.providers.items()},
            "budget": self.budget.model_dump(mode="json"),
            "pythons": dict(self.pythons),
        }
        if self.telemetry.otlp is not None:
            stated["telemetry"] = self.telemetry.model_dump(mode="json")
        if self.names:
            stated["names"] = dict(self.names)
        return stated

    def conditions(self) -> tuple[Condition, ...]:
        """Return every combination of the listed settings, named by those that vary or are not the default.

        Raises UsageError for an unknown name.
        """
        made = [condition for prompt in self.prompt for condition in self._conditions(prompt)]
        names = [condition.name for condition in made]
        if twice := next((name for name in names if names.count(name) > 1), None):
            raise UsageError(f"two prompts make a condition {twice!r}: give each prompt a name of its own")
        return tuple(made)

    def _conditions(self, prompt: Prompt) -> Iterator[Condition]:
        of_prompt = ("system", "few_shot", "starter", "assistant_prefill", "reasoning_effort", "thinking_budget")
        axes: dict[str, Sequence[Any]] = {
            **{name: getattr(prompt, name) for name in of_prompt},
            "tools": self.tools.python,
            **{name: getattr(self.repair, name) for name in ("feedback", "history", "reasoning")},
        }
        first, repairs = self.temperature.first, self.temperature.repairs
        for values in itertools.product(*axes.values()):
            yield Condition(
                name=_name(prompt.name, axes, values),
                **dict(zip(axes, values, strict=True)),
                system_text=prompt.system_text,
                task_template=prompt.task_template,
                max_tokens=prompt.max_completion_tokens,
                first_temperature=None if first == "provider" else first,
                repair_temperature=None if repairs == "provider" else repairs,
                max_attempts=self.max_attempts,
            )

    def tasks(self, suites: Sequence[Suite]) -> list[Task]:
        """Return the tasks of the frameworks among the first `limit` problems of each suite, including excluded ones.

        Raises UsageError if there are none.
        """
        chosen: list[Task] = []
        for suite in suites:
            problems = set(list(dict.fromkeys(task.id for task in suite.tasks))[: self.limit])
            chosen += [t for t in suite.tasks if t.id in problems and t.framework in self.frameworks]
        if not chosen:
            raise UsageError(f"no task of {', '.join(self.suites)} is in {', '.join(self.frameworks)}: choose others")
        return chosen

    def episodes(self, suites: Sequence[Suite]) -> list[PlannedEpisode]:
        """Return one episode per model, task that can be judged, condition and sample, with a task's arms adjacent.

        Raises UsageError if there are more than `MAX_EPISODES`.
        """
        by_name = {suite.name: suite for suite in suites}
        conditions = self.conditions()
        maximum = max(condition.few_shot for condition in conditions)
        pools = {name: few_shot.pool(suite) for name, suite in by_name.items()} if maximum else {}
        tasks = [task for task in self.tasks(suites) if task.excluded is None]
        count = self.samples * len(tasks) * len(self.models) * len(conditions)
        if count > MAX_EPISODES:
            raise UsageError(f"{count:,} episodes are more than {MAX_EPISODES:,}: ask for fewer samples")
        shown = {id(task): few_shot.examples(task, pools[task.suite], maximum) if maximum else () for task in tasks}
        version = {name: suite.version for name, suite in by_name.items()}
        planned = [
            PlannedEpisode(model, task, version[task.suite], condition, sample, shown[id(task)][: condition.few_shot])
            for sample in range(self.samples)
            for task in tasks
            for model in self.models
            for condition in conditions
        ]
        by_value = self.repair.stop == "value"
        return mark_stoppable(planned, self.repair.controls, self.seed) if by_value else planned


def _name(prompt: str | None, axes: dict[str, Sequence[Any]], values: Sequence[Any]) -> str:
    default = Condition()
    parts = [prompt] if prompt is not None else []
    parts += [
        _word(axis, value)
        for (axis, listed), value in zip(axes.items(), values, strict=True)
        if len(set(listed)) > 1 or value != getattr(default, axis)
    ]
    return "+".join(parts) or default.name


def _word(axis: str, value: Any) -> str:
    words = {
        "few_shot": f"{value}-shot",
        "starter": "starter" if value else "no-starter",
        "assistant_prefill": "prefill" if value else "no-prefill",
        "reasoning_effort": f"effort-{value or 'unset'}",
        "thinking_budget": f"thinking-{value or 'unset'}",
        "tools": f"{value}-tries",
        "reasoning": f"{value}-reasoning",
    }
    return words.get(axis, str(value))
