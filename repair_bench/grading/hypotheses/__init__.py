"""Measure how much feedback reveals about a task's hidden hypothesis. To judge answers and to write feedback, this
package uses the same code as the grading of runs.

No program is executed: outcomes come from recorded attempts, or are computed with numpy from the circuits that are
correct under a hypothesis. The check judges each outcome several times, each time as if a different hypothesis were
true.
"""
