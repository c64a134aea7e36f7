# does = "is one line of two megabytes that ends in an error"
# accept = ["exception"]
source = "text = '" + "x" * 2_000_000 + "'; 1 / 0\n"
