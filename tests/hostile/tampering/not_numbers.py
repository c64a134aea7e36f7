# does = "returns probabilities that are NaN, infinite, negative or imaginary, which all compare as false"
    nan = float("nan")
    return {"00": nan, "11": nan, "01": float("inf"), "10": -float("inf")}
