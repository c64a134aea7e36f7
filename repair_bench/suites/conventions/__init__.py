"""Problems whose prompts omit conventions. The first answer is a guess; repairs depend on feedback."""

from repair_bench.suites.conventions.edition import recorded_name
from repair_bench.suites.conventions.loader import load

__all__ = ["load", "recorded_name"]
