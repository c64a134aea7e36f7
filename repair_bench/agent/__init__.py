"""Models taken through the repair loop: the experiment, the loop, the models, and studies made from earlier runs.

How an answer is judged is not its business.
"""
