"""Verify a record: recompute everything that follows from other parts of the record, and compare the results with the
record.

| module | compares |
| --- | --- |
| `settings` | the manifest and `study.lock` with those derived from the settings; also plans the episodes |
| `episodes` | each attempt with the attempt that the loop derives from the previous attempts |
| `verify` | the decisions of adaptive stopping with those that follow from the attempts |
| `saved` | completions with the copies saved on arrival, and costs with the stated prices |
| `execution` | the recorded verdicts on sampled answers with the verdicts of a new execution |

Invented answers, durations or costs cannot be detected; a signature shows who is responsible for the record.
"""

from repair_bench.agent.studies.verifying.findings import RESULTS, Discrepancy, Result, VerificationReport
from repair_bench.agent.studies.verifying.verify import Source, verify

__all__ = ["RESULTS", "Discrepancy", "Result", "Source", "VerificationReport", "verify"]
