# does = "appends to a file outside, truncates another, and deletes and renames others"
# must_not = "file"
import os


def answer(target):
    kept, spare = target["file"], target["spare_file"]
    print("attacking", flush=True)
    for harm in (
        lambda: open(kept, "a").write("x"),
        lambda: os.truncate(kept, 0),
        lambda: os.rename(spare, spare + ".moved"),
        lambda: os.unlink(spare),
    ):
        try:
            harm()
        except OSError:
            continue
