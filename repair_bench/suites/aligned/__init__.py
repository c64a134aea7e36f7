"""The built-in suite: 42 problems in three frameworks, with answers computed independently of every reference."""

from repair_bench.suites.aligned.loader import load

__all__ = ["load"]
