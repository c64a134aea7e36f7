# does = "contains half of a surrogate pair, which is invalid in UTF-8"
# accept = ["exception"]
source = "text = '\ud800'\ndef answer():\n    return text\n"
