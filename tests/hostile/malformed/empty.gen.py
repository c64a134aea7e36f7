# does = "is empty"
# accept = ["no_entry"]
source = ""
