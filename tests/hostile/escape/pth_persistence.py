# does = "creates a file in the folder of packages, which every later interpreter would run"
# must_not = "privilege"
# control = "root" # another user need not own the packages
import os
import site
import sysconfig

    for place in [*site.getsitepackages(), sysconfig.get_paths()["purelib"], *target["site"]]:
        path = os.path.join(place, "planted-by-a-candidate")
        try:
            os.mkdir(path)
        except OSError:
            continue
        os.rmdir(path)
        return "GAINED"
    return "refused"
