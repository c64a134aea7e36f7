# does = "returns outside of a function"
# accept = ["exception"]
return 1
