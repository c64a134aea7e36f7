# does = "makes directories, pipes, links and devices outside"
# must_not = "file"
import os
import stat


def answer(target):
    base = os.path.join(target["folder"], "planted-")
    print("attacking", flush=True)
    for number, make in enumerate(
        (
            lambda path: os.mkdir(path),
            lambda path: os.mkfifo(path),
            lambda path: os.symlink("/", path),
            lambda path: os.link(target["file"], path),
            lambda path: os.mknod(path, stat.S_IFREG | 0o600),
        )
    ):
        try:
            make(base + str(number))
        except OSError:
            continue
