"""The built-in suite: 42 problems in three frameworks. The answers are computed independently of the references."""

from repair_bench.suites.aligned.loader import load

__all__ = ["load"]
