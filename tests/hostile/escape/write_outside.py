# /// hostile
# does = "writes files outside of its directory"
# accept = ["returned"]
# must_not = "file"
# control = "plain"
# quick = true
# ///
import os


def answer(target):
    print("attacking", flush=True)
    for place in (target["folder"], target["other_folder"]):
        try:
            with open(os.path.join(place, "planted"), "w") as file:
                file.write("x")
        except OSError:
            continue
