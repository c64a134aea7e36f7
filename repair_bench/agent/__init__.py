"""The repair loop, the runner that drives many episodes through it, and the model clients."""
