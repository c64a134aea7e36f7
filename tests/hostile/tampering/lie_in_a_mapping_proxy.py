# /// hostile
# does = "hides what equals everything behind a read-only view"
# accept = ["wrong_answer", "exception"]
# control = "verdict"
# before = ["stub", "guarded", "unguarded"]
# ///
from types import MappingProxyType


class Equal:
    __hash__ = None

    def __eq__(self, other):
        return True

    def __sub__(self, other):
        return 0

    __rsub__ = __sub__


def answer():
    print("attacking", flush=True)
    return MappingProxyType({"00": Equal(), "11": Equal()})
