# does = "raises what the test's own assertions raise, so that its exception looks like a verdict"
# accept = ["exception", "wrong_answer"]
# control = false # it fails either way
    raise AssertionError("passed")
