"""Candidates on the nodes of a Ray cluster (extra `repair-bench[cluster]`); imported only when it is asked for.

The driver keeps the loop, the budget and the trace. On each node one actor (`node`) holds a `LocalExecutor`, sized by
the cores that Ray counts there. `members` knows the nodes, `seats` chooses among them, `executor` hands programs out
and runs those of a lost node again on another.
"""
