"""Distributions for property tests."""

import numpy as np
from hypothesis import strategies as st


@st.composite
def some_distributions(draw: st.DrawFn) -> dict[str, float]:
    """Draw a distribution over 1 to 4 bits, with some impossible outcomes."""
    bits = draw(st.integers(1, 4))
    weights = draw(st.lists(st.integers(0, 50), min_size=2**bits, max_size=2**bits).filter(any))
    return {format(i, f"0{bits}b"): w / sum(weights) for i, w in enumerate(weights) if w}


def perturbed(p: dict[str, float], distance: float, seed: int) -> dict[str, float]:
    """Return a distribution at about that total variation distance from `p`, and at least at half of it."""
    bits = len(next(iter(p)))
    outcomes = [format(i, f"0{bits}b") for i in range(2**bits)]
    old = np.array([p.get(x, 0.0) for x in outcomes])
    order = np.random.default_rng(seed).permutation(len(outcomes))
    receiver = min(order, key=lambda i: old[i])
    new = old * (1 - distance)
    new[receiver] += distance
    moved = abs(new - old).sum() / 2
    assert moved <= distance + 1e-12
    assert moved >= distance / 2 - 1e-12
    return {x: float(v) for x, v in zip(outcomes, new, strict=True) if v > 0}
