"""Commands of repair-bench without start-up time: each is forked from a process that has imported everything.

with Warm(environment) as warm:
    command = warm.start("run", "--out", directory)
    os.kill(command, signal.SIGKILL)
    assert warm.wait(command) == -signal.SIGKILL
"""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Self


class Warm:
    """Starts commands, which may run concurrently; their output goes to `log`. `sessions`: use `server.sessions`
    instead of the commands.
    """

    def __init__(self, environment: Mapping[str, str], log: Path, *, sessions: bool = False) -> None:
        self._environment = {**os.environ, **environment}
        self._arguments = [str(log), *(["sessions"] if sessions else [])]
        self._ended: dict[int, int] = {}

    def __enter__(self) -> Self:
        command = [sys.executable, __file__, *self._arguments]
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, env=self._environment)
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate(timeout=60)

    def start(self, *arguments: str | Path) -> int:
        """Return the id of the process in which the command runs."""
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps([*map(str, arguments)]) + "\n")
        self._process.stdin.flush()
        return self._said()

    def wait(self, pid: int) -> int:
        """Wait for a command to end. Return its exit code, negative for a signal."""
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(pid) + "\n")
        self._process.stdin.flush()
        return self._said()

    @staticmethod
    def has_ended(process: int) -> bool:
        """Whether a process is a zombie, for which its parent still waits."""
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] == "Z"

    def _said(self) -> int:
        assert self._process.stdout is not None
        return int(self._process.stdout.readline())


def _serve(log: Path, *sessions: str) -> None:
    main = _own_sessions() if sessions else _commands()
    for line in sys.stdin:
        asked = json.loads(line)
        if isinstance(asked, int):
            _, status = os.waitpid(asked, 0)
            _say(os.waitstatus_to_exitcode(status))
            continue
        pid = os.fork()
        if pid:
            _say(pid)
            continue
        with log.open("a") as file:
            os.dup2(file.fileno(), 1)
            os.dup2(file.fileno(), 2)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        sys.argv = ["repair-bench", *asked]
        code = 1
        try:
            main()
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else int(end.code is not None)
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)


def _commands() -> Callable[[], None]:
    from repair_bench.agent.models.batch.model import BatchedModel
    from repair_bench.agent.models.network.providers import ProviderSettings
    from repair_bench.cli import main

    BatchedModel("openai/gpt-4.1", ProviderSettings(batch=True))
    return main


def _own_sessions() -> Callable[[], None]:
    sys.path.insert(0, str(Path(__file__).parents[1]))
    from server import sessions

    sessions.prepare()
    return sessions.main


def _say(number: int) -> None:
    sys.stdout.write(f"{number}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    _serve(Path(sys.argv[1]), *sys.argv[2:])
