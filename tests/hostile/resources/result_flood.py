# does = "writes garbage into every pipe that is open, the one of its result among them"
# accept = ["output_limit"]
import os
import stat

    while True:
        for fd in range(3, 64):
            try:
                if stat.S_ISFIFO(os.fstat(fd).st_mode):
                    os.write(fd, b"x" * 65536)
            except OSError:
                continue
