# does = "has form feeds and vertical tabs between its lines"
# accept = ["returned", "exception"]
source = "\fdef answer():\n\f    return 1\n\v\n"
