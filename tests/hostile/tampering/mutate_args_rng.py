# does = "fixes every random seed, so that a test with random inputs always draws the same"
# control = false # the naive tests draw nothing
import random

import numpy as np
from qiskit import QuantumCircuit

np.random.seed(0)
random.seed(0)
np.random.random = np.random.rand = lambda *args, **kwargs: 0.5
random.random = lambda: 0.5
