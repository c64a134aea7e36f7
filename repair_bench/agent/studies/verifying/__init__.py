"""Verify a record: recompute everything that follows from other parts of the record, and compare the results with the
record.

| module | checks that |
| --- | --- |
| `settings` | the manifest and `study.lock` match the settings (`settings` also plans the episodes) |
| `episodes` | each attempt follows from the previous attempts |
| `verify` | the decisions of adaptive stopping follow from the attempts |
| `saved` | completions match the copies saved on arrival, and costs match the stated prices |
| `execution` | randomly selected answers receive the recorded verdicts when they are executed again |

Invented answers, durations or costs cannot be detected; a signature shows who is responsible for the record.
"""

from repair_bench.agent.studies.verifying.findings import RESULTS, Discrepancy, Result, VerificationReport
from repair_bench.agent.studies.verifying.verify import Source, verify

__all__ = ["RESULTS", "Discrepancy", "Result", "Source", "VerificationReport", "verify"]
