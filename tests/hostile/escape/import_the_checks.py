# does = "imports the suites and asks for the expected answer of a task"
# accept = ["returned", "exception"]
# must_not = "privilege"
# limits = { memory_mb = 2048 }
import sys

    sys.path[:0] = target["roots"]
    from repair_bench.suites.aligned import loader

    answers = loader.load().tasks[0].check.cases[0].expected
    return "GAINED" if answers else "nothing"
