"""The rooms stand on each other in one order: any lower room may be imported, none above, no circle."""

import ast
from pathlib import Path

import pytest

import repair_bench

PACKAGE = Path(repair_bench.__file__).parent
FLOORS = ["cli", "agent", "prompts", "suites", "executors", "traces"]


def imports(path: Path) -> set[str]:
    """The rooms that a file imports, wherever in the file the import stands."""
    rooms: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module == "repair_bench":
            rooms |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("repair_bench."):
            rooms.add(node.module.split(".")[1])
        elif isinstance(node, ast.Import):
            rooms |= {a.name.split(".")[1] for a in node.names if a.name.startswith("repair_bench.")}
    return rooms & set(FLOORS)


@pytest.mark.parametrize("room", FLOORS)
def test_a_room_imports_only_lower_rooms(room: str) -> None:
    files = sorted((PACKAGE / room).rglob("*.py"))
    assert files
    above = set(FLOORS[: FLOORS.index(room)])
    climbing = {str(f.relative_to(PACKAGE)): sorted(imports(f) & above) for f in files if imports(f) & above}
    assert climbing == {}


def test_imports_by_name_are_absolute() -> None:
    """A relative import would escape the test above."""
    guest = PACKAGE / "executors" / "guest"  # a program of its own, which knows nothing of the package
    relative = [
        str(path.relative_to(PACKAGE))
        for path in PACKAGE.rglob("*.py")
        if guest not in path.parents
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom) and node.level > 0
    ]
    assert relative == []


def test_the_guest_imports_nothing_of_the_package() -> None:
    """It is a program of its own, run by interpreters in which the package is not installed."""
    for path in (PACKAGE / "executors" / "guest").rglob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        names = {a.name for n in ast.walk(tree) if isinstance(n, ast.Import) for a in n.names}
        names |= {n.module or "" for n in ast.walk(tree) if isinstance(n, ast.ImportFrom)}
        assert not [name for name in names if name.startswith("repair_bench")], path


def test_the_links_at_the_top_show_the_rooms() -> None:
    for room in FLOORS[1:]:
        link = PACKAGE.parent / room
        assert link.is_symlink()
        assert link.readlink() == Path("repair_bench") / room
