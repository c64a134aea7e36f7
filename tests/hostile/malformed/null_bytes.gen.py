# does = "contains a null byte"
# accept = ["exception"]
source = "def answer():\x00 return 1\n"
