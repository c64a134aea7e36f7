# does = "raises GeneratorExit and asyncio's CancelledError, which no 'except Exception' catches"
# accept = ["exception"]
import asyncio


def answer():
    try:
        raise GeneratorExit
    except GeneratorExit:
        raise asyncio.CancelledError
