"""Add a build of the site to the published versions: `python docs/versions.py BUILD PUBLISHED VERSION`.

`PUBLISHED` has a folder per version, `versions.json` (read by the theme's list of versions), and `latest`, a link to
the newest release, or to `dev` while there is no release.
"""

import json
import re
import shutil
import sys
from pathlib import Path

HOME = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="refresh" content="0; url=latest/">
<title>repair-bench</title>
<a href="latest/">Documentation of repair-bench</a>
</html>
"""


def add(build: Path, published: Path, version: str) -> None:
    """Replace the folder of this version. Releases share a folder per minor version (`v1.2.3` goes to `1.2`)."""
    release = re.fullmatch(r"v(\d+\.\d+)\.\d+", version)
    if version != "dev" and not release:
        raise SystemExit(f"{version!r} is not a version. Use dev, or the tag of a release, such as v1.2.3.")
    name = release[1] if release else version
    shutil.rmtree(published / name, ignore_errors=True)
    shutil.copytree(build, published / name)
    releases = [path.name for path in published.iterdir() if re.fullmatch(r"\d+\.\d+", path.name)]
    releases.sort(key=lambda text: [int(part) for part in text.split(".")], reverse=True)
    names = releases + [path.name for path in published.glob("dev")]
    latest = published / "latest"
    latest.unlink(missing_ok=True)
    latest.symlink_to(names[0], target_is_directory=True)
    listed = [{"version": name, "title": name, "aliases": ["latest"] if name == names[0] else []} for name in names]
    (published / "versions.json").write_text(json.dumps(listed, indent=1), encoding="utf-8")
    (published / "index.html").write_text(HOME, encoding="utf-8")
    (published / ".nojekyll").touch()


if __name__ == "__main__":
    add(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3])
