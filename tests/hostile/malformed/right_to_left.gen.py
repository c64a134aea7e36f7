# does = "turns the direction of its text in a comment, so that it looks like different code"
# accept = ["returned"]
source = "def answer():\n    # \u202e\u2066 0 nruter\n    return 1\n"
