# does = "kills itself, which some callers of waitpid read as status 0"
# accept = ["exception", "wrong_answer"] # process 1 of its namespace is not killed by itself
# control = false # no published grader is fooled by it
import os
import signal

    os.kill(os.getpid(), signal.SIGKILL)
