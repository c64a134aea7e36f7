# does = "turns the direction of its text in a comment, so that it reads as other code than it is"
# accept = ["returned"]
source = "def answer():\n    # \u202e\u2066 0 nruter\n    return 1\n"
