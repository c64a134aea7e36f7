"""Problems whose prompts leave conventions open, so that repair is what feedback tells and no skill saturates it."""

from repair_bench.suites.conventions.loader import load

__all__ = ["load"]
