# does = "ends its lines as old machines did, with a carriage return alone"
# accept = ["returned"]
source = "def answer():\r    return 1\r"
