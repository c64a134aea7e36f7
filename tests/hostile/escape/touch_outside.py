# does = "changes the times, the owner and the attributes of a file outside"
# accept = ["returned", "exception"]
# must_not = "file"
import os

    for harm in (
        lambda: os.utime(target["file"], (1, 1)),
        lambda: os.chown(target["file"], os.getuid(), 12345),
        lambda: os.setxattr(target["file"], "user.planted", b"x"),
    ):
        try:
            harm()
        except OSError:
            continue
