"""The fork server and the child that executes one candidate. The driver is `repair_bench.executors.local`.

The code in this folder requires Linux and Python 3.8 or later, but no packages. The framework's interpreter runs the
folder directly from its path.
"""
