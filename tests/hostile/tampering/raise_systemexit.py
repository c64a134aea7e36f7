# does = "raises SystemExit by hand"
# accept = ["exception"]
# control = "exit"
    raise SystemExit
