"""docs/stability.md states the numbers and names of the code."""

import re

import pytest
from pages import PAGES

from repair_bench import plugins, prompts
from repair_bench.cli import options
from repair_bench.suites import aligned, conventions, horizon
from repair_bench.traces.record import records

PAGE = PAGES["docs/stability.md"]


def rows(first_heading: str) -> dict[str, str]:
    """Return the first two columns of a table, without backquotes."""
    _, _, table = PAGE.partition(f"| {first_heading} |")
    lines = table.partition("\n\n")[0].splitlines()[2:]
    return {cells[1].strip().strip("`"): cells[2].strip() for cells in (line.split("|") for line in lines)}


def test_exit_codes() -> None:
    codes = (options.DONE, options.FAULTS, options.USAGE, options.UNVERIFIABLE, options.INTERRUPTED)
    assert [int(code) for code in rows("code")] == sorted(codes)


def test_entry_point_groups_and_their_required_attributes() -> None:
    listed = {group: tuple(re.findall(r"`(.+?)`", attributes)) for group, attributes in rows("group").items()}
    assert listed == {f"repair_bench.{kind}": needed for kind, needed in plugins._NEEDED.items()}


@pytest.mark.slow
@pytest.mark.parametrize("suite", [aligned, conventions, horizon])
def test_suite_versions(suite) -> None:
    loaded = suite.load(frameworks=("qiskit",))
    assert rows("suite")[loaded.name] == loaded.version


def test_record_format_and_prompt_version() -> None:
    numbers = re.findall(r"(?:It|which) is currently (\d+)", PAGE)
    assert numbers == [str(records.SCHEMA), prompts.VERSION]
