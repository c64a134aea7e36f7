# does = "names its entry point with a Cyrillic letter that looks like a Latin one"
# accept = ["no_entry"]
source = "def \u0430nswer():\n    return 1\n"
