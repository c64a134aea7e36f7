"""The experiment, the repair loop, the models, and studies made from earlier runs. Judges no answer itself."""
