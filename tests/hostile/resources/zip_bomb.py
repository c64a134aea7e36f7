# does = "unpacks a few kilobytes into gigabytes"
# accept = ["memory"]
# must_not = "memory"
# control = "roomy"
import zlib


def answer(target):
    packer = zlib.compressobj(9)
    block = bytes(1 << 20)
    packed = b"".join(packer.compress(block) for _ in range(512)) + packer.flush()
    print("attacking", flush=True)
    return zlib.decompress(packed)
