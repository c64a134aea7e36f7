"""What the traces tell of repair: one question a module, answered from episodes.

As in `repair_bench.traces.metrics`, an episode is counted when it ended by itself; one with a fault is in no figure.
"""
