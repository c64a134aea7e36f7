"""Kills of the driver, a fork server or its process inside the namespaces, at any moment: no process survives."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from surroundings import WITHOUT_NAMESPACES

from repair_bench.executors.guest.sandbox.lockdown import LAYERS

SANDBOXES = {"all layers": LAYERS, "without namespaces": WITHOUT_NAMESPACES, "no layer": ()}
MOMENTS = 10


@pytest.mark.parametrize(
    ("victim", "sandbox"),
    [
        ("driver", "all layers"),
        ("driver", "without namespaces"),
        ("driver", "no layer"),
        ("server", "all layers"),
        ("server", "without namespaces"),
    ],
)
def test_no_process_survives_a_kill_at_any_moment(victim: str, sandbox: str, tmp_path: Path) -> None:
    moments = struck(victim, "python", MOMENTS, sandbox, tmp_path)
    assert [moment["left"] for moment in moments] == [[]] * MOMENTS
    assert sum(moment["in_flight"] > 0 for moment in moments) >= MOMENTS / 3, (
        moments
    )  # some kills came while candidates were running


@pytest.mark.parametrize("victim", ["driver", "server"])
def test_no_process_survives_a_kill_during_an_import(victim: str, tmp_path: Path) -> None:
    assert [moment["left"] for moment in struck(victim, "qiskit", 3, "all layers", tmp_path)] == [[]] * 3


def struck(victim: str, framework: str, moments: int, sandbox: str, folder: Path) -> list[dict[str, Any]]:
    """Kill, and return the survivors. `folder`: the place of the servers' directories, which may remain."""
    command = [sys.executable, "-B", Path(__file__).with_name("reaping.py"), victim, framework, str(moments)]
    done = subprocess.run(
        [*command, *SANDBOXES[sandbox]],
        env={**os.environ, "TMPDIR": str(folder)},
        stdout=subprocess.PIPE,
        text=True,
        timeout=1200,
        check=True,
    )
    return [json.loads(line) for line in done.stdout.splitlines()]
