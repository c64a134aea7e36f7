"""Adapters, one per framework, that derive the exact result from the value that a candidate returns.

An adapter runs inside the candidate's process, in the framework's interpreter (Python 3.8 or later). The adapter
imports only the standard library, NumPy and its framework. An adapter has

- `PRELOAD`: the modules that the framework's fork server imports once. `EXTRA_PRELOAD` (optional): modules that a
  second fork server imports, only for programs that use these modules (`repair_bench/executors/program.py`).
- `observe(call, form, qubits)`: calls the candidate and returns an observation (`repair_bench/executors/program.py`).
  `form`: "distribution", "state" or "unitary"; `qubits`: the size of the state or the unitary, or None for the
  circuit's size. Exceptions of the candidate are re-raised unchanged.
- For programs in a language other than Python, `load(source)` returns the object that `call` calls, and `RAISES` lists
  the exceptions for invalid programs.
- An optional example, `<framework>_example.py`, which the framework's fork server runs to warm up.

If another package adds a framework, a folder of that package contains the adapter, `<framework>_adapter.py`. This
adapter imports shared modules with the same relative imports as the built-in adapters (`from .exact import ...`).

The adapters share four modules. `exact` simulates circuits, `observed` converts the result of a simulation to an
observation, `forms` defines the observations, and `plain` reads arrays, counts and samples of any framework.
"""
