"""Circuit synthesis problems with hidden circuits of known cost; at the largest sizes, every tested solver fails."""

from repair_bench.suites.horizon.calibration import calibrate
from repair_bench.suites.horizon.edition import Edition
from repair_bench.suites.horizon.loader import load

__all__ = ["Edition", "calibrate", "load"]
