# does = "contains zero-width spaces"
# accept = ["exception"]
source = "def answer\u200b():\n    return\u00a01\n"
