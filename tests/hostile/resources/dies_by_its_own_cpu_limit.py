# does = "lowers its CPU limit to a second and burns it, so that the kernel stops it early"
# accept = ["killed", "cpu_timeout", "exception"]
# control = false  # it deceives no grader; it must be recorded as its own end
# limits = { cpu_seconds = 20 }
import resource

    resource.setrlimit(resource.RLIMIT_CPU, (1, 1))
    while True:
        pass
