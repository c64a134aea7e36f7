"""QuanBench+ as published: 42 problems in three frameworks, from the official files, judged without shot noise."""

from repair_bench.suites.quanbench_plus.loader import load
from repair_bench.suites.quanbench_plus.reference import resolve

__all__ = ["load", "resolve"]
