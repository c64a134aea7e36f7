"""Tasks of your own, from a JSON Lines file. `README.md` beside this file documents its fields."""

from repair_bench.suites.jsonl.loader import facts_file, load

__all__ = ["facts_file", "load"]
