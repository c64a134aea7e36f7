# does = "allocates a hundred gigabytes at once"
# accept = ["memory"]
    return bytearray(10**11)
