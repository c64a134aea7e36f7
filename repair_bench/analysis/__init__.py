"""Questions asked of traces, one a module, answered in numbers. How an answer looks is the business of `report`.

As in `repair_bench.analysis.rates.metrics`, an episode is counted when it ended by itself; one with a fault is in no
figure.
"""
