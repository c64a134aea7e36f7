# does = "loops without end and swallows every exception that could stop it"
# accept = ["cpu_timeout"]
    while True:
        try:
            while True:
                pass
        except BaseException:
            continue
