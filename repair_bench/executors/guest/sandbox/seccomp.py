"""A seccomp filter, which makes the kernel refuse system calls that a candidate does not need.

The tables below list the refused calls by purpose. A refused call fails with EPERM, which Python raises as
PermissionError. For `fcntl` and `ioctl`, only the listed commands are allowed.

File locks report success but have no effect (`docs/sandbox.md`). Landlock does not prevent changes to modes, owners,
times and attributes, but a mount namespace does. Without a mount namespace, system calls that would change the mode,
owner, times or attributes of a file report success but change nothing. Programs that copy files therefore behave the
same on every machine.
"""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import struct
from typing import Dict, List, Optional, Tuple

from . import syscalls

# fmt: off
# System call numbers on (x86_64, aarch64), from the kernel's unistd.h; None where an architecture lacks the call.
REFUSED: Dict[str, Tuple[int, Optional[int]]] = {
    # sockets; sendmsg can pass descriptors, which then do not count towards the limit of the process
    "socket": (41, 198), "connect": (42, 203), "bind": (49, 200), "listen": (50, 201), "setsockopt": (54, 208),
    "sendmsg": (46, 211), "sendmmsg": (307, 269),
    # processes, and the limits and scheduling of other processes
    "fork": (57, None), "vfork": (58, None), "tkill": (200, 130), "pidfd_send_signal": (424, 424),
    "setpriority": (141, 140), "ioprio_set": (251, 30), "sched_setparam": (142, 118), "sched_setscheduler": (144, 119),
    "sched_setattr": (314, 274),
    # memory that is shared with other processes or kept by the kernel
    "shmget": (29, 194), "semget": (64, 190), "msgget": (68, 186), "mq_open": (240, 180), "memfd_create": (319, 279),
    "memfd_secret": (447, 447), "splice": (275, 76), "tee": (276, 77), "vmsplice": (278, 75),
    # asynchronous calls
    "io_setup": (206, 0), "io_uring_setup": (425, 425), "io_uring_enter": (426, 426), "io_uring_register": (427, 427),
    # tracing, and monitoring by the kernel
    "ptrace": (101, 117), "process_vm_readv": (310, 270), "process_vm_writev": (311, 271),
    "process_madvise": (440, 440), "pidfd_getfd": (438, 438), "kcmp": (312, 272), "bpf": (321, 280),
    "perf_event_open": (298, 241), "userfaultfd": (323, 282), "inotify_init": (253, None), "inotify_init1": (294, 26),
    "fanotify_init": (300, 262),
    # further sandbox rules
    "seccomp": (317, 277), "landlock_create_ruleset": (444, 444), "landlock_add_rule": (445, 445),
    # keyrings
    "add_key": (248, 217), "request_key": (249, 218), "keyctl": (250, 219),
    # namespaces and mounts
    "unshare": (272, 97), "setns": (308, 268), "mount": (165, 40), "umount2": (166, 39), "pivot_root": (155, 41),
    "chroot": (161, 51), "open_tree": (428, 428), "move_mount": (429, 429), "fsopen": (430, 430), "fsmount": (432, 432),
    "fspick": (433, 433), "mount_setattr": (442, 442), "open_tree_attr": (467, 467), "statmount": (457, 457),
    "listmount": (458, 458), "listns": (470, 470), "open_by_handle_at": (304, 265),
    # system administration
    "init_module": (175, 105), "finit_module": (313, 273), "delete_module": (176, 106), "kexec_load": (246, 104),
    "kexec_file_load": (320, 294), "acct": (163, 89), "swapon": (167, 224), "reboot": (169, 142), "syslog": (103, 116),
    "quotactl": (179, 60), "quotactl_fd": (443, 443),
}
OF_ITSELF: Dict[str, Tuple[int, int]] = {
    "kill": (62, 129), "tgkill": (234, 131), "rt_sigqueueinfo": (129, 138), "rt_tgsigqueueinfo": (297, 240),
    "prlimit64": (302, 261), "sched_setaffinity": (203, 122),
}
"""System calls whose first argument is a process ID. The ID must be 0 (the caller) or the caller's own process ID."""
METADATA: Dict[str, Tuple[int, Optional[int]]] = {
    "chmod": (90, None), "fchmod": (91, 52), "fchmodat": (268, 53), "fchmodat2": (452, 452), "chown": (92, None),
    "lchown": (94, None), "fchown": (93, 55), "fchownat": (260, 54), "utime": (132, None), "utimes": (235, None),
    "futimesat": (261, None), "utimensat": (280, 88), "setxattr": (188, 5), "lsetxattr": (189, 6),
    "fsetxattr": (190, 7), "setxattrat": (463, 463), "removexattr": (197, 14), "lremovexattr": (198, 15),
    "fremovexattr": (199, 16), "removexattrat": (466, 466), "file_setattr": (469, 469),
}
_FCNTL, _FLOCK, _IOCTL, _PRCTL = (72, 25), (73, 32), (16, 29), (157, 167)
FCNTL_ALLOWED = {
    "F_DUPFD": 0, "F_GETFD": 1, "F_SETFD": 2, "F_GETFL": 3, "F_SETFL": 4, "F_DUPFD_QUERY": 1027,
    "F_DUPFD_CLOEXEC": 1030, "F_GETPIPE_SZ": 1032,
    "F_GETLK": 5,  # SQLite uses it; there are no locks to report
}
"""The allowed commands of `fcntl`. Commands that request signals about a descriptor (F_SETOWN, F_SETOWN_EX, F_SETSIG)
or notices about other processes (F_SETLEASE, F_NOTIFY) are refused. Commands that request larger pipes (F_SETPIPE_SZ)
or information about locks of other processes (F_OFD_GETLK) are refused, too."""
FCNTL_LOCKS = {"F_SETLK": 6, "F_SETLKW": 7, "F_OFD_SETLK": 37, "F_OFD_SETLKW": 38}
IOCTL_ALLOWED = {
    "TCGETS": 0x5401, "TCGETS2": 0x802C542A, "TIOCGWINSZ": 0x5413, "FIONREAD": 0x541B,
    "FIONBIO": 0x5421, "FIONCLEX": 0x5450, "FIOCLEX": 0x5451, "FICLONE": 0x40049409,
}
# fmt: on
"""The allowed commands of `ioctl`, which check terminals and their sizes, count bytes to read, set descriptor flags,
and copy files."""
PRCTL_REFUSED = {"PR_SET_SECCOMP": syscalls.PR_SET_SECCOMP, "PR_SCHED_CORE": 62}
_SOCKETPAIR, _CLONE, _CLONE3 = (53, 199), (56, 220), (435, 435)
_UNIX = 1
_MACHINES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}  # column in the table, AUDIT_ARCH
_X32_BIT = 0x40000000

