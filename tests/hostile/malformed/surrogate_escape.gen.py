# does = "returns half of a surrogate pair, written as an escape"
# accept = ["returned"]
source = "def answer():\n    return '\\ud800'\n"
