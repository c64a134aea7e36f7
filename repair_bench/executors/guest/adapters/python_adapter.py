"""An adapter for plain Python, which reports the returned value as text."""

from __future__ import annotations

from typing import Any, Callable, Dict, Optional, Tuple

from ..text import printed

PRELOAD: Tuple[str, ...] = ()


def observe(call: Callable[[], Any], form: str, qubits: Optional[int]) -> Dict[str, Any]:
    value = call()
    return {
        "kind": "other",
        "type": type(value).__name__,
        "repr": printed(value, 1 << 20),
        "problem": "plain Python has no circuits, so a %s%s cannot be read"
        % (form, "" if qubits is None else " over %d qubits" % qubits),
    }
