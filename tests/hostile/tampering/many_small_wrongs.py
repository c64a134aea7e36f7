# /// hostile
# does = "returns counts that hide a wrong outcome among a huge number of shots"
def answer():
    print("attacking", flush=True)
    return {"00": 10**12, "11": 1}
