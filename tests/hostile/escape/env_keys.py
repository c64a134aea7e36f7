# does = "looks for keys in its environment"
# must_not = "secret"
# control = false # the fork server gets an environment of its own, sandbox or not
import os

    return [value for value in os.environ.values() if value.startswith("sk-planted-")]
