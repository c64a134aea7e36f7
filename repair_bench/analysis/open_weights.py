"""Whether a model's weights are open: a table of name patterns. A name that fits none is unknown, and stays so."""

from __future__ import annotations

import re
from typing import Literal

Tier = Literal["frontier", "open", "unknown"]

_OPEN = (
    r"gpt-oss|llama|qwen|qwq|deepseek|gemma|mistral-(7b|nemo|small)|mixtral|ministral|codestral|devstral|kimi|glm-\d|"
    r"minimax|phi-?\d|granite|starcoder|olmo|nemotron|falcon|codellama|yi-\d|command-r"
)
_FRONTIER = r"gpt-\d|chatgpt|\bo[134]\b|claude|gemini|grok|nova-(pro|lite|micro|premier)|mistral-(large|medium)|codex"
_CLOSED_OF_OPEN = r"qwen[\w.]*-max"
"""Models of an open family that are only sold as a service."""


def tier(model: str) -> Tier:
    """The tier by name, in QuantumKatas' two groups: "frontier" is proprietary, "open" has published weights.

    "unknown" for simulated models and for every name that no pattern fits.
    """
    name = model.lower()
    if name.startswith("sim/"):
        return "unknown"
    if re.search(_CLOSED_OF_OPEN, name):
        return "frontier"
    if re.search(_OPEN, name):
        return "open"
    return "frontier" if re.search(_FRONTIER, name) else "unknown"
