# does = "raises the exception of the test's assertions, so that its exception looks like a verdict"
# accept = ["exception", "wrong_answer"]
# control = false # it fails either way
    raise AssertionError("passed")
