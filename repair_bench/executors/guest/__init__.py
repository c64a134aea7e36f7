"""The fork server and the child that executes one candidate. The driver is `repair_bench.executors.local`.

The code in this folder requires Linux and Python 3.8 or later, but no packages. To start the fork server, the
interpreter of the framework is called with the path of this folder.
"""
