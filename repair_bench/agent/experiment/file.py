"""The experiment file: models, suites and conditions in TOML format."""

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
from repair_bench.prompts.feedback import Sources, asks
from repair_bench.suites.task import Suite, Task
from repair_bench.traces.faults import UsageError
from repair_bench.traces.record.spending import MAX_TOKENS
from repair_bench.traces.run.manifest_fields import ExperimentFields, ResourceFields

MAX_EPISODES = 2_000_000
"""Maximum number of episodes in an experiment; all are kept in memory."""

T = TypeVar("T")
OneOrMore = Annotated[
    tuple[T, ...],
    Field(min_length=1),
    BeforeValidator(lambda value: tuple(value) if isinstance(value, list | tuple) else (value,)),
]
"""One value or a list of values; each combination of the listed values defines a condition."""

Effort = Annotated[str, Field(pattern=r"^[a-z_]{1,32}$")]
TokenCount = Annotated[int, Field(ge=1, le=MAX_TOKENS)]
ToolRuns = Annotated[int, Field(ge=0, le=64)]
ShortName = Annotated[str, Field(min_length=1, max_length=40)]
TemperatureValue = Annotated[float, Field(ge=0, le=MAX_TEMPERATURE)]
ToProvider = Literal["provider"]
"""The temperature "provider": requests contain no temperature, so the provider's default applies."""


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


class Prompt(_Part):
    """Settings for the first answer. Conditions with the same prompt settings share their first attempts."""

    name: str | None = None
    """Name of the conditions that use this prompt; required if two prompts would otherwise have the same name."""
    system: OneOrMore[str] = ("default",)
    """System prompt: default, minimal, detailed or chain_of_thought. Each value in a list adds a condition."""
    system_text: str | None = None
    """Custom system prompt, sent verbatim; if it is empty, no system prompt is sent. In an experiment file,
    `system_text_file` names a file with the text, relative to the experiment file."""
    task_template: str | None = None
    """Custom text around the task: a Jinja2 template with `{{ prompt }}` and `{{ starter }}`. In an experiment file,
    `task_template_file` names a file with the template."""
    few_shot: OneOrMore[Literal[0, 1, 3, 5]] = (0,)
    """Number of worked examples from the suite's pool: 0, 1, 3 or 5. Each value in a list adds a condition."""
    starter: OneOrMore[bool] = (True,)
    """Whether the prompt shows the starter code. Each value in a list adds a condition."""
    assistant_prefill: OneOrMore[bool] = (False,)
    """Whether the model's answer begins with the starter code (if supported). Each value in a list adds a condition."""
    max_completion_tokens: int | None = Field(default=None, ge=1, le=MAX_TOKENS)
    """Maximum tokens per completion. Required with a budget."""
    reasoning_effort: OneOrMore[Effort | None] = (None,)
    """Reasoning effort, in the provider's terms: low, medium, high, ... Each value in a list adds a condition."""
    thinking_budget: OneOrMore[TokenCount | None] = (None,)
    """Maximum number of reasoning tokens, for providers that accept such a limit. Each value in a list adds a
    condition."""


class Tools(_Part):
    """Tools that the model may use before it answers."""

    python: OneOrMore[ToolRuns] = (0,)
    """Number of programs (0 to 64) that the model may run before each answer to see their output. Each value in a list
    adds a condition."""
    ask: OneOrMore[ToolRuns] = (0,)
    """Number of inputs (0 to 64) whose correct output the model may request before each answer, on tasks with a
    reference. Each value in a list adds a condition."""


