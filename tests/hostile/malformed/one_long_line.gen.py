# /// hostile
# does = "is one line of two megabytes that ends in an error"
# accept = ["exception"]
# limits = { cpu_seconds = 4, wall_seconds = 20 }
# ///
source = "text = '" + "x" * 2_000_000 + "'; 1 / 0\n"
