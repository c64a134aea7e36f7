# does = "keeps allocating blocks of a hundred megabytes"
# accept = ["memory"]
# must_not = "memory"
# control = "roomy"
    kept = []
    while True:
        kept.append(bytearray(10**8))
