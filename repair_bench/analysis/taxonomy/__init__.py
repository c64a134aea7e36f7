"""Names for what went wrong in an attempt, derived from its verdict's kind and evidence and from nothing else.

The coarse classes are what the loop acts on. The published taxonomies stand beside them, one table of rules each.
A limit is a class of its own in all of them; a fault has no verdict, and so no name.
"""

from __future__ import annotations

from repair_bench.analysis.taxonomy.coarse import ERROR_CLASSES, PASS, error_class, error_type
from repair_bench.analysis.taxonomy.quanbench_plus import QUANBENCH_PLUS
from repair_bench.analysis.taxonomy.quantum_katas import QUANTUM_KATAS
from repair_bench.analysis.taxonomy.rules import Taxonomy

__all__ = ["ERROR_CLASSES", "PASS", "QUANBENCH_PLUS", "QUANTUM_KATAS", "Taxonomy", "error_class", "error_type"]
