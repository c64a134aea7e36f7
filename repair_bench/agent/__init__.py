"""Models taken through the repair loop: the experiment, the loop, the models, and studies made from earlier runs."""
