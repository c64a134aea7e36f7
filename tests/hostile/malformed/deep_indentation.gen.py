# does = "indents deeper than Python allows"
# accept = ["exception"]
source = "".join(" " * i + "if 1:\n" for i in range(200)) + " " * 200 + "pass\n"
