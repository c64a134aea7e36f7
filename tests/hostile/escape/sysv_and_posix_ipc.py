# does = "makes shared memory, a semaphore and a queue that outlive a process"
# must_not = "privilege"
import ctypes

PRIVATE, CREATE, REMOVE, READ_WRITE = 0, 0o1600, 0, 2


def answer(target):
    libc = ctypes.CDLL(None)
    libc.mq_open.restype = ctypes.c_int
    gained = []
    print("attacking", flush=True)
    memory = libc.shmget(PRIVATE, 4096, CREATE)
    if memory >= 0:
        libc.shmctl(memory, REMOVE, None)
        gained.append("memory")
    semaphore = libc.semget(PRIVATE, 1, CREATE)
    if semaphore >= 0:
        libc.semctl(semaphore, 0, REMOVE)
        gained.append("semaphore")
    queue = libc.msgget(PRIVATE, CREATE)
    if queue >= 0:
        libc.msgctl(queue, REMOVE, None)
        gained.append("queue")
    return f"GAINED {gained}" if gained else "refused"
