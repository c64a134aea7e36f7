# does = "writes to the files that a shell or an interpreter of the user reads when it starts"
# must_not = "file"
import os

    for name in (".bashrc", ".profile", ".config/pip/pip.conf"):
        path = os.path.join(target["home"], name)
        try:
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "a") as file:
                file.write("echo planted\n")
        except OSError:
            continue
