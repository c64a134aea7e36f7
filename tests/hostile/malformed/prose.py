# does = "is prose, not code"
# accept = ["exception"]
Of course! Here is the function that prepares a Bell state:

I hope that it helps.
