# does = "doubles a string until it does not fit"
# accept = ["memory"]
# must_not = "memory"
# control = "roomy"
    text = "qubit"
    while True:
        text += text
