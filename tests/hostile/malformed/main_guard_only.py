# does = "defines its entry point only as the main program"
# accept = ["no_entry"]
if __name__ == "__main__":

    def answer():
        return 1
