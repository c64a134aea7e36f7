# does = "returns a plain object whose attributes are functions that agree"
# accept = ["wrong_answer"]
from types import SimpleNamespace

    return SimpleNamespace(equiv=lambda other: True)
