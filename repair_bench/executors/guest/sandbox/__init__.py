"""The layers that confine a candidate."""
