"""Control characters of a dataset or a provider never reach a terminal."""

import json
import sys
from pathlib import Path

import pytest

from repair_bench import cli
from repair_bench.cli import main
from repair_bench.traces.faults import ModelError, UsageError

ESCAPE = "\x1b[2J\x1b]0;owned\x07"


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    row = {
        "task_id": "T/1",
        "title": f"A title {ESCAPE}",
        "prompt": f"Write it. {ESCAPE}",
        "entry_point": "f",
        "reference": "def f():\n    return 1\n",
        "framework": "qiskit",
        "check": {"kind": "unit_test", "test": "def test_f():\n    assert f() == 1\n"},
        "category": f"c{ESCAPE}",
    }
    path = tmp_path / "odd.jsonl"
    path.write_text(json.dumps(row) + "\n")
    return path


@pytest.mark.parametrize("more", [[], ["T/1"], ["--errata"]])
def test_suite_texts_are_printed_without_control_characters(suite, more, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["repair-bench", "suites", "show", "jsonl", *more, "--data", str(suite)])
    with pytest.raises(SystemExit) as left:
        main()
    printed = capsys.readouterr()
    assert left.value.code == 0, printed.err
    assert "\x1b" not in printed.out + printed.err
    assert "\x07" not in printed.out + printed.err


@pytest.mark.parametrize("error", [UsageError(f"refused {ESCAPE}"), ModelError(f"no answer {ESCAPE}")])
def test_errors_are_printed_without_control_characters(error, monkeypatch, capsys):
    def fail() -> None:
        raise error

    monkeypatch.setattr(cli, "app", fail)
    with pytest.raises(SystemExit):
        main()
    assert "\x1b" not in capsys.readouterr().err
