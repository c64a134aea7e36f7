"""Circuit synthesis with hidden circuits of known cost. The size grows until every solver fails; repairs move this horizon."""

from repair_bench.suites.horizon.calibration import calibrate
from repair_bench.suites.horizon.edition import Edition
from repair_bench.suites.horizon.loader import load

__all__ = ["Edition", "calibrate", "load"]
