"""The fork server and the child that executes one candidate. The driver is `repair_bench.executors.local`.

Requires Linux and Python 3.8 or newer, and no packages: the interpreter of a framework runs this folder by its path.
"""
