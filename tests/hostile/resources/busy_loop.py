# does = "loops without end"
# accept = ["cpu_timeout"]
# quick = true
    while True:
        pass
