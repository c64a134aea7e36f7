# does = "writes two hundred thousand signs before a number"
# accept = ["exception", "memory", "killed"]
source = "number = " + "-" * 200_000 + "1\n"
