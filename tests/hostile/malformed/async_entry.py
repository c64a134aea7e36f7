# does = "is a coroutine"
# accept = ["returned"]
async def answer():
    return 1
