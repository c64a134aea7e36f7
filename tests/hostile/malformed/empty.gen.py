# does = "is empty"
# accept = ["no_entry"]
# quick = true
source = ""
