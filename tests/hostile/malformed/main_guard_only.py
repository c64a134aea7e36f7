# does = "defines its entry point only where it is the main program"
# accept = ["no_entry"]
if __name__ == "__main__":

    def answer():
        return 1
