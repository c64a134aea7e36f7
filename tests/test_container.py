"""The Dockerfile: built if a builder is available, otherwise its command is executed over this machine's system.

In the second case a temporary overlay of the root replaces the base image, and the environment of this checkout the
installed one. The command runs as the image's user.
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
TEXT = (ROOT / "Dockerfile").read_text(encoding="utf-8")
Stage = list[tuple[str, str]]
FIRST = ["run", "--limit", "1", "--max-attempts", "1"]
MOUNTS = """
set -e
mount -t tmpfs none "$1"
mkdir "$1/upper" "$1/work" "$1/root"
chmod 755 "$1/upper"
mount -t overlay overlay -o "lowerdir=/,upperdir=$1/upper,workdir=$1/work" "$1/root"
for name in dev proc sys; do mount --rbind "/$name" "$1/root/$name"; done
mount -t tmpfs none "$1/root/tmp"
mkdir -p "$1/root$2/.venv" "$1/root$5"
install --directory --mode 1777 "$1/root$2/runs" "$1/root$6"
mount --bind "$4" "$1/root$2/.venv"
mount --bind "$5" "$1/root$5"  # to which what is installed there points
for path in "$5" "$7"; do
  while path=$(dirname "$path"); [ "$path" != / ]; do chmod a+x "$1/root$path"; done
done
cd "$1/root"
mkdir -p old
pivot_root . old  # as a container does it: the kernel gives no user namespace to what is in a chroot
cd "$2"
umount -l /old
exec sh -c "$3"
"""
"""Arguments: a mount point, the working directory, the command, the environment of this checkout, the checkout, the
home directory, and the folder of the interpreter.
"""


def stages() -> dict[str, Stage]:
    """Return the instructions of each stage by its name; the last stage has none."""
    found: dict[str, Stage] = {}
    for name, words in re.findall(r"^([A-Z]+) +((?:.*\\\n)*.*)$", TEXT, re.MULTILINE):
        if name == "FROM":
            stage = found.setdefault(words.partition(" AS ")[2], [])
        stage.append((name, words.replace("\\\n", " ")))
    return found


def ended(command: list[str], seconds: int) -> str:
    done = subprocess.run(command, capture_output=True, text=True, timeout=seconds, check=False)
    assert done.returncode == 0, f"{done.stdout[-3000:]}\n{done.stderr[-1000:]}"
    return done.stdout


def test_base_image_is_pinned_by_its_digest() -> None:
    images = [stage[0][1].partition(" AS ")[0] for stage in stages().values()]
    (outside,) = set(images) - set(stages())
    assert re.fullmatch(r"python:3\.\d+-slim-\w+@sha256:[0-9a-f]{64}", outside)


def test_packages_are_installed_before_the_sources_are_copied() -> None:
    build = stages()["build"]
    copied = [words.split()[0] for name, words in build if name == "COPY"]
    assert copied == ["requirements.lock", "."]
    installing, sources = (build.index(step) for step in build if "--require-hashes" in step[1] or step[1] == ". .")
    assert installing < sources
    assert all("--no-index" in words or "--require-hashes" in words for name, words in build if name == "RUN")


def test_image_has_an_ordinary_user_and_no_development_tools() -> None:
    last = stages()[""]
    (user,) = [words for name, words in last if name == "USER"]
    assert int(user) > 0
    assert [words for name, words in last if name == "COPY"] == ["--from=build /repair-bench/.venv .venv"]
    assert not re.search("apt-get|pip|dev", " ".join(words for name, words in last if name == "RUN"))


def test_secrets_and_runs_are_not_copied() -> None:
    assert {".env", ".git", "runs"} <= set((ROOT / ".dockerignore").read_text(encoding="utf-8").split())


@pytest.mark.slow
def test_built_image_runs(tmp_path: Path) -> None:
    if shutil.which("docker") and not subprocess.run(["docker", "info"], capture_output=True, check=False).returncode:
        ended(["docker", "build", "-t", "repair-bench-test", str(ROOT)], 3000)
        said = ended(["docker", "run", "--rm", "repair-bench-test", *FIRST], 600)
    else:
        said = over_this_system(tmp_path)
    assert "FB@k" in said


def over_this_system(tmp_path: Path) -> str:
    """Return the output of a first run, as the image's user, in an overlay of this machine's root."""
    if os.geteuid() or not shutil.which("unshare"):
        pytest.skip("no builder of images, and only root can run the image's command without one")
    directory = dict(stages()["base"])["WORKDIR"]
    last = dict(stages()[""])
    (name, home) = last["ENV"].split("=")
    assert name == "HOME"
    user = [f"--reuid={last['USER']}", f"--regid={last['USER']}", "--clear-groups", "--no-new-privs"]
    entry = f"{directory}/.venv/bin/{json.loads(last['ENTRYPOINT'])[0]}"
    command = shlex.join(["setpriv", *user, "env", last["ENV"], entry, *FIRST])
    (tmp_path / "mounts").mkdir()
    mounting = ["unshare", "--mount", "sh", "-c", MOUNTS, "sh", str(tmp_path / "mounts"), directory]
    return ended([*mounting, command, sys.prefix, str(ROOT), home, sys.base_prefix], 600)
