# does = "writes outside through a symbolic link and through a hard link in its own directory"
# must_not = "file"
import os

    try:
        os.symlink(target["folder"], "door")
        with open("door/planted", "w") as file:
            file.write("x")
    except OSError:
        pass
    try:
        os.link(target["file"], "copy")
        with open("copy", "a") as file:
            file.write("x")
    except OSError:
        pass
