# does = "loops without end"
# accept = ["cpu_timeout"]
    while True:
        pass
