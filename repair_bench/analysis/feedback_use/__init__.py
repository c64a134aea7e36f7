"""Feedback utilisation: the gain of a model from feedback, compared with an ideal observer."""
