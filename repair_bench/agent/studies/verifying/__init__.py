"""Verification of a record: everything that can be derived from other parts of the record is recomputed and compared.

| module | compares |
| --- | --- |
| `settings` | the manifest and `study.lock` with those that follow from their settings; plans the episodes |
| `episodes` | each attempt with the one that the loop makes from the attempts before it |
| `verify` | the decisions of a run that stops by value with those that its attempts lead to |
| `saved` | completions with those saved as they arrived, and costs with the stated prices |
| `execution` | the verdicts of sampled answers with those of executing them again |

Invented answers, durations or costs cannot be detected; a signature shows who is responsible for the record.
"""

from repair_bench.agent.studies.verifying.findings import RESULTS, Discrepancy, Result, VerificationReport
from repair_bench.agent.studies.verifying.verify import Source, verify

__all__ = ["RESULTS", "Discrepancy", "Result", "Source", "VerificationReport", "verify"]
