# does = "raises SystemExit directly"
# accept = ["exception"]
# control = "exit"
    raise SystemExit
