"""The experiment, the repair loop, the models, and studies of earlier runs. Judges no answer itself."""