# BPF: LD|W|ABS, JMP|JEQ|K, JMP|JSET|K, RET|K
_LOAD, _EQUAL, _BITS, _RETURN = 0x20, 0x15, 0x45, 0x06
# offsets in struct seccomp_data, of the low half of an argument
_NUMBER_AT, _ARCHITECTURE_AT, _FIRST_ARGUMENT_AT, _SECOND_ARGUMENT_AT = 0, 4, 16, 24
_ALLOW, _ERRNO, _KILL = 0x7FFF0000, 0x00050000, 0x80000000
_EPERM = _ERRNO | errno.EPERM
_MODE_FILTER = 2
_STEP_BYTES = 8  # struct sock_filter
_DATAGRAM = 0b10  # of stream 1, datagram 2, raw 3, seqpacket 5


class Program:
    """A seccomp filter as BPF code."""

    def __init__(self, *, keep_metadata: bool = True) -> None:
        """Compile the filter. `keep_metadata`: whether to ignore calls that change the mode, the owner or the times of
        a file.

        Raises OSError for an architecture whose system calls are not in the tables.
        """
        machine = platform.machine()
        if machine not in _MACHINES:
            raise OSError(errno.ENOSYS, "seccomp: the system call numbers of %s are unknown" % machine)
        column, architecture = _MACHINES[machine]
        self._code: List[bytes] = []
        self._add(_LOAD, _ARCHITECTURE_AT)
        self._add(_EQUAL, architecture, when_true=1)
        self._add(_RETURN, _KILL)  # another calling convention, with other numbers
        self._add(_LOAD, _NUMBER_AT)
        if machine == "x86_64":
            self._add(_BITS, _X32_BIT, when_false=1)
            self._add(_RETURN, _KILL)
        for numbers in REFUSED.values():
            self._refuse(numbers[column], errno.EPERM)
        for numbers in METADATA.values() if keep_metadata else ():
            self._refuse(numbers[column], 0)
        self._refuse(_FLOCK[column], 0)
        commands = {**dict.fromkeys(FCNTL_ALLOWED.values(), _ALLOW), **dict.fromkeys(FCNTL_LOCKS.values(), _ERRNO)}
        self._by_value(_FCNTL[column], _SECOND_ARGUMENT_AT, commands, otherwise=_EPERM)
        commands = dict.fromkeys(IOCTL_ALLOWED.values(), _ALLOW)
        self._by_value(_IOCTL[column], _SECOND_ARGUMENT_AT, commands, otherwise=_EPERM)
        options = dict.fromkeys(PRCTL_REFUSED.values(), _EPERM)
        self._by_value(_PRCTL[column], _FIRST_ARGUMENT_AT, options, otherwise=_ALLOW)
        # A datagram socket can send to any address, even when connected. Only SOCK_DGRAM and SOCK_RAW have this bit.
        self._add(_EQUAL, _SOCKETPAIR[column], when_false=6)
        self._add(_LOAD, _FIRST_ARGUMENT_AT)
        self._add(_EQUAL, _UNIX, when_false=2)
        self._add(_LOAD, _SECOND_ARGUMENT_AT)
        self._add(_BITS, _DATAGRAM, when_false=1)
        self._add(_RETURN, _EPERM)
        self._add(_RETURN, _ALLOW)
        # A filter cannot read the flags of clone3. With ENOSYS the C library falls back to clone.
        self._refuse(_CLONE3[column], errno.ENOSYS)
        self._add(_EQUAL, _CLONE[column], when_false=4)
        self._add(_LOAD, _FIRST_ARGUMENT_AT)
        self._add(_BITS, syscalls.CLONE_THREAD, when_true=1)
        self._add(_RETURN, _EPERM)
        self._add(_RETURN, _ALLOW)
        self._of_itself = [numbers[column] for numbers in OF_ITSELF.values()]

    def install(self) -> None:
        """Permanently apply the filter to this process. Requires no-new-privileges. Raises OSError."""
        for number in self._of_itself:
            self._by_value(number, _FIRST_ARGUMENT_AT, {os.getpid(): _ALLOW, 0: _ALLOW}, otherwise=_EPERM)
        self._add(_RETURN, _ALLOW)
        code = b"".join(self._code)
        buffer = ctypes.create_string_buffer(code, len(code))
        header = struct.pack("@HP", len(code) // _STEP_BYTES, ctypes.addressof(buffer))  # struct sock_fprog
        mode = ctypes.c_ulong(_MODE_FILTER)
        syscalls.check(syscalls.libc.prctl(syscalls.PR_SET_SECCOMP, mode, ctypes.c_char_p(header), 0, 0), "seccomp")

    def _add(self, code: int, value: int, when_true: int = 0, when_false: int = 0) -> None:
        self._code.append(struct.pack("=HBBI", code, when_true, when_false, value))

    def _refuse(self, number: Optional[int], error: int) -> None:
        if number is not None:
            self._add(_EQUAL, number, when_false=1)
            self._add(_RETURN, _ERRNO | error)

    def _by_value(self, number: int, offset: int, actions: Dict[int, int], otherwise: int) -> None:
        """Select the action for a system call based on the low 32 bits of one argument.

        `actions`: the action for each listed value of the argument's low 32 bits. `otherwise`: the action for any other
        value.
        """
        self._add(_EQUAL, number, when_false=2 * len(actions) + 2)
        self._add(_LOAD, offset)
        for value, action in actions.items():
            self._add(_EQUAL, value, when_false=1)
            self._add(_RETURN, action)
        self._add(_RETURN, otherwise)
