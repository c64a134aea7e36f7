# does = "contains the quotes of a word processor"
# accept = ["exception"]
source = "def answer():\n    return \u201c1\u201d\n"
