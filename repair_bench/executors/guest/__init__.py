"""The fork server and the child that executes one candidate. The driver's half is `repair_bench.executors.local`.

Standard library only, Python 3.8 or newer, Linux: it is started by path with the interpreter of a framework, which need
not have repair-bench installed.
"""
