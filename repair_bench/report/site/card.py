"""The data card of a site (`README.md`, in the format of dataset hubs), its `eval.yaml` and its `CITATION.cff`."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence

from repair_bench._version import __version__
from repair_bench.report.site.layout import RECORD, RUNS
from repair_bench.report.site.run import PublishedRun
from repair_bench.text import count
from repair_bench.traces.files.checksums import SUMS
from repair_bench.traces.record.declaration import descriptions, fields_of
from repair_bench.traces.record.printable import encodable, printable
from repair_bench.traces.record.records import Attempt

UNKNOWN = "unknown"
MAKER = f"repair-bench {__version__}"
DEFAULT_AUTHOR = "The authors of these runs"
ABOUT = (
    "Attempts by language models at quantum programming tasks, with self-repair after failures. `index.html` shows the "
    "results, and each run has a separate page:"
)
SCORE = (
    "Solve rate in percent within k repair rounds (FB@k) on quantum programming tasks. The notes of a result state k, "
    "the feedback and the framework."
)
LICENCE = "The records contain task prompts and expected results, which are subject to the licences of their suites:"
CHECK = (
    f"`sha256sum --check {SUMS}` verifies the checksums of the files. `repair-bench verify` checks the records, "
    "re-grades a sample of the answers, and compares the pages with pages rebuilt from the records."
)
_MARKUP = re.compile(r"[\\`*_{}\[\]<>#|~&!$@]|(?<=\w):(?=/)|(?<=www)\.")
"""Characters that can start Markdown or HTML markup, or turn a URL or a mention into a link."""


def card(runs: Sequence[PublishedRun], licences: Mapping[str, str], canary: str) -> str:
    """Return the data card. `licences`: the licence of each suite's tasks. `canary`: a line that marks test data."""
    suites = sorted({suite for run in runs for suite in run.suites})
    stated = {suite: licences.get(suite.partition("?")[0], UNKNOWN) for suite in suites}
    attempts = sum(run.attempts for run in runs)
    configs = [
        f"- config_name: {json.dumps(run.folder)}\n  data_files: {json.dumps(f'{RUNS}/{run.folder}/{RECORD}')}"
        for run in runs
    ]
    header = [
        f"pretty_name: {json.dumps(_title(runs))}",
        f"license: {json.dumps(sorted({licence.lower() for licence in stated.values()}))}",
        'language: ["en"]',
        'tags: ["code", "quantum", "benchmark", "self-repair"]',
        f"size_categories: {json.dumps([_size(attempts)])}",
        "configs:",
        *configs,
    ]
    words = [
        f"# {_plain(_title(runs))}",
        f"{ABOUT} {count(attempts, 'attempt')} in {count(len(runs), 'run')}, recorded by {MAKER}.",
        "## Runs",
        "\n".join(_run(run) for run in runs),
        "## Licence",
        LICENCE,
        "\n".join(f"- {_code(suite)}: {_plain(licence)}" for suite, licence in stated.items()),
        "Model output is subject to the terms of the providers.",
        "## Use",
        "Do not train models on this data, except to study the effects of such training.",
        canary,
        "## Check",
        CHECK,
        "## Fields",
        "Each row is an attempt. Nested records are structs; values of arbitrary shape are stored as JSON text.",
        "\n".join(_fields(Attempt)),
    ]
    return "---\n{}\n---\n\n{}\n".format("\n".join(header), "\n\n".join(words))


def benchmark(runs: Sequence[PublishedRun]) -> str:
    """Return `eval.yaml`, which registers the dataset as a benchmark of the Hugging Face Hub, with one task per suite.

    The fields are those of https://huggingface.co/docs/hub/eval-results. `evaluation_framework` is omitted, because the
    hub accepts only the frameworks on its own list.
    """
    lines = [f"name: {json.dumps(_title(runs))}", f"description: {json.dumps(SCORE)}", "tasks:"]
    for suite in sorted({suite for run in runs for suite in run.suites}):
        config = next(run.folder for run in runs if suite in run.suites)
        name = re.sub(r"[^\w.-]+", "-", suite)
        lines += [f"- id: {json.dumps(name)}", f"  config: {json.dumps(config)}", "  split: train"]
    return "\n".join([*lines, ""])


def citation(runs: Sequence[PublishedRun], authors: Sequence[str]) -> str:
    """Return the citation of the site in the Citation File Format."""
    dates = sorted(run.started[:10] for run in runs if re.match(r"\d{4}-\d{2}-\d{2}", run.started, re.ASCII))
    lines = [
        "cff-version: 1.2.0",
        "message: If you use these runs, please cite them as below.",
        "type: dataset",
        f"title: {json.dumps(_title(runs))}",
        "authors:",
        *(f"- name: {json.dumps(author)}" for author in authors or [DEFAULT_AUTHOR]),
        *([f"date-released: {dates[-1]}"] if dates else []),
        f"abstract: Recorded by {MAKER}.",
    ]
    return "\n".join([*lines, ""])


def _code(text: str) -> str:
    line = _line(text)
    fence = "`" * (1 + max((len(run) for run in re.findall("`+", line)), default=0))
    space = " " if line.startswith("`") or line.endswith("`") or not line.strip() else ""
    return f"{fence}{space}{line}{space}{fence}"


def _plain(text: str) -> str:
    """Return a sentence on one line, with all Markdown characters escaped."""
    return _MARKUP.sub(lambda found: "\\" + found[0], _line(text))


def _line(text: str) -> str:
    return printable(encodable(" ".join(text.split())))


def _title(runs: Sequence[PublishedRun]) -> str:
    suites = sorted({suite for run in runs for suite in run.suites})
    return f"Self-repair of quantum programs: {', '.join(suites) or 'no attempt yet'}"


def _run(run: PublishedRun) -> str:
    named = ((_code(model), simulated) for model, simulated in run.models.items())
    models = ", ".join(f"{model} (simulated)" if simulated else model for model, simulated in named)
    notices = "".join(f"\n  - {_plain(notice)}" for notice in run.notices)
    how_many = f"{count(run.attempts, 'attempt')}, {count(run.episodes, 'episode')}"
    return f"- {_code(run.folder)}: {how_many}; {models or 'no model yet'}{notices}"


def _fields(record: type, prefix: str = "") -> list[str]:
    described, listed = descriptions(record), []
    for field in fields_of(record):
        listed.append(f"- `{prefix}{field.name}`: {described[field.name]}")
        if field.record:
            listed += _fields(field.kind, f"{prefix}{field.name}.")
    return listed


def _size(attempts: int) -> str:
    steps = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))
    return next((words for limit, words in steps if attempts < limit), "1M<n<10M")
