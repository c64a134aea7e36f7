# does = "ends its lines as old machines did, with a carriage return only"
# accept = ["returned"]
source = "def answer():\r    return 1\r"
