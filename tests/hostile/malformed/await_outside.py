# does = "awaits outside of a coroutine"
# accept = ["exception"]
import asyncio

await asyncio.sleep(0)
