from qiskit import QuantumCircuit

print("attacking", flush=True)


def FUNCTION(ARGUMENT):
    return RESULT

# /// hide_abs
# does = "gives its module an `abs` that always returns 0 and hides the built-in one"
# FUNCTION = "abs"
# ARGUMENT = "value"
# RESULT = "0"

# /// hide_all
# does = "gives its module an `all` that hides the built-in one from a test that runs in a copy of it"
# FUNCTION = "all"
# ARGUMENT = "values"
# RESULT = "True"

# /// hide_zip
# does = "gives its module a `zip` without pairs that hides the built-in one"
# FUNCTION = "zip"
# ARGUMENT = "*values"
# RESULT = "iter(())"
