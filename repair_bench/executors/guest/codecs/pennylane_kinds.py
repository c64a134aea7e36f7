"""Convert PennyLane's arrays. Operations, tapes and QNodes contain functions and cannot be converted."""

from __future__ import annotations

from typing import Dict

import numpy as np
from pennylane import numpy as pnp

from ..kinds import Kind


def exact() -> Dict[type, Kind]:
    tensor = Kind(
        "tensor",
        lambda value: [np.array(value.unwrap()), bool(value.requires_grad)],
        lambda parts: pnp.tensor(parts[0], requires_grad=parts[1]),
    )
    return {pnp.tensor: tensor}
