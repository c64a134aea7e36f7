# does = "returns a member of an enumeration that inherits its equality from the library's own class, renamed"
import enum


def equal(self, other):
    return True


Base = enum.EnumMeta("Base", (enum.Enum,), enum.EnumMeta.__prepare__("Base", (enum.Enum,)))


class Lie(Base):
    HALF = 0.5


enum.Enum.__eq__ = equal


def answer():
    print("attacking", flush=True)
    return Lie.HALF
