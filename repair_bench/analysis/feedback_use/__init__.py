"""How much of its feedback a model uses, compared with an ideal observer."""
