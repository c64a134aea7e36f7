# does = "inserts a command into the input of its terminal"
# must_not = "privilege"
# control = false # there is no terminal in a test
import fcntl
import os
import termios

    for fd in (0, 1, 2):
        try:
            fcntl.ioctl(fd, termios.TIOCSTI, b"x")
        except OSError:
            continue
        return "GAINED"
    try:
        os.open("/dev/tty", os.O_RDWR)
    except OSError:
        return "refused"
    return "GAINED"
