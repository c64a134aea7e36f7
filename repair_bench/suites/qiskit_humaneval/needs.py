"""Why a task of Qiskit HumanEval cannot be judged here: what it needs besides Qiskit."""

from __future__ import annotations

from collections.abc import Sequence

from repair_bench.suites import sources as python

ACCOUNT = "needs an IBM Quantum account and a network (QiskitRuntimeService)"
DOT = "needs to start the program dot of Graphviz, and candidates may not start programs"

NEVER = {
    **{f"qiskitHumanEval/{number}": ACCOUNT for number in (43, 97, 98, 129, 133, 134, 146)},
    "qiskitHumanEval/122": "needs an IBM Quantum account and a network (the transpiler service)",
    **{f"qiskitHumanEval/{number}": DOT for number in (29, 123)},
}
"""Tasks that cannot be judged wherever they are, by id."""

HIDDEN = {"qiskitHumanEval/3": ("pylatexenc",), "qiskitHumanEval/94": ("qiskit_qasm3_import",)}
"""Packages that Qiskit imports for a task, so that its sources do not name them."""


def unmet(task_id: str, *sources: str, path: Sequence[str] | None = None) -> str | None:
    """Why a task with these sources cannot be judged here; None when it can be."""
    if task_id in NEVER:
        return NEVER[task_id]
    reason = python.unmet(*sources, packages=HIDDEN.get(task_id, ()), path=path)
    if path is None and reason and reason.endswith("not installed"):
        reason += " (pip install 'repair-bench[qiskit-humaneval]')"
    return reason
