"""The experiment, the repair loop, the models, and studies based on earlier runs. Does not judge answers."""
