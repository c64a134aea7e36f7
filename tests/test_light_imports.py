import subprocess
import sys

HEAVY = ("matplotlib", "scipy", "pandas", "numpy", "qiskit", "pennylane", "cirq", "langgraph", "litellm")
LIGHT = (
    *(f"traces.{name}" for name in ("journal", "store", "rows", "schema")),
    *(f"analysis.{name}" for name in ("metrics", "statistics", "intervals", "taxonomy", "published", "notices")),
    *(f"analysis.{name}" for name in ("budget", "configurations", "costs", "curves")),
    *(f"analysis.{name}" for name in ("effects", "leaks", "pairs", "summary", "survival")),
    *(f"report.{name}" for name in ("table", "sections", "plots")),
)


def test_nothing_heavy_is_imported_until_a_plot_or_an_interval_is_asked_for():
    imports = "; ".join(f"import repair_bench.{name}" for name in LIGHT)
    script = f"import sys; {imports}; print([m for m in {HEAVY!r} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True, timeout=60)
    assert done.stdout.strip() == "[]"
