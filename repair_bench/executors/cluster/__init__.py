"""Candidates on the nodes of a Ray cluster (extra `repair-bench[cluster]`); Ray is imported only when it is used.

The driver keeps the loop, the budget and the trace. On each node one actor (`node`) holds a `LocalExecutor`.
"""
