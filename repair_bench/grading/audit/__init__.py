"""Certifying a grader: what it lets pass that ought to fail, and what it rejects that ought to pass."""

from repair_bench.grading.audit.auditor import audit, audit_suite
from repair_bench.grading.audit.certificate import Certificate, Settings, TaskAudit

__all__ = ["Certificate", "Settings", "TaskAudit", "audit", "audit_suite"]
