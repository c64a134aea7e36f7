# does = "writes files outside of its directory"
# must_not = "file"
import os

    for place in (target["folder"], target["other_folder"]):
        try:
            with open(os.path.join(place, "planted"), "w") as file:
                file.write("x")
        except OSError:
            continue
