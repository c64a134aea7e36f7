import itertools

import numpy as np


def expected(clauses):
    def satisfied(assignment):
        return all(any(assignment[abs(i) - 1] == (i > 0) for i in clause) for clause in clauses)

    uniform = np.full(8, 1 / np.sqrt(8))
    signs = np.array([-1 if satisfied(bits) else 1 for bits in itertools.product([0, 1], repeat=3)])
    marked = signs * uniform
    return 2 * uniform * (uniform @ marked) - marked
