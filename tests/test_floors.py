"""Packages form layers: each imports only lower ones, without cycles."""

import ast
from collections import Counter
from pathlib import Path

import pytest

import repair_bench

pytestmark = pytest.mark.slow  # `make check` runs these

PACKAGE = Path(repair_bench.__file__).parent
LAYERS = [
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
"""Packages and top-level modules, the highest layer first."""
SUBLAYERS: dict[str, list[tuple[str, ...]]] = {
    "cli": [("__init__",), ("commands",), ("",)],
    "report": [("site",), ("page", "watching"), ("sections",), ("plots",), ("exports",), ("",)],
    "agent": [("training",), ("",), ("studies",), ("loop",), ("telemetry",), ("experiment",), ("models",)],
    "agent/models": [("__init__", ""), ("batch",), ("network", "sim", "manual", "replay"), ("base",), ("retry",)],
    "grading": [("audit", "hypotheses"), ("",)],
    "prompts": [("",), ("extraction", "feedback"), ("leaks",), ("templates",)],
    "suites": [
        ("aligned", "conventions", "horizon", "jsonl", "quanbench_plus", "qiskit_humaneval", "quantum_katas"),
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
"""Layers within a package, the highest first. Modules of one layer do not import each other. "": all others."""
FORBIDDEN = {
    "report": {"agent", "grading", "prompts", "suites", "executors"},
    "analysis": {"executors"},
}
"""Lower packages that a package must not import either."""
MAX_MODULES = 14
LINKS = ["agent", "prompts", "suites", "executors", "traces"]


def imports(path: Path) -> set[str]:
    """Return the modules and names of the package that a file imports, at any place."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "repair_bench":
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
    return {name.removeprefix("repair_bench.") for name in found if name.startswith("repair_bench.")}


def files(package: str) -> list[Path]:
    guest = PACKAGE / "executors" / "guest"  # a separate program
    module = PACKAGE / f"{package}.py"
    found = [module] if module.exists() else sorted((PACKAGE / package).rglob("*.py"))
    return [path for path in found if guest not in path.parents]


def test_every_package_has_a_layer() -> None:
    packages = {path.name for path in PACKAGE.iterdir() if path.is_dir() and any(path.glob("*.py"))}
    modules = {path.stem for path in PACKAGE.glob("*.py")} - {"__init__", "__main__"}
    assert packages | modules == set(LAYERS)


@pytest.mark.parametrize("package", LAYERS)
def test_packages_import_only_lower_layers(package: str) -> None:
    assert files(package)
    forbidden = set(LAYERS[: LAYERS.index(package)]) | FORBIDDEN.get(package, set())
    climbing = {
        str(path.relative_to(PACKAGE)): sorted(name)
        for path in files(package)
        if (name := {one for one in imports(path) if one.split(".")[0] in forbidden})
    }
    assert climbing == {}


@pytest.mark.parametrize("package", SUBLAYERS)
def test_subpackages_import_only_lower_layers(package: str) -> None:
    layers = {part: layer for layer, parts in enumerate(SUBLAYERS[package]) for part in parts}

    def allowed(own: str, other: str) -> bool:
        own, other = (name if name in layers else "" for name in (own, other))
        return own == other or layers[own] < layers[other]

    inside = package.replace("/", ".") + "."
    climbing = {
        (str(path.relative_to(PACKAGE)), name)
        for path in files(package)
        for name in imports(path)
        if name.startswith(inside)
        and not allowed(
            path.relative_to(PACKAGE / package).parts[0].removesuffix(".py"), name.removeprefix(inside).split(".")[0]
        )
    }
    assert climbing == set()


def test_every_module_of_a_package_has_a_layer() -> None:
    named = {package: {part for parts in layers for part in parts} - {""} for package, layers in SUBLAYERS.items()}
    for package in [*LAYERS, "agent/models"]:
        folders = {path.name for path in (PACKAGE / package).glob("*/") if any(path.glob("*.py"))}
        assert len(folders) < 2 or folders <= named[package], package


def test_no_package_is_a_long_list_of_modules() -> None:
    """Lists of equals are exempt, because a reader finds each by its name."""
    equals = {
        "executors/guest/adapters",
        "prompts/feedback",
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


def test_packages_do_not_use_the_public_interface() -> None:
    """`import repair_bench` is the top layer."""
    known = set(LAYERS)
    for path in (file for package in LAYERS[LAYERS.index("testing") :] for file in files(package)):
        assert {name.split(".")[0] for name in imports(path)} <= known, path
        tree = ast.parse(path.read_text(encoding="utf-8"))
        taken = {
            node.attr
            for node in ast.walk(tree)
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "repair_bench"
        }
        assert taken <= known, path


@pytest.mark.parametrize("package", ["analysis", "traces"])
def test_readers_of_records_do_not_import_plots_or_clients(package: str) -> None:
    for path in files(package):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        names = {a.name for n in ast.walk(tree) if isinstance(n, ast.Import) for a in n.names}
        names |= {n.module or "" for n in ast.walk(tree) if isinstance(n, ast.ImportFrom)}
        assert not {name.split(".")[0] for name in names} & {"matplotlib", "rich", "jinja2", "litellm"}, path


@pytest.mark.parametrize("package", LAYERS)
def test_every_package_has_a_docstring(package: str) -> None:
    first = next(path for path in files(package) if path.stem in {package, "__init__"})
    assert ast.get_docstring(ast.parse(first.read_text(encoding="utf-8")))


def test_imports_are_absolute() -> None:
    """A relative import would escape the test above."""
    guest = PACKAGE / "executors" / "guest"  # a separate program
    relative = [
        str(path.relative_to(PACKAGE))
        for path in PACKAGE.rglob("*.py")
        if guest not in path.parents
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom) and node.level > 0
    ]
    assert relative == []


def test_the_guest_imports_nothing_of_the_package() -> None:
    """It runs in interpreters without the package."""
    for path in (PACKAGE / "executors" / "guest").rglob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        names = {a.name for n in ast.walk(tree) if isinstance(n, ast.Import) for a in n.names}
        names |= {n.module or "" for n in ast.walk(tree) if isinstance(n, ast.ImportFrom)}
        assert not [name for name in names if name.startswith("repair_bench")], path


def test_top_level_links_show_the_packages() -> None:
    for package in LINKS:
        link = PACKAGE.parent / package
        assert link.is_symlink()
        assert link.readlink() == Path("repair_bench") / package
