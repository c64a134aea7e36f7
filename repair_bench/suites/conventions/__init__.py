"""Problems whose prompts omit conventions. The first answer is a guess; repairs depend on feedback."""

from repair_bench.suites.conventions.edition import Edition
from repair_bench.suites.conventions.loader import load

__all__ = ["Edition", "load"]
