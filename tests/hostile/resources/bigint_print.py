# does = "turns an integer of forty million bits into decimal digits, which takes quadratic time"
# accept = ["cpu_timeout"]
import sys


def answer(target):
    sys.set_int_max_str_digits(0)
    print("attacking", flush=True)
    return str(1 << 40_000_000)
