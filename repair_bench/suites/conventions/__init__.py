"""Problems whose prompts leave conventions open: no skill decides the first answer, and feedback decides the rest."""

from repair_bench.suites.conventions.edition import recorded_name
from repair_bench.suites.conventions.loader import load

__all__ = ["load", "recorded_name"]
