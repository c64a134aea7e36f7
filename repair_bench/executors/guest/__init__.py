"""The fork server and the child that executes one candidate. The driver is `repair_bench.executors.local`.

Requires Linux and Python 3.8 or newer, without packages: the interpreter of a framework starts this folder by path.
"""
