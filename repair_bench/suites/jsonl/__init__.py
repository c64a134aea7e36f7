"""Custom tasks from a JSON Lines file. `README.md` in this folder documents the fields."""

from repair_bench.suites.jsonl.loader import facts_file, load

__all__ = ["facts_file", "load"]
