"""The calibration of `horizon`."""

import json
from pathlib import Path
from typing import Any

import pytest
from commands import called, exit_code

from repair_bench.suites.horizon.calibration import is_monotone


@pytest.mark.slow
def test_the_command_prints_and_writes_the_costs(tmp_path: Path) -> None:
    name = "horizon?families=parity&sizes=4,5&instances=1&seconds=0.2"
    printed = called("suites", "calibrate", name, "--out", tmp_path, "--workers", "1")
    assert "parity  4" in printed
    assert "the share of instances solved does not rise with the size; the circuits of the strong solver are" in printed
    figures = json.loads((tmp_path / "calibration.json").read_text())
    assert figures["monotone"] == {"parity": True}
    for row in figures["rows"]:
        assert row["n"] == 2
        assert 1 <= row["strong"] <= row["tool"] <= row["naive"]
        assert row["strong_solved"] == 1
    assert [one["planted"] for one in figures["instances"]] == [6, 6, 8, 8]
    printed = json.loads(called("suites", "calibrate", name.replace("4,5", "4"), "--json"))
    assert [row["size"] for row in printed["rows"]] == [4]
    assert "instances" not in printed
    assert [path.name for path in tmp_path.iterdir()] == ["calibration.json"]


@pytest.mark.parametrize("option", [("--data", "."), ("--python", "qiskit=python"), ("--require-sandbox", "none")])
def test_options_without_effect_are_refused(option: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    assert exit_code("suites", "calibrate", "horizon", *option) == 2
    assert "remove --data, --python and --require-sandbox" in capsys.readouterr().err


@pytest.mark.parametrize(("shares", "expected"), [([1.0, 0.8, 0.0], True), ([0.5, 0.55], True), ([0.1, 0.9], False)])
def test_a_share_that_rises_with_the_size_is_reported(shares: list[float], *, expected: bool) -> None:
    rows: list[dict[str, Any]] = [
        {"n": 20, "naive_solved": 0.0, "tool_solved": 0.0, "strong_solved": share} for share in shares
    ]
    assert is_monotone(rows) is expected
