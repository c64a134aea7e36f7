# does = "returns probabilities that are no numbers, infinite, negative or imaginary, all of which compare as false"
    nan = float("nan")
    return {"00": nan, "11": nan, "01": float("inf"), "10": -float("inf")}
