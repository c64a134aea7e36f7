"""The repair loop, and the runner for many concurrent episodes."""
