# does = "reads the memory of a process outside through /proc"
# must_not = "secret"
def answer(target):
    neighbour = target["neighbour"]
    print("attacking", flush=True)
    try:
        with open(f"/proc/{neighbour['pid']}/mem", "rb", buffering=0) as file:
            file.seek(neighbour["address"])
            return file.read(neighbour["length"])
    except OSError:
        return "refused"
