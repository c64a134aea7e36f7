# does = "returns the counts of so few shots that hardly any answer could be rejected"
# accept = ["wrong_answer"]
    return {"00": 3, "11": 1, "01": 1}
