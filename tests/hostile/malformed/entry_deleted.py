# does = "defines its entry point and deletes it again"
# accept = ["no_entry"]
def answer():
    return 1


del answer
