"""Solve rates by budget (calls, tokens or USD), compared with resampling, and the cost per solved episode."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from matplotlib.figure import Figure

from repair_bench.analysis.comparing import arms
from repair_bench.analysis.comparing.costs import Unit, running
from repair_bench.analysis.comparing.equal_budget import at_equal_budget, budget_curve, budgets
from repair_bench.analysis.comparing.evidence import per_solved
from repair_bench.analysis.comparing.pairs import Paired, pair
from repair_bench.analysis.rates import metrics
from repair_bench.analysis.rates.intervals import Interval
from repair_bench.analysis.rates.metrics import Episode
from repair_bench.analysis.runs.notices import interval_note, repairs_of
from repair_bench.report.plots import panels, style
from repair_bench.text import count
from repair_bench.traces.record.lazy_attempt import Recorded
from repair_bench.traces.run.manifest import Manifest

UNITS: dict[Unit, str] = {"calls": "calls per episode", "tokens": "tokens per episode", "usd": "USD per episode"}
MAX_BLOCKS = 9
_ALL_UNITS = 2
"""The maximum number of blocks (combinations of model, suite and prompt) for which the figure shows costs in every
unit. If there are more blocks than this maximum, the figure shows costs in only one unit."""
_MAX_BANDS = 2


@dataclass(frozen=True)
class _Block:
    """The arms of one model, suite and prompt, by name.

    `unit`: what the budget counts. `none`: the resampling arm's name.
    """

    parts: Mapping[str, list[Episode]]
    none: str | None
    unit: Unit
    repairs: int
    looks: Mapping[str, Mapping[str, Any]]

    @property
    def counted(self) -> list[Episode]:
        return [e for part in self.parts.values() for e in metrics.counted(part, 0)]

    @cached_property
    def end(self) -> float:
        """The end of the budget axis, slightly above the maximum cost of an episode."""
        spends = [running(e, self.unit, self.repairs) for e in self.counted]
        maximum = max((spend[-1] for spend in spends if spend is not None), default=0.0)
        return maximum + 0.5 if self.unit == "calls" else 1.05 * maximum or 1.0

    @property
    def banded(self) -> set[str]:
        """The arms that are drawn with an interval: at most two, because readers cannot distinguish more bands."""
        if len(self.parts) <= _MAX_BANDS:
            return set(self.parts)
        repairing = [name for name in self.parts if name != self.none]
        main = next((name for name in repairing if "default" in name), repairing[0])
        return {main} | ({self.none} if self.none is not None else set())


def figure(attempts: Sequence[Recorded], manifest: Manifest) -> Figure:
    """Draw three axes per model, suite and prompt: the curves of the arms, each arm's difference from the resampling
    arm, and each arm's cost per solved episode. Without a resampling arm, there are no differences.

    There is one column for each unit of cost (calls, tokens, USD) that all providers report. If there are many models,
    suites or prompts, the figure shows costs in only one unit.
    """
    episodes = metrics.episodes(attempts)
    repairs = repairs_of(attempts, manifest)
    blocks, warnings = panels.cut(list(_blocks(episodes, manifest).items()), MAX_BLOCKS, "models and prompts")
    members = [part for _, (parts, _) in blocks for part in parts.values()]
    compared = any(none is not None and len(parts) > 1 for _, (parts, none) in blocks)
    if not compared:
        warnings.append(
            "NO RESAMPLING: in this run, no arm that resamples answers (feedback none) shares its first answers with "
            "an arm that repairs. The curves show the cost of repairs, but there is no baseline for comparison."
        )
    notes = [
        "An episode counts as solved at a budget if its attempts, up to the passing attempt, together cost at most the "
        "budget. "
        f"Bands: {interval_note(members)}" + (" (of at most two arms)." if len(members) > _MAX_BANDS else "."),
        *(["Middle panels: solve rate minus that of resampling at equal budget, paired by task, in percentage points."]
          if compared else []),
        "Lowest panels: cost of all episodes of an arm, divided by the number of solved episodes.",
    ]  # fmt: skip
    known = metrics.counted((e for part in members for e in part), 0)
    units = [unit for unit in UNITS if any(running(e, unit, repairs) is not None for e in known)]
    if not units:
        raise panels.nothing(episodes, repairs)
    if len(blocks) > _ALL_UNITS and len(units) > 1:
        *others, unit = units
        undrawn = ", ".join(UNITS[other] for other in others)
        notes.append(f"Not drawn: {undrawn}. To draw these too, select one model with --only model=NAME.")
        units = [unit]
    if unpriced := sum(any(running(e, unit, repairs) is None for unit in units) for e in known):
        notes.append(f"Curves and differences exclude {count(unpriced, 'episode')} of unknown cost.")
    words = panels.words("Solve rate by budget", episodes, manifest, members, notes, warnings)

    names = sorted({name for _, (parts, _) in blocks for name in parts})
    short = panels.names(episodes, manifest)
    legend = [short.of("condition", name) for name in names]
    cells = [(title if unit == units[0] else "", of, unit) for title, of in blocks for unit in units]
    each, columns = 3 if compared else 2, len(units) if len(units) > 1 else min(3, len(blocks))
    rows = math.ceil(len(cells) / columns)
    body, axes = style.sheet(
        words,
        each * columns * rows,
        (3.4, 2.5 if each * rows < 6 else 1.9),  # many panels must fit on two pages
        legend,
        max_columns=columns,
        gridspec_kw={"height_ratios": [3, *[2] * (each - 1)] * rows},
    )
    for place, (title, (parts, none), unit) in enumerate(cells):
        row, column = divmod(place, columns)
        at = row * each * columns + column
        above, below, lowest = axes[at], axes[at + columns] if compared else None, axes[at + (each - 1) * columns]
        above.set_title(style.panel_title(title))
        block = _Block(parts, none, unit, repairs, {name: style.line(names.index(name)) for name in parts})
        _curves(above, block)
        _ticks(above, block)
        if below is not None:
            _differences(below, block)
            _ticks(below, block)
        (above if below is None else below).set_xlabel(UNITS[unit])
        _prices(lowest, block, dict(zip(names, legend, strict=True)))
        if column == 0:
            above.set_ylabel("solve rate (%)")
            if below is not None:
                below.set_ylabel("difference (pp)")
    for empty in (ax for ax in axes if not ax.lines and not ax.texts):
        empty.remove()
    lines = [{**style.line(i), "marker": ""} for i in range(len(names))]
    return style.hang(body, style.handles(axes[0], lines), legend)


def _blocks(episodes: Sequence[Episode], manifest: Manifest) -> dict[str, tuple[dict[str, list[Episode]], str | None]]:
    """Return, for each combination of model, suite and prompt, the episodes of each arm and the name of the resampling
    arm.

    The name is None if no arm resamples.
    """
    by_policy, short = arms.policies(episodes, manifest), panels.names(episodes, manifest)
    groups = sorted(arms.by_prompt(episodes), key=lambda group: (group.suite, group.model))
    varied = [name for name in ("suite", "model", "prompt") if len({getattr(f, name) for f in groups}) > 1]
    return {
        " / ".join(short.of(name, getattr(group, name)) for name in varied): (
            group.arms,
            next((name for name in group.arms if by_policy[name] == arms.RESAMPLING), None),
        )
        for group in groups
    }


def _curves(ax: Any, of: _Block) -> None:
    at = budgets(Paired(tuple((e, e) for e in of.counted), 0), of.unit, of.repairs)
    for name, part in of.parts.items():
        points = [p for p in budget_curve(part, of.unit, of.repairs, at) if p.rate.estimate is not None]
        if points:
            _steps(ax, [(p.budget, p.rate) for p in points], of, name)
    ax.set_ylim(0, 100)
    ax.grid(axis="y")


def _differences(ax: Any, of: _Block) -> None:
    ax.axhline(0, color=style.BLACK, linewidth=0.8)
    ax.grid(axis="y")
    if of.none is None:
        ax.text(0.5, 0.6, "no resampling arm", ha="center", transform=ax.transAxes, color=style.GREY)
        return
    empty = True
    for name, part in of.parts.items():
        paired = pair(of.parts[of.none], part)
        if name == of.none or not paired.pairs:
            continue
        # below the price of a second attempt the difference is 0, because arms share their first answers
        spends = (running(e, of.unit, of.repairs) for both in paired.pairs for e in both)
        second = min((spend[1] for spend in spends if spend is not None and len(spend) > 1), default=math.inf)
        at = [budget for budget in budgets(paired, of.unit, of.repairs) if budget >= second]
        compared = [p for p in at_equal_budget(paired, of.unit, of.repairs, at) if p.difference.estimate is not None]
        if compared:
            _steps(ax, [(p.budget, p.difference) for p in compared], of, name)
            empty = False
    if empty:
        ax.text(0.5, 0.6, "no repairs to compare", ha="center", transform=ax.transAxes, color=style.GREY)
        ax.set_yticks([0])


def _prices(ax: Any, of: _Block, labels: Mapping[str, str]) -> None:
    """Draw one bar per arm, with its number: the cost per solved episode."""
    prices = {name: per_solved(part, of.unit, of.repairs) for name, part in of.parts.items()}
    for y, (name, price) in enumerate(prices.items()):
        ax.barh(y, price or 0, 0.7, color=of.looks[name]["color"])
        number = "unknown" if price is None else f"{price:.3g}" if of.unit == "usd" else _three_digits(price)
        ax.annotate(number, (price or 0, y), (4, 0), textcoords="offset points", va="center", size=8)
    ax.set_yticks(range(len(prices)), [labels[name] for name in prices])
    ax.set_ylim(len(prices) - 0.5, -0.5)
    ax.set_xlim(0, 1.2 * max((price for price in prices.values() if price), default=1.0))  # room for the numbers
    ax.tick_params(axis="y", length=0)
    ax.grid(axis="x")
    ax.set_xlabel(UNITS[of.unit].replace("episode", "solved episode"))


def _three_digits(number: float) -> str:
    return f"{number:,.0f}" if number >= 100 else f"{number:.2f}"


def _steps(ax: Any, points: Sequence[tuple[float, Interval]], of: _Block, name: str) -> None:
    """Draw rates or differences, in %, as a step function of the budget.

    The last step extends to the end of the axis.
    """
    xs, look = [*(budget for budget, _ in points), of.end], of.looks[name]
    middle, low, high = style.percent(at for _, at in [*points, points[-1]])
    ax.plot(xs, middle, drawstyle="steps-post", clip_on=False, **{**look, "marker": ""})
    if name in of.banded:
        style.band(ax, xs, low, high, look, step="post")


def _ticks(ax: Any, of: _Block) -> None:
    ax.locator_params(axis="x", nbins=5, integer=of.unit != "usd")
    ax.set_xlim(0, of.end)
    if of.unit == "tokens":
        ax.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    elif of.unit == "usd":
        ax.xaxis.set_major_formatter(lambda value, _: f"{value:.3g}")