class Repair(_Part):
    """Feedback on a failed attempt, and the context of a repair."""

    feedback: OneOrMore[str] = ("default",)
    """Feedback policy: default, function, verdict, count, output, distance, support, expected, shuffled, critic, tool,
    api or none. Each value in a list adds an arm; arms share their first attempts."""
    history: OneOrMore[Literal["whole", "last", "best"]] = ("whole",)
    """Context of a repair: whole (the full conversation), last (the task and the last attempt) or best (the task and
    the attempt that came closest). Each value in a list adds an arm."""
    restart: OneOrMore[Annotated[int, Field(ge=0, le=1_000)]] = (0,)
    """Number of failed repairs after which the conversation is dropped and the task is answered from scratch; 0
    means never. Each value in a list adds an arm."""
    command: str | None = Field(default=None, min_length=1)
    """With feedback `tool`: the command to run on the program in the sandbox, such as "ruff check {file}". The command
    must be installed in the framework's environment."""
    probe: bool = False
    """On the suite `conventions`: ask the model before each repair, in a copy of the conversation, which conventions
    apply."""
    reasoning: OneOrMore[Literal["keep", "drop"]] = ("drop",)
    """Whether a repair request includes the reasoning from earlier answers: keep (include it unchanged) or drop. Each
    value in a list adds an arm."""

    stop: Literal["attempts", "value"] = "attempts"
    """Stopping rule for failing episodes: attempts (after `max_attempts` repairs) or value (adaptive stopping).
    Adaptive stopping ends an episode as soon as a new sample of an unsolved task has a higher value than the next
    repair of the episode. The value is the probability of success divided by the cost."""
    controls: float = Field(default=0.2, gt=0, le=1)
    """With `stop = "value"`: the share of tasks whose first sample is exempt from adaptive stopping. Only these
    episodes are used to calculate rates."""


class Critic(_Part):
    """The critic that the feedback policy `critic` uses; it analyses a failure before the repair."""

    model: str = "self"
    """Model that acts as the critic: self (the model that repairs), manual/DIR (a person), or another model."""
    sees: tuple[Literal["task", "program", "feedback"], ...] = Field(
        default=("task", "program", "feedback"), min_length=1
    )
    """Parts shown to the critic: the task, the failed program, and the default feedback."""
    replaces: bool = False
    """In repairs, show the model only the analysis, not the default feedback."""


class Temperature(_Part):
    """Sampling temperatures. With "provider", requests contain no temperature."""

    first: TemperatureValue | ToProvider = 0.0
    """Temperature of the first answer."""
    repairs: TemperatureValue | ToProvider | tuple[TemperatureValue, ...] | Ramp = 0.8
    """Temperature of all repairs. In an experiment file: one value, a list with one value per repair (later repairs use
    the last value), or a rule {start, step, most}. The temperature of repair k is then start + step (k - 1), capped at
    `most`."""


class Budget(_Part):
    """Spending limits. A run that has exhausted its budget can be resumed with a larger budget."""

    max_cost: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    """Maximum cost of the run in USD, across all sessions."""
    max_tokens: int | None = Field(default=None, gt=0, lt=2**63)
    """Maximum number of prompt and completion tokens for the run, across all sessions."""


class PlannedComparison(_Part):
    """A preregistered comparison of two arms (per model and suite), or of two models (per condition and suite)."""

    arms: tuple[str, str] | None = None
    """Names of two conditions, as in the output of `--plan`: the control, and the arm to compare with the control."""
    models: tuple[str, str] | None = None
    """Two models: the baseline, and the model to compare with the baseline."""
    k: int | None = Field(default=None, ge=0, le=1_000)
    """Compare FB@k. Default: all repairs."""

    @model_validator(mode="after")
    def _one_of_two(self) -> PlannedComparison:
        if (self.arms is None) == (self.models is None):
            raise UsageError("each table of `comparisons` must set either arms = [A, B] or models = [A, B]")
        return self


class Telemetry(_Part):
    """Destination of progress data. Off by default."""

    model_config = ConfigDict(regex_engine="python-re")  # the pattern looks ahead

    otlp: str | None = Field(default=None, pattern=r"^https?://(?!\S*/v1/traces)[^\s/@?#]+(/[^\s@?#]*)?$")
    """Address of an OpenTelemetry collector that receives a span per attempt, e.g. http://127.0.0.1:4318 (OTLP over
    HTTP). Requires the extra `telemetry`."""


