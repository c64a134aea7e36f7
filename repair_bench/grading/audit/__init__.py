"""Certify a grader: find wrong programs that it accepts, and right ones that it rejects."""

from repair_bench.grading.audit.auditor import audit
from repair_bench.grading.audit.certificate import Certificate, Settings, TaskAudit

__all__ = ["Certificate", "Settings", "TaskAudit", "audit"]
