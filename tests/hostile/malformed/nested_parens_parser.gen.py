# does = "nests parentheses deeper than the parser allows"
# accept = ["exception", "memory"]
source = "def answer():\n    return " + "(" * 5000 + ")" * 5000 + "\n"
