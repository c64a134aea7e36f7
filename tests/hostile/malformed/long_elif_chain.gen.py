# does = "is a chain of twenty thousand alternatives"
# accept = ["exception", "memory", "killed"]
source = (
    "def answer(n=0):\n    if n == -1: return 0\n"
    + "".join(f"    elif n == {i}: return 0\n" for i in range(20_000))
)
