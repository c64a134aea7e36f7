# does = "asks for an attribute of an attribute a hundred thousand times over"
# accept = ["exception", "memory", "killed"]
source = "def answer():\n    return answer" + ".x" * 100_000 + "\n"
