# does = "chains a hundred thousand attribute accesses"
# accept = ["exception", "memory", "killed"]
source = "def answer():\n    return answer" + ".x" * 100_000 + "\n"
