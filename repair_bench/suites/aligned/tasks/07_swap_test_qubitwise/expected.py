import itertools

import numpy as np


def expected(first, second):
    # an ancilla gives 1 with probability (1 - |<a|b>|^2) / 2, and RY(a)|0>, RY(b)|0> overlap by cos((a - b) / 2)
    one = [np.sin((a - b) / 2) ** 2 / 2 for a, b in zip(first, second, strict=True)]
    return {
        "".join(bits): np.prod([p if bit == "1" else 1 - p for bit, p in zip(bits, one, strict=True)])
        for bits in itertools.product("01", repeat=3)
    }
