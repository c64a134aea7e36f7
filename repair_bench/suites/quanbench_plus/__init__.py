"""QuanBench+ as published: 42 problems in three frameworks, from its official files, judged without its luck."""

from repair_bench.suites.quanbench_plus.loader import load
from repair_bench.suites.quanbench_plus.reference import resolve

__all__ = ["load", "resolve"]
