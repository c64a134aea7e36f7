# does = "calls the kernel by the 32-bit convention, whose numbers a filter for 64-bit calls does not know"
# accept = ["killed"]
# must_not = "privilege"
import ctypes
import mmap
import platform

SOCKET = 359  # of the 32-bit table
# push rbx; mov eax, SOCKET; mov ebx, 2; mov ecx, 1; xor edx, edx; int 0x80; pop rbx; ret
CODE = b"\x53\xb8" + SOCKET.to_bytes(4, "little") + b"\xbb\x02\0\0\0\xb9\x01\0\0\0\x31\xd2\xcd\x80\x5b\xc3"


def answer(target):
    assert platform.machine() == "x86_64"
    page = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    page.write(CODE)
    call = ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(page)))
    print("attacking", flush=True)
    fd = call()
    return f"GAINED {fd}" if fd >= 0 else f"refused {fd}"
