"""Start the fork server: `PYTHON -s -B <this folder> FD`."""

import importlib
import os
import sys
import types

NAME = "repair_bench_guest"


def main() -> None:
    os.umask(0o022)  # outcomes must not depend on the user's umask
    # Import this folder under another name, and remove it from the candidates' import path.
    here = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [p for p in sys.path if os.path.abspath(p or ".") != here]
    package = types.ModuleType(NAME)
    package.__path__ = [here]
    sys.modules[NAME] = package
    importlib.import_module(NAME + ".fork_server.server").main(int(sys.argv[1]))


if __name__ == "__main__":
    main()
