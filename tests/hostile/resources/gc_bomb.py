# does = "makes cyclic garbage whose finalisers make more of it"
# accept = ["cpu_timeout", "memory"]
class Phoenix:
    def __init__(self):
        self.own = self

    def __del__(self):
        Phoenix()
        Phoenix()


def answer(target):
    print("attacking", flush=True)
    while True:
        Phoenix()
