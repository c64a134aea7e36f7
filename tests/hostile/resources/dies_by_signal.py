# accept = ["killed", "exception"]
# control = false  # it deceives no grader; it must be recorded as its own end
import os
import signal


def answer(target):
    print("attacking", flush=True)
    signal.signal(signal.SIGNAL, signal.SIG_DFL)
    os.kill(os.getpid(), signal.SIGNAL)
    raise RuntimeError("still there")


# /// dies_by_sigalrm
# does = "sends itself an alarm without a handler"
# SIGNAL = "SIGALRM"

# /// dies_by_sigsys
# does = "sends itself the signal of a forbidden system call"
# SIGNAL = "SIGSYS"

# /// dies_by_sigterm
# does = "sends itself the signal to end"
# SIGNAL = "SIGTERM"

# /// dies_by_sigxcpu
# does = "sends itself the signal of a CPU limit that it did not reach"
# SIGNAL = "SIGXCPU"

# /// dies_by_sigxfsz
# does = "sends itself the signal of a file size that it did not reach"
# SIGNAL = "SIGXFSZ"
