"""Error classes of failed attempts, derived from the verdict's kind and evidence. The repair loop uses the coarse
classes. Each published taxonomy is a table of rules.
"""

from __future__ import annotations

from repair_bench.analysis.taxonomy.coarse import ERROR_CLASSES, PASS, error_class, error_type
from repair_bench.analysis.taxonomy.quanbench_plus import QUANBENCH_PLUS
from repair_bench.analysis.taxonomy.quantum_katas import QUANTUM_KATAS
from repair_bench.analysis.taxonomy.rules import Taxonomy

__all__ = ["ERROR_CLASSES", "PASS", "QUANBENCH_PLUS", "QUANTUM_KATAS", "Taxonomy", "error_class", "error_type"]
