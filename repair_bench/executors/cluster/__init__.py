"""Execute candidates on the nodes of a Ray cluster (extra `repair-bench[cluster]`), with a `LocalExecutor` per node.

Ray is imported on first use.
"""
