"""Run a command without some sandbox layers: `python refusing.py user_ns,landlock,seccomp COMMAND...`.

A seccomp filter on this process refuses the system calls of these layers. Then the process executes the command.
"""

import ctypes
import os
import platform
import struct
import sys

LOAD, EQUAL, RETURN = 0x20, 0x15, 0x06
NUMBER_AT, FIRST_ARGUMENT_AT = 0, 16
ALLOW, EPERM = 0x7FFF0000, 0x00050001
PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS, MODE_FILTER = 22, 38, 2
PRCTL = {"x86_64": 157, "aarch64": 167}
CALLS: dict[str, dict[str, tuple[int, ...]]] = {
    "user_ns": {"x86_64": (272, 308), "aarch64": (97, 268)},  # unshare, setns
    "mount_ns": {"x86_64": (165, 155), "aarch64": (40, 41)},  # mount, pivot_root
    "landlock": {"x86_64": (444,), "aarch64": (444,)},
    "seccomp": {"x86_64": (317,), "aarch64": (277,)},
    "capabilities": {"x86_64": (126,), "aarch64": (91,)},  # capset
}


def filter_for(layers: list[str], machine: str) -> bytes:
    steps = [(LOAD, 0, 0, NUMBER_AT)]
    for layer in layers:
        for number in CALLS[layer][machine]:
            steps += [(EQUAL, 0, 1, number), (RETURN, 0, 0, EPERM)]
    if "seccomp" in layers:
        steps += [(EQUAL, 0, 4, PRCTL[machine]), (LOAD, 0, 0, FIRST_ARGUMENT_AT)]
        steps += [(EQUAL, 0, 1, PR_SET_SECCOMP), (RETURN, 0, 0, EPERM), (RETURN, 0, 0, ALLOW)]
    return b"".join(struct.pack("=HBBI", *step) for step in [*steps, (RETURN, 0, 0, ALLOW)])


def refuse(layers: list[str]) -> None:
    code = filter_for(layers, platform.machine())
    buffer = ctypes.create_string_buffer(code, len(code))
    program = struct.pack("@HP", len(code) // 8, ctypes.addressof(buffer))
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    if libc.prctl(PR_SET_SECCOMP, MODE_FILTER, ctypes.c_char_p(program), 0, 0):
        raise OSError(ctypes.get_errno(), "the filter was refused")


if __name__ == "__main__":
    refuse(sys.argv[1].split(","))
    os.execvp(sys.argv[2], sys.argv[2:])
