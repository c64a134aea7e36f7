"""The folder of published versions of the documentation."""

import importlib.util
import json
from pathlib import Path
from types import ModuleType

import pytest
from pages import ROOT


@pytest.fixture
def versions() -> ModuleType:
    spec = importlib.util.spec_from_file_location("versions", ROOT / "docs" / "versions.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_latest_is_the_newest_release(versions: ModuleType, tmp_path: Path) -> None:
    build, published = tmp_path / "build", tmp_path / "published"
    build.mkdir()
    published.mkdir()
    found = []
    for version in ("dev", "v1.9.0", "v1.10.0", "v1.9.1", "dev"):
        (build / "index.html").write_text(version, encoding="utf-8")
        versions.add(build, published, version)
        found.append((published / "latest" / "index.html").read_text(encoding="utf-8"))
    assert found == ["dev", "v1.9.0", "v1.10.0", "v1.10.0", "v1.10.0"]
    listed = json.loads((published / "versions.json").read_text(encoding="utf-8"))
    assert [(entry["version"], entry["aliases"]) for entry in listed] == [
        ("1.10", ["latest"]),
        ("1.9", []),
        ("dev", []),
    ]
    assert (published / "1.9" / "index.html").read_text(encoding="utf-8") == "v1.9.1"
    with pytest.raises(SystemExit, match="not a version"):
        versions.add(build, published, "1.9")
