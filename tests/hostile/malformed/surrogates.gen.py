# does = "holds half of a surrogate pair, which no UTF-8 can carry"
# accept = ["exception"]
source = "text = '\ud800'\ndef answer():\n    return text\n"
