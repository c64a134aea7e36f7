"""What runs on the far side: the fork server and the child that executes one candidate.

Standard library alone, Python 3.8 or newer, Linux. It is started by path with the interpreter of a framework, which
need not have repair-bench installed, as `PYTHON -s -B <this folder> FD`. The driver's half is
`repair_bench.executors.local`.
"""
