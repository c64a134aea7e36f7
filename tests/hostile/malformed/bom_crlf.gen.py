# does = "begins with a byte order mark and ends its lines as Windows does"
# accept = ["returned", "exception"]
source = "\ufeffdef answer():\r\n    return 1\r\n"
