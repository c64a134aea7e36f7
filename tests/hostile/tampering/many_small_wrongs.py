# does = "returns counts that hide a wrong outcome among a huge number of shots"
    return {"00": 10**12, "11": 1}
