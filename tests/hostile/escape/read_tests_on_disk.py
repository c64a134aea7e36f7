# does = "looks for the expected answers of the suites among the files of the interpreter"
# must_not = "privilege"
import importlib.util
import os

    places = list(getattr(importlib.util.find_spec("repair_bench"), "submodule_search_locations", None) or ())
    for place in places + target["answers"]:
        for folder, _, files in os.walk(place):
            for name in files:
                if name in ("expected.py", "task.toml"):
                    try:
                        with open(os.path.join(folder, name)) as file:
                            return "GAINED" if file.read(1) else "nothing"
                    except OSError:
                        continue
    return "refused"
