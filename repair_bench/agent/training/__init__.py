"""What a model is trained with: examples made of recorded repairs, and the loop as an environment that rewards.

Training itself is not its business.
"""
