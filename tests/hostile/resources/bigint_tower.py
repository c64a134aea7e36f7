# does = "computes an integer that has more digits than the universe has atoms"
# accept = ["cpu_timeout", "memory", "exception"]
    height = 9
    return height**height**height**height
