"""The Dockerfile: built if a builder is available, otherwise its steps are executed over this machine's system.

In the second case a temporary overlay of the root replaces the base image, and the packages of the apt steps must be
installed. The environment of this checkout, made by the same command from the same lock, replaces the installed one.
With REPAIR_BENCH_CONTAINER=1 it is installed instead, and `make test` runs in it.
"""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
INSTRUCTIONS = re.findall(
    r"^([A-Z]+) +((?:.*\\\n)*.*)$", (ROOT / "Dockerfile").read_text(encoding="utf-8"), re.MULTILINE
)
FIRST = ["run", "--limit", "1", "--max-attempts", "1"]
MOUNTS = """
set -e
mount -t tmpfs none "$1"
mkdir "$1/upper" "$1/work" "$1/root"
mount -t overlay overlay -o "lowerdir=/,upperdir=$1/upper,workdir=$1/work" "$1/root"
for name in dev proc sys; do mount --rbind "/$name" "$1/root/$name"; done
mount -t tmpfs none "$1/root/tmp"
mkdir -p "$1/root$2"
cp -a "$3/." "$1/root$2"
if [ -n "$5" ]; then
  mkdir -p "$1/root$2/.venv" "$1/root$6"
  mount --bind "$5" "$1/root$2/.venv"
  mount --bind "$6" "$1/root$6"  # to which what is installed there points
fi
cd "$1/root"
mkdir -p old
pivot_root . old  # as a container does it: the kernel gives no user namespace to what is in a chroot
cd /
umount -l old
exec sh -c "$4"
"""
"""Arguments: a mount point, the working directory, the folder to copy, the commands, and the environment of a checkout
unless it is installed.
"""
WHOLE = bool(os.environ.get("REPAIR_BENCH_CONTAINER"))


def values(instruction: str) -> list[str]:
    return [words.replace("\\\n", " ") for name, words in INSTRUCTIONS if name == instruction]


def ended(command: list[str], seconds: int) -> str:
    done = subprocess.run(command, capture_output=True, text=True, timeout=seconds, check=False)
    assert done.returncode == 0, f"{done.stdout[-3000:]}\n{done.stderr[-1000:]}"
    return done.stdout


def copied(into: Path) -> Path:
    """Return the files that `COPY . .` copies from a checkout."""
    listed = (ROOT / ".dockerignore").read_text(encoding="utf-8").split()
    anywhere = [name.removeprefix("**/") for name in listed if name.startswith("**/")]
    at_the_top = shutil.ignore_patterns(*set(listed), *anywhere)
    below = shutil.ignore_patterns(*anywhere)

    def ignored(folder: str, names: list[str]) -> set[str]:
        return (at_the_top if Path(folder) == ROOT else below)(folder, names)

    return Path(shutil.copytree(ROOT, into, ignore=ignored, symlinks=True))


def test_image_has_no_host_name_and_installs_from_the_lock():
    (base,) = values("FROM")
    assert re.fullmatch(r"python:3\.\d+-slim-\w+", base)
    assert values("COPY") == [". ."]
    assert [step for step in values("RUN") if "apt-get" not in step] == ["make .venv/.dev"]


@pytest.mark.slow
def test_built_image_runs(tmp_path):
    if shutil.which("docker") and not subprocess.run(["docker", "info"], capture_output=True, check=False).returncode:
        ended(["docker", "build", "-t", "repair-bench-test", str(ROOT)], 3000)
        said = ended(["docker", "run", "--rm", "repair-bench-test", *FIRST], 600)
    else:
        said = over_this_system(tmp_path)
    assert "FB@k" in said


def over_this_system(tmp_path: Path) -> str:
    """Return the output of a first run in an overlay in which the steps were executed."""
    if os.geteuid() or not shutil.which("unshare"):
        pytest.skip("no builder of images, and only root can carry out its steps without one")
    (directory,) = values("WORKDIR")
    (command,) = values("ENTRYPOINT")
    steps = [step for step in values("RUN") if "apt-get" not in step]
    path = f"{directory}/.venv/bin:{os.environ['PATH']}"
    first = shlex.join([*json.loads(command), *FIRST])
    tested = ["make test"] if WHOLE else []
    commands = " && ".join([f"cd {directory}", *steps, *tested, f"PATH={shlex.quote(path)} {first}"])
    made = "" if WHOLE else sys.prefix
    copy = copied(tmp_path / "copy")
    if made:
        for name in ("pyproject.toml", "requirements.lock", "requirements-dev.lock"):
            os.utime(copy / name, (0, 0))  # older than the environment, which is built from them
    (tmp_path / "mounts").mkdir()
    mounting = ["unshare", "--mount", "sh", "-c", MOUNTS, "sh", str(tmp_path / "mounts"), directory]
    return ended([*mounting, str(copy), commands, made, str(ROOT)], 3000)
