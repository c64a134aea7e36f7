"""Use of feedback by a model, compared with an ideal observer."""
