"""Reading what a candidate returned, exactly, one adapter a framework.

What is here runs inside the candidate's process, on the framework's own interpreter (Python 3.8 or later), and imports
nothing but the standard library, numpy and that framework. An adapter has

- `PRELOAD`: the modules its fork server imports once; `EXTRA_PRELOAD`, if it has that: those of a second server, for
  the programs that name them (`repair_bench/executors/program.py`);
- `observe(call, what, qubits)`: calls the candidate and returns one of the observations described in
  `repair_bench/executors/program.py`. What the candidate raises is passed on;
- if its programs are no Python: `load(source)`, which makes of a text what `call` calls, and `RAISES`, the exceptions
  by which it says that a program is wrong;
- an example beside it, `<framework>_example.py`, if its fork server is to rehearse one (`../rehearsal.py`).

The adapter of a framework from another package, `<framework>_adapter.py`, stands in a folder of its own, and imports
from here as if it stood here (`from .exact import ...`).

The pieces they share: `exact` (the arithmetic: branches over classical memories), `observed` (from branches to
observations), `forms` (the observations) and `plain` (arrays, counts and samples, alike in every framework).
"""
