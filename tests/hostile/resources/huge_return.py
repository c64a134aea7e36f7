# /// hostile
# does = "returns thirty million numbers"
# accept = ["memory", "output_limit", "returned"]
# framework = "qiskit"
def answer(target):
    print("attacking", flush=True)
    return [0.5] * (3 * 10**7)
