# accept = ["returned"]
# framework = "qiskit"
def answer():
    return VALUE

# /// ret_boolean
# does = "returns True"
# VALUE = "True"

# /// ret_bytes_
# does = "returns bytes"
# VALUE = "b'0.5'"

# /// ret_circuits
# does = "returns two circuits instead of one"
# VALUE = "[__import__('qiskit').QuantumCircuit(2)] * 2"

# /// ret_cls
# does = "returns a bare object"
# VALUE = "object()"

# /// ret_cplx
# does = "returns complex numbers of the wrong norm"
# VALUE = "[0.5 + 0j, 0, 0, 0.5j]"

# /// ret_deepnest
# does = "returns a list nested a hundred thousand deep"
# accept = ["returned", "exception", "killed", "memory"]
# VALUE = "__import__('functools').reduce(lambda inner, _: [inner], range(100_000), 0)"

# /// ret_dictint
# does = "returns a dict with keys of several kinds"
# VALUE = "{0: 0.5, 3: 0.5, (1, 2): 0}"

# /// ret_dictwidths
# does = "returns outcomes of different lengths"
# VALUE = "{'0': 500, '11': 500}"

# /// ret_ellipsis
# does = "returns the ellipsis that replaces omitted code"
# VALUE = "..."

# /// ret_exception
# does = "returns an exception, without raising it"
# VALUE = "ValueError('returned, not raised')"

# /// ret_file
# does = "returns an open file"
# VALUE = "open('left', 'w')"

# /// ret_gen
# does = "returns a generator"
# VALUE = "(p for p in [0.5, 0, 0, 0.5])"

# /// ret_hugeint
# does = "returns integers of a hundred thousand digits"
# VALUE = "[10**100_000, 0, 0, 0]"

# /// ret_hugekeys
# does = "returns counts under keys of a million bits"
# VALUE = "{'0' * 10**6: 500, '1' * 10**6: 500}"

# /// ret_inf
# does = "returns infinite probabilities"
# VALUE = "[float('inf'), 0, 0, 0]"

# /// ret_lambda_
# does = "returns a function"
# VALUE = "lambda: 1"

# /// ret_long
# does = "returns too many probabilities"
# VALUE = "[0.125] * 8"

# /// ret_module
# does = "returns a module"
# VALUE = "__import__('math')"

# /// ret_nan
# does = "returns a list of values that are not numbers"
# VALUE = "[float('nan')] * 4"

# /// ret_neg
# does = "returns probabilities below 0 and above 1"
# VALUE = "[1.5, -0.5, 0, 0]"

# /// ret_nested
# does = "returns a matrix that is neither a state nor a distribution of two bits"
# VALUE = "[[1.0, 0.0], [0.0, 1.0]]"

# /// ret_none
# does = "returns nothing"
# VALUE = "None"

# /// ret_notimplemented
# does = "returns NotImplemented"
# VALUE = "NotImplemented"

# /// ret_np0d
# does = "returns a numpy number"
# VALUE = "__import__('numpy').float64(0.5)"

# /// ret_nptext
# does = "returns an array of words"
# VALUE = "__import__('numpy').array(['a Bell', 'state'])"

# /// ret_objarr
# does = "returns an array of objects"
# VALUE = "__import__('numpy').array([0.5, None], dtype=object)"

# /// ret_ragged
# does = "returns rows of different lengths"
# VALUE = "[[0.5, 0.0], [0.0]]"

# /// ret_selfref
# does = "returns a list that holds itself"
# VALUE = "(lambda me: (me.append(me), me)[1])([])"

# /// ret_set_
# does = "returns a set"
# VALUE = "{0.5, 0.0}"

# /// ret_short
# does = "returns too few probabilities"
# VALUE = "[0.5, 0.5]"

# /// ret_string
# does = "returns text that lists probabilities"
# VALUE = "'0.5, 0, 0, 0.5'"

# /// ret_type
# does = "returns a class"
# VALUE = "dict"
