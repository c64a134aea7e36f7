import subprocess
import sys

HEAVY = ("matplotlib", "scipy", "pandas", "numpy", "qiskit", "pennylane", "cirq", "langgraph", "litellm")
ANALYSES = (
    "answers",
    "budget",
    "configurations",
    "curves",
    "difficulty",
    "diversity",
    "effects",
    "pairs",
    "repairs",
    "spending",
)
LIGHT = (
    *("journal", "store", "metrics", "statistics", "intervals", "taxonomy", "published", "tables", "notices", "plots"),
    *(f"analysis.{name}" for name in (*ANALYSES, "survival", "transitions")),
)


def test_nothing_heavy_is_imported_until_a_plot_or_an_interval_is_asked_for():
    imports = "; ".join(f"import repair_bench.traces.{name}" for name in LIGHT)
    script = f"import sys; {imports}; print([m for m in {HEAVY!r} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True, timeout=60)
    assert done.stdout.strip() == "[]"
