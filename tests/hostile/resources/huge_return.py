# does = "returns thirty million numbers"
# accept = ["memory", "output_limit", "returned"]
# framework = "qiskit"
    return [0.5] * (3 * 10**7)