class Experiment(_Part):
    """The fields of an experiment file and their defaults."""

    models: OneOrMore[str] = ("sim/journeyman",)
    """Model: a litellm name (openai/gpt-4.1, ollama_chat/...), sim/novice|journeyman|expert,
    sim/bernoulli?first=P&repair=Q, replay/RUN_DIR (stored answers of a run) or manual/DIR (answers in files). A suffix,
    as in openai/o4-mini#high, selects a variant with separate settings."""
    suites: OneOrMore[str] = ("aligned",)
    """Name of a suite."""
    frameworks: OneOrMore[FrameworkName] = USUAL
    """Framework whose tasks are run. Default: qiskit, pennylane and cirq, but not openqasm3 or plug-ins."""
    rule: Literal["exact", "semantic", "paper", "released"] = "exact"
    """Grading rule: exact; semantic (our oracles where they exist, otherwise the published unit tests); paper or
    released (the noisy rules of a published system, to reproduce its tables)."""
    require_sealed: bool = False
    """Exclude tasks whose unit test must run in the candidate's process (isolation mode "guarded")."""
    max_attempts: int = Field(default=5, ge=0, le=1_000)
    """Number of repairs after the first answer. The 5 generations of QuanBench+ are a first answer and 4 repairs."""
    samples: int = Field(default=1, ge=1, le=MAX_EPISODES)
    """Number of independent episodes per task; more than one requires a temperature above 0."""
    limit: int | None = Field(default=None, ge=1, lt=2**63)
    """Maximum number of problems per suite. The first problems of the suite are run, in every framework."""
    only: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    """Task ids to run, by the name of the suite, as in {aligned = ["01", "16"]}. Suites that are not named are run
    whole."""
    seed: int = Field(default=0, ge=0, lt=2**63)
    """Random seed for simulated models, and for providers that accept a seed."""
    api_base: str | None = None
    """Address of an OpenAI-compatible server, for models whose provider settings contain no address."""
    prompt: OneOrMore[Prompt] = (Prompt(),)
    """Prompt settings: one table, or several tables to run only some combinations of settings."""
    tools: Tools = Tools()
    repair: Repair = Repair()
    critic: Critic = Critic()
    first_answers: str | None = None
    """File of stored answers, in the format that `grade` reads. If `first_answers` is set, the models write no first
    answers. They repair only the failing answers in the file."""
    temperature: Temperature = Temperature()
    comparisons: tuple[PlannedComparison, ...] = ()
    """The preregistered comparisons, one table each; all others are exploratory. Without this field, all comparisons of
    arms and models in `report` and `compare` are preregistered."""
    protocol: str | None = None
    """Published protocol: quanbench-plus-paper, quanbench-plus-released, qiskit-humaneval or quantum-katas. The
    protocol supplies all settings that this file omits, and every report names the protocol."""

    # the following may differ between sessions, because no record depends on them
    providers: dict[str, ProviderSettings] = Field(default_factory=dict, exclude=True)
    """Quotas, addresses, parameters and prices for a provider (`providers.openai`), for one model by its full name, or
    for a variant (`providers."openai/o4-mini#high"`)."""
    budget: Budget = Field(default=Budget(), exclude=True)
    telemetry: Telemetry = Field(default=Telemetry(), exclude=True)
    names: dict[str, ShortName] = Field(default_factory=dict, exclude=True)
    """Short names for models, suites and conditions in tables, plots and pages, keyed by full name."""
    pythons: dict[str, str] = Field(default_factory=dict, exclude=True)
    """Interpreter for each framework: a path or the name of an environment. All sessions must use the same
    package versions."""

    @model_validator(mode="after")
    def _names_exist(self) -> Experiment:
        for kind, listed in {"model": self.models, "suite": self.suites, "framework": self.frameworks}.items():
            names = [name.strip() for name in listed]
            if twice := next((name for name in names if names.count(name) > 1), None):
                raise UsageError(
                    f"the {kind} {twice} is listed twice: list it once; to get several answers per task, set `samples`"
                )
        self.conditions()
        if "tool" in self.repair.feedback and self.repair.command is None:
            raise UsageError("feedback = tool needs a command: set repair.command, such as 'ruff check {file}'")
        return self

    @property
    def critic_model(self) -> str | None:
        """The name of the critic model, if a feedback policy needs a critic and the critic differs from the model that
        repairs.
        """
        return self.critic.model if self.critic.model != "self" and any(map(asks, self.repair.feedback)) else None

    @property
    def queried(self) -> tuple[str, ...]:
        """The names of all models that receive requests."""
        return self.models if self.critic_model in (None, *self.models) else (*self.models, str(self.critic_model))

    def settings(self) -> ExperimentFields:
        """Return the fields that affect recorded attempts, as JSON data."""
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
        """Return the conditions: every combination of the listed settings. Raises UsageError for an unknown setting."""
        made = [condition for prompt in self.prompt for condition in self._conditions(prompt)]
        names = [condition.name for condition in made]
        if twice := next((name for name in names if names.count(name) > 1), None):
            raise UsageError(f"two prompts define the condition {twice!r}: set a different `name` in each prompt")
        return tuple(made)

    def _conditions(self, prompt: Prompt) -> Iterator[Condition]:
        of_prompt = ("system", "few_shot", "starter", "assistant_prefill", "reasoning_effort", "thinking_budget")
        axes: dict[str, Sequence[Any]] = {
            **{name: getattr(prompt, name) for name in of_prompt},
            "tools": self.tools.python,
            "ask": self.tools.ask,
            **{name: getattr(self.repair, name) for name in ("feedback", "history", "restart", "reasoning")},
        }
        sources = Sources(self.critic.model, self.critic.sees, self.critic.replaces, self.repair.command)
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
                sources=sources,
                probe=self.repair.probe,
            )

    def tasks(self, suites: Sequence[Suite]) -> list[Task]:
        """Return the tasks of the first `limit` problems of each suite, in the experiment's frameworks.

        If `only` lists task ids of a suite, these are its problems. Raises UsageError if there are no tasks, or if a
        suite in `only` does not exist or lacks a task.
        """
        if unknown := self.only.keys() - {*self.suites, *(suite.name for suite in suites)}:
            raise UsageError(f"`only` names the suite {min(unknown)}, which is not in `suites`: use a name in `suites`")
        chosen: list[Task] = []
        for suite in suites:
            ids = dict.fromkeys(task.id for task in suite.tasks)
            if missing := [name for name in self.only.get(suite.name, ()) if name not in ids]:
                raise UsageError(f"`only` names the task {missing[0]}, which {suite.name} does not have")
            problems = set(list(self.only.get(suite.name, ids))[: self.limit])
            chosen += [t for t in suite.tasks if t.id in problems and t.framework in self.frameworks]
        if not chosen:
            raise UsageError(
                f"{', '.join(self.suites)} has no tasks in {', '.join(self.frameworks)}: choose other frameworks"
            )
        return chosen

    def episodes(self, suites: Sequence[Suite]) -> list[PlannedEpisode]:
        """Plan one episode per model, gradable task, condition and sample. Conditions vary fastest."""
        by_name = {suite.name: suite for suite in suites}
        conditions = self.conditions()
        maximum = max(condition.few_shot for condition in conditions)
        pools = {name: few_shot.pool(suite) for name, suite in by_name.items()} if maximum else {}
        tasks = [task for task in self.tasks(suites) if task.excluded is None]
        count = self.samples * len(tasks) * len(self.models) * len(conditions)
        if count > MAX_EPISODES:
            raise UsageError(f"{count:,} episodes exceed the maximum of {MAX_EPISODES:,}: reduce --samples")
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
        "ask": f"{value}-questions",
        "restart": f"restart-{value}",
        "reasoning": f"{value}-reasoning",
    }
    return words.get(axis, str(value))
