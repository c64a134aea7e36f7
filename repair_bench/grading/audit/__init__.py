"""Audit a grader: find incorrect programs that it accepts, and correct programs that it rejects."""

from repair_bench.grading.audit.auditor import audit
from repair_bench.grading.audit.certificate import Certificate, Settings, TaskAudit

__all__ = ["Certificate", "Settings", "TaskAudit", "audit"]
