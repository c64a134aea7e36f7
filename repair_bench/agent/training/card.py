"""The data card of training examples: their layout, their origin and the omitted episodes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from repair_bench.suites.fetch import SOURCES
from repair_bench.traces.record.printable import printable

_LAYOUTS = {
    "sft": "`prompt`: the conversation up to the last feedback, with the answers that failed; `completion`: the answer "
    "that passed. Trainers learn the completion alone.",
    "dpo": "`prompt`: what the model was asked; `rejected`: the code of its first answer, which failed; `chosen`: the "
    "code that passed after feedback.",
}
_FIELDS = (
    "`source` says where an example comes from: run, suite and its version, task, framework, model, condition, and the "
    "ids of the attempts. `canary` marks it."
)
_WARNING = (
    "The tasks are those of benchmarks. Report no results on these suites for a model that was trained on this, and "
    "keep it out of other corpora by the GUID above. It holds prompts and answers; no text of a test was found in it."
)


class Origin(NamedTuple):
    """The common origin of some examples."""

    suite: str
    suite_version: str
    model: str
    simulated: bool


def card(layout: str, data: str, canary: str, origins: Mapping[Origin, int], left_out: Mapping[str, int]) -> str:
    """Return the README for the examples in the file `data`: Markdown with the header that `datasets` reads.

    `origins`: the number of examples per origin. `left_out`: the number of omitted episodes per reason.
    """
    total, simulated = sum(origins.values()), sum(n for origin, n in origins.items() if origin.simulated)
    lines = [
        "---",
        "configs:",
        "- config_name: default",
        f"  data_files: {data}",
        "task_categories: [text-generation]",
        "tags: [code, quantum-computing, self-repair, benchmark-derived]",
        "---",
        "",
        f"# {total:,} repairs of quantum programs ({layout})",
        "",
        f"Made by `repair-bench export --format {layout}`: each example failed first and passed after feedback.",
        "",
        f"{_LAYOUTS[layout]} {_FIELDS}",
        "",
        f"> {canary}",
        "",
        _WARNING,
        "",
        "| suite | version | licence of its tasks | model | examples |",
        "| --- | --- | --- | --- | --- |",
    ]
    for origin, number in sorted(origins.items()):
        source = SOURCES.get(origin.suite)
        licence = source.licence if source is not None else "see the suite"
        model = f"{origin.model} (simulated)" if origin.simulated else origin.model
        lines.append(f"| {origin.suite} | {origin.suite_version} | {licence} | {model} | {number:,} |")
    if simulated:
        lines += ["", f"SIMULATED: {simulated:,} of {total:,} examples are of simulated models, which no model wrote."]
    if left_out:
        lines += ["", "Left out, in episodes:", "", *(f"- {number:,}: {why}" for why, number in left_out.items())]
    return "".join(f"{printable(line)}\n" for line in lines)
