"""The repair loop, and what drives many episodes through it at once."""
