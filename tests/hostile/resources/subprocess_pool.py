# does = "asks for a pool of fifty worker processes"
# accept = ["exception", "returned"]
# must_not = "process"
# control = "plain"
import multiprocessing

    context = multiprocessing.get_context("fork")
    with context.Pool(min(50, target["most"])) as pool:
        return pool.map(abs, range(10_000))
