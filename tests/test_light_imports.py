import subprocess
import sys

HEAVY = ("matplotlib", "scipy", "pandas", "numpy", "qiskit", "pennylane", "cirq", "langgraph", "litellm")
LIGHT = (
    *(f"traces.{name}" for name in ("files.journal", "run.store", "run.run_reader", "record.schema")),
    *(f"analysis.{name}" for name in ("taxonomy", "published", "summary", "runs.notices")),
    *(
        f"analysis.rates.{name}"
        for name in ("metrics", "statistics", "intervals", "curves", "survival", "horizon", "horizon_fit")
    ),
    *(f"analysis.comparing.{name}" for name in ("equal_budget", "costs", "effects", "pairs", "horizon_ratios")),
    *(f"report.{name}" for name in ("table", "sections", "plots")),
)


def test_heavy_packages_are_imported_only_on_use():
    imports = "; ".join(f"import repair_bench.{name}" for name in LIGHT)
    script = f"import sys; {imports}; print([m for m in {HEAVY!r} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True, timeout=60)
    assert done.stdout.strip() == "[]"
