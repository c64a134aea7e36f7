"""Certifying a grader: what it lets pass that ought to fail, and what it rejects that ought to pass."""

from repair_bench.suites.audit.auditor import audit
from repair_bench.suites.audit.certificate import Certificate, TaskAudit
from repair_bench.suites.audit.settings import Settings

__all__ = ["Certificate", "Settings", "TaskAudit", "audit"]
