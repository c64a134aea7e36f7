"""What tasks of Qiskit HumanEval need besides Qiskit, and why a task cannot be judged where it is missing."""

from __future__ import annotations

from repair_bench.suites.sources import not_installed


def unmet(task_id: str, *sources: str) -> str | None:
    """Why the task cannot be judged here; None when all that it needs is there."""
    missing = not_installed(*sources)
    return f"needs {missing}" if missing else None
