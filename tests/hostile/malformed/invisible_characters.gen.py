# does = "has zero-width spaces in its code"
# accept = ["exception"]
source = "def answer\u200b():\n    return\u00a01\n"
