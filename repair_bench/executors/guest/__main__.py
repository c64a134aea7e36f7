"""Start the fork server (`PYTHON -s -B <this folder> FD`), or print versions (`... versions FRAMEWORK [FOLDER]`)."""

import importlib.util
import os
import sys

NAME = "repair_bench_guest"


def main() -> None:
    os.umask(0o022)  # outcomes must not depend on the user's umask
    # Import this folder under another name, and remove it from the import path of candidates.
    here = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [p for p in sys.path if os.path.abspath(p or ".") != here]
    spec = importlib.util.spec_from_file_location(
        NAME, os.path.join(here, "__init__.py"), submodule_search_locations=[here]
    )
    assert spec is not None
    assert spec.loader is not None
    package = importlib.util.module_from_spec(spec)
    sys.modules[NAME] = package
    spec.loader.exec_module(package)
    if sys.argv[1] == "versions":
        importlib.import_module(NAME + ".framework").main(*sys.argv[2:])
    else:
        importlib.import_module(NAME + ".fork_server.server").main(int(sys.argv[1]))


if __name__ == "__main__":
    main()
