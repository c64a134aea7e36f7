"""The rooms stand on each other in one order: any lower room may be imported, none above, no circle."""

import ast
from collections import Counter
from pathlib import Path

import pytest

import repair_bench

PACKAGE = Path(repair_bench.__file__).parent
FLOORS = [
    "api",
    "arguments",
    "testing",
    "cli",
    "report",
    "agent",
    "grading",
    "prompts",
    "suites",
    "executors",
    "frameworks",
    "analysis",
    "plugins",
    "traces",
    "coroutines",
    "log",
    "syntax_tree",
    "text",
    "_version",
]
"""Rooms, and modules that stand beside them, high to low."""
SUBROOMS: dict[str, list[tuple[str, ...]]] = {
    "cli": [("__init__",), ("commands",), ("",)],
    "report": [("site",), ("page", "watching"), ("sections",), ("plots",), ("exports",), ("",)],
    "agent": [("training",), ("",), ("studies",), ("loop",), ("telemetry",), ("experiment",), ("models",)],
    "agent/models": [("__init__", ""), ("batch",), ("network", "sim", "manual", "replay"), ("base",), ("retry",)],
    "grading": [("audit",), ("",)],
    "prompts": [("",), ("feedback",), ("leaks",), ("templates",)],
    "suites": [
        ("aligned", "conventions", "jsonl", "quanbench_plus", "qiskit_humaneval", "quantum_katas"),
        ("unit_tests",),
        ("contents", "sealing", "oracles"),
        ("checks", "mutations"),
        ("",),
    ],
    "executors": [("options",), ("cluster",), ("",), ("guest",)],
    "analysis": [
        ("",),
        ("planning",),
        ("comparing",),
        ("feedback_use",),
        ("runs",),
        ("rates",),
        ("published", "taxonomy"),
    ],
    "traces": [("run",), ("record",), ("files",), ("",)],
}
"""Parts of a room, high to low; those of one floor know nothing of each other. "" is all that is not named."""
STRANGERS = {
    "report": {"agent", "grading", "prompts", "suites", "executors"},
    "analysis": {"executors"},
}
"""Rooms below that a room knows nothing of all the same."""
MAX_MODULES = 14
LINKS = ["agent", "prompts", "suites", "executors", "traces"]


def imports(path: Path) -> set[str]:
    """The modules and names of the package that a file imports, wherever in the file the import stands."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "repair_bench":
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
    return {name.removeprefix("repair_bench.") for name in found if name.startswith("repair_bench.")}


def files(room: str) -> list[Path]:
    guest = PACKAGE / "executors" / "guest"  # a program of its own
    module = PACKAGE / f"{room}.py"
    found = [module] if module.exists() else sorted((PACKAGE / room).rglob("*.py"))
    return [path for path in found if guest not in path.parents]


def test_every_package_has_a_layer() -> None:
    rooms = {path.name for path in PACKAGE.iterdir() if path.is_dir() and any(path.glob("*.py"))}
    beside = {path.stem for path in PACKAGE.glob("*.py")} - {"__init__", "__main__"}
    assert rooms | beside == set(FLOORS)


@pytest.mark.parametrize("room", FLOORS)
def test_packages_import_only_lower_layers(room: str) -> None:
    assert files(room)
    forbidden = set(FLOORS[: FLOORS.index(room)]) | STRANGERS.get(room, set())
    climbing = {
        str(path.relative_to(PACKAGE)): sorted(name)
        for path in files(room)
        if (name := {one for one in imports(path) if one.split(".")[0] in forbidden})
    }
    assert climbing == {}


@pytest.mark.parametrize("room", SUBROOMS)
def test_a_subroom_imports_only_lower_subrooms(room: str) -> None:
    floors = {part: floor for floor, parts in enumerate(SUBROOMS[room]) for part in parts}

    def allowed(own: str, other: str) -> bool:
        own, other = (name if name in floors else "" for name in (own, other))
        return own == other or floors[own] < floors[other]

    inside = room.replace("/", ".") + "."
    climbing = {
        (str(path.relative_to(PACKAGE)), name)
        for path in files(room)
        for name in imports(path)
        if name.startswith(inside)
        and not allowed(
            path.relative_to(PACKAGE / room).parts[0].removesuffix(".py"), name.removeprefix(inside).split(".")[0]
        )
    }
    assert climbing == set()


def test_every_module_of_a_package_has_a_layer() -> None:
    named = {room: {part for parts in floors for part in parts} - {""} for room, floors in SUBROOMS.items()}
    for room in [*FLOORS, "agent/models"]:
        folders = {path.name for path in (PACKAGE / room).glob("*/") if any(path.glob("*.py"))}
        assert len(folders) < 2 or folders <= named[room], room


def test_no_package_is_a_long_list_of_modules() -> None:
    """Equals may be many: a reader looks for one of them by its name."""
    equals = {
        "executors/guest/adapters",
        "report/plots",
        "report/sections",
        "suites/conventions/families",
    }
    modules = Counter(
        str(path.parent.relative_to(PACKAGE))
        for path in PACKAGE.rglob("*.py")
        if path.stem not in ("__init__", "__main__")
    )
    assert {name: n for name, n in modules.items() if n > MAX_MODULES and name not in equals} == {}


def test_nothing_below_takes_the_way_of_users() -> None:
    """What `import repair_bench` offers stands above all."""
    known = set(FLOORS)
    for path in (file for room in FLOORS[FLOORS.index("testing") :] for file in files(room)):
        assert {name.split(".")[0] for name in imports(path)} <= known, path
        tree = ast.parse(path.read_text(encoding="utf-8"))
        taken = {
            node.attr
            for node in ast.walk(tree)
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "repair_bench"
        }
        assert taken <= known, path


@pytest.mark.parametrize("room", ["analysis", "traces"])
def test_what_reads_records_imports_nothing_that_draws_or_asks(room: str) -> None:
    for path in files(room):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        names = {a.name for n in ast.walk(tree) if isinstance(n, ast.Import) for a in n.names}
        names |= {n.module or "" for n in ast.walk(tree) if isinstance(n, ast.ImportFrom)}
        assert not {name.split(".")[0] for name in names} & {"matplotlib", "rich", "jinja2", "litellm"}, path


@pytest.mark.parametrize("room", FLOORS)
def test_every_package_has_a_docstring(room: str) -> None:
    first = next(path for path in files(room) if path.stem in {room, "__init__"})
    assert ast.get_docstring(ast.parse(first.read_text(encoding="utf-8")))


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


def test_top_level_links_show_the_packages() -> None:
    for room in LINKS:
        link = PACKAGE.parent / room
        assert link.is_symlink()
        assert link.readlink() == Path("repair_bench") / room
