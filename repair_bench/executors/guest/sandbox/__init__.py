"""The layers of the sandbox that confines a candidate."""
