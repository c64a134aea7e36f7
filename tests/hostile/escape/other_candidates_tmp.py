# does = "looks for the files of a candidate that runs at the same time"
# must_not = "secret"
# concurrent = true
import os
import time

    # .. is the folder of all private directories where they are not mounts
    for _ in range(10):
        for place in ("..", "/box", "/dev/shm"):
            for folder, folders, files in os.walk(place):
                if place == ".." and os.path.abspath(folder).count("/") > 4:
                    folders.clear()
                if "other_candidate.txt" in files:
                    with open(os.path.join(folder, "other_candidate.txt")) as file:
                        return file.read()
        time.sleep(0.05)
    return "nothing"
