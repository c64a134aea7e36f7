"""Files with expected answers: candidates cannot read them in any place, with any set of sandbox layers."""

import json
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from plain_programs import plain, returned

from repair_bench.coroutines import run_to_end
from repair_bench.executors import doctor
from repair_bench.executors.guest.sandbox.lockdown import LAYERS
from repair_bench.executors.local import LocalExecutor
from repair_bench.executors.options import ExecutorOptions
from repair_bench.traces.faults import UsageError

pytestmark = pytest.mark.slow

GRANTED = {name for name, state in doctor.probe().items() if state == "on"}
WITHOUT_NAMESPACES = tuple(name for name in LAYERS if not name.endswith("_ns"))
NAMESPACES_ALONE = tuple(name for name in LAYERS if name not in ("landlock", "seccomp"))
SETS = [LAYERS, WITHOUT_NAMESPACES, NAMESPACES_ALONE]
ANSWER = "the expected answer is 42\n"
REFUSE = str(Path(__file__).with_name("refusing.py"))


class Environment:
    """A virtual environment with secrets planted in it. `secrets`: files that no candidate may read."""

    def __init__(self, folder: Path) -> None:
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder / "env"], check=True, timeout=60)
        self.folder = folder
        self.prefix = folder / "env"
        self.python = str(self.prefix / "bin" / "python")
        (self.packages,) = self.prefix.glob("lib/python*/site-packages")
        self.secrets: list[Path] = []

    def plant(self, *paths: Path, text: str = ANSWER) -> None:
        for path in paths:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
            self.secrets.append(path)

    def on_path(self, name: str, folder: Path | str) -> None:
        (self.packages / f"{name}.pth").write_text(f"{folder}\n")

    def readable(self, layers: tuple[str, ...] = LAYERS, private: tuple[Path, ...] = ()) -> list[str]:
        """Return the secrets that a candidate can read."""
        if missing := set(layers) - GRANTED:
            pytest.skip(f"this machine refuses {missing}")
        source = f"""
            def answer():
                found = []
                for path in {list(map(str, self.secrets))!r}:
                    try:
                        with open(path, "rb") as file:
                            found += [path] if file.read() else []
                    except OSError:
                        pass
                return found
        """

        async def run() -> str:
            more = {"private": private} if private else {}
            async with LocalExecutor(1, {"python": self.python}, layers=layers, **more) as executor:
                return returned(await executor.run(plain(source)))

        return eval(run_to_end(run()))


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Environment:
    made = Environment(tmp_path_factory.mktemp("secrets"))
    share, packages, folder = made.prefix / "share", made.packages, made.folder
    installed(made)
    # copies that the interpreter finds in other ways
    made.on_path("relative", "../../../share/relative")
    made.plant(share / "relative" / "repair_bench" / "a.py")
    made.on_path("checkout", share / "checkout")
    made.plant(share / "checkout" / "repair_bench" / "a.py", share / "checkout" / "tests" / "test_a.py")
    made.plant(share / "checkout" / "pyproject.toml")
    made.on_path("elsewhere", folder / "project")
    made.plant(folder / "project" / "repair_bench" / "a.py", folder / "project" / "tests" / "test_a.py")
    made.on_path("egg", "./repair_bench-0.0.9-py3.11.egg")
    made.plant(packages / "repair_bench-0.0.9-py3.11.egg" / "repair_bench" / "a.py")
    archive = share / "library.zip"
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("repair_bench/__init__.py", ANSWER)
    made.on_path("archive", archive)
    made.secrets.append(archive)
    # packages that add suites
    added(made, "first", "first_suite.tasks", packages / "first_suite" / "__init__.py")
    made.plant(packages / "first_suite" / "data" / "answers.json")
    added(made, "second", "second_suite", packages / "second_suite.py")
    added(made, "third", "shared_name.third.tasks:load", packages / "shared_name" / "third" / "__init__.py")
    return made


def installed(made: Environment) -> None:
    """Create the files of an ordinary, an editable and an interrupted installation by pip."""
    packages = made.packages
    made.plant(packages / "repair_bench" / "__init__.py", packages / "repair_bench" / "suites" / "a.json")
    made.plant(packages / "repair_bench" / "__pycache__" / "__init__.cpython-311.pyc")
    made.plant(packages / "repair_bench-0.1.0.dist-info" / "RECORD", packages / "Repair_Bench.egg-info" / "SOURCES.txt")
    made.plant(packages / "repair-bench.egg-link", packages / "~epair_bench" / "a.py")
    made.plant(packages / "__editable___repair_bench_0_1_0_finder.py", text=FINDER.format(made.prefix / "share/edited"))
    (packages / "__editable__.repair_bench-0.1.0.pth").write_text(
        "import __editable___repair_bench_0_1_0_finder as finder; finder.install()\n"
    )
    made.plant(packages / "__pycache__" / "__editable___repair_bench_0_1_0_finder.cpython-39.pyc")
    made.plant(made.prefix / "share" / "edited" / "repair_bench" / "a.py")
    made.plant(made.prefix / "share" / "edited" / "repair_bench" / "__init__.py")


FINDER = """
import sys
from importlib.util import spec_from_file_location

class Finder:
    @classmethod
    def find_spec(cls, name, path=None, target=None):
        if name == "repair_bench":
            folder = {0!r} + "/repair_bench"
            return spec_from_file_location(name, folder + "/__init__.py", submodule_search_locations=[folder])

def install():
    sys.meta_path.append(Finder)
""".replace("{0!r}", '"{}"')


def added(made: Environment, distribution: str, module: str, file: Path) -> None:
    """Create a package that adds a suite."""
    folder = made.packages / f"{distribution}-1.0.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {distribution}\nVersion: 1.0\n")
    (folder / "entry_points.txt").write_text(f"[repair_bench.suites]\n{distribution} = {module}\n")
    made.plant(file)


@pytest.mark.parametrize("layers", SETS)
def test_no_copy_of_expected_answers_can_be_read(environment: Environment, layers: tuple[str, ...]) -> None:
    assert environment.readable(layers) == []


def test_without_any_layer_all_copies_can_be_read(environment: Environment) -> None:
    assert environment.readable(()) == list(map(str, environment.secrets))


@pytest.fixture
def private(tmp_path: Path) -> tuple[Environment, tuple[Path, ...]]:
    """An environment with data, caches and runs inside its prefix, and the paths that the executor receives."""
    made = Environment(tmp_path)
    share = made.prefix / "share"
    made.on_path("project", tmp_path / "project")
    made.plant(share / "data" / "suite" / "tests.json", share / "tasks.jsonl", tmp_path / "project" / "data" / "a.json")
    made.plant(made.packages / "data" / "a.json", share / "real" / "a.json")
    (tmp_path / "link").symlink_to(share / "real")
    given = (share / "data", share / "tasks.jsonl", tmp_path / "project" / "data", made.packages / "data")
    return made, (*given, tmp_path / "link", tmp_path / "missing" / "data")


@pytest.mark.parametrize("layers", SETS)
def test_data_inside_the_prefix_cannot_be_read(private, layers) -> None:
    environment, paths = private
    assert environment.readable(layers, paths) == []


@pytest.mark.parametrize("layers", SETS)
def test_a_run_created_later_cannot_be_read(tmp_path: Path, layers: tuple[str, ...]) -> None:
    if missing := set(layers) - GRANTED:
        pytest.skip(f"this machine refuses {missing}")
    environment = Environment(tmp_path)
    share = environment.prefix / "share"
    (share / "kept").mkdir(parents=True)
    (share / "kept" / "known").write_text("known")
    run = share / "runs" / "first"

    async def read(executor: LocalExecutor, path: Path) -> str:
        source = f"def answer():\n    try: return open({str(path)!r}).read()\n    except OSError: return 'refused'"
        return returned(await executor.run(plain(source)))

    async def main() -> list[str]:
        pythons = {"python": environment.python}
        async with LocalExecutor(1, pythons, layers=layers, private=(run, share / "graded.jsonl")) as executor:
            executor.layers("python")
            environment.plant(run / "attempts.jsonl", share / "graded.jsonl")
            return [await read(executor, path) for path in (*environment.secrets, share / "kept" / "known")]

    assert run_to_end(main()) == ["'refused'", "'refused'", "'known'"]


@pytest.mark.parametrize("layers", [LAYERS, WITHOUT_NAMESPACES])
def test_an_environment_inside_a_hidden_folder_still_runs(tmp_path: Path, layers: tuple[str, ...]) -> None:
    environment = Environment(tmp_path)
    environment.plant(tmp_path / "tests.json", environment.prefix / "share" / "x" / "a.json")
    assert environment.readable(layers, (tmp_path, environment.prefix / "share" / "x")) == []


def test_other_candidates_cannot_be_read_below_the_prefix(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    environment = Environment(tmp_path)
    environment.plant(environment.prefix / "share" / "tmp" / "repair-bench-of-others" / "1" / "left.txt")
    monkeypatch.setattr("tempfile.tempdir", str(environment.prefix / "share" / "tmp"))
    assert environment.readable(WITHOUT_NAMESPACES) == []
    assert environment.readable() == []


def test_a_folder_that_cannot_be_hidden_is_named(tmp_path: Path) -> None:
    environment = Environment(tmp_path)
    environment.plant(environment.packages / "tests.json")
    with pytest.raises(UsageError) as refused:  # the interpreter needs the folder
        environment.readable(private=(environment.packages,))
    assert f"python programs could read {environment.packages}: move this path" in str(refused.value)
    assert "\n" not in str(refused.value)


def test_an_interpreter_that_imports_the_answers_is_refused(tmp_path: Path) -> None:
    environment = Environment(tmp_path)
    environment.plant(environment.packages / "repair_bench" / "__init__.py", text="")
    (environment.packages / "start.pth").write_text("import repair_bench\n")
    with pytest.raises(UsageError, match="could read the module repair_bench"):
        environment.readable()


@pytest.mark.parametrize("layers", SETS)
def test_a_second_mount_of_the_data_cannot_be_read(tmp_path: Path, layers: tuple[str, ...]) -> None:
    if not {*layers, "user_ns"} <= GRANTED:
        pytest.skip("a user namespace and the layers are needed")
    environment = Environment(tmp_path)
    environment.plant(tmp_path / "data" / "suite" / "tests.json")
    mounted, part = (environment.prefix / "share" / name for name in ("mounted", "part"))
    for folder in (mounted, part):
        folder.mkdir(parents=True)
    environment.secrets += [mounted / "suite" / "tests.json", part / "tests.json"]
    script = f'mount --bind {tmp_path}/data {mounted} && mount --bind {tmp_path}/data/suite {part} && exec "$@"'
    look = f"""
import sys
sys.path.insert(0, {str(Path(__file__).parent)!r})
from test_secrets import Environment
from pathlib import Path
made = Environment.__new__(Environment)
made.python, made.secrets = {environment.python!r}, {list(map(str, environment.secrets))!r}
print(made.readable({layers!r}, (Path({str(tmp_path / "data")!r}),)))
"""
    command = ["unshare", "-Urm", "sh", "-c", script, "sh", sys.executable, "-c", look]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.stdout.strip() == "[]", done.stderr


def command(folder: Path, refused: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Grade an answer while the machine refuses layers."""
    (folder / "in.jsonl").write_text(json.dumps({"task_id": "16", "framework": "qiskit", "code": "x = 1"}) + "\n")
    grade = [sys.executable, "-m", "repair_bench", "grade", "in.jsonl", "--suite", "aligned", "--out", "out.jsonl"]
    denied = [sys.executable, REFUSE, refused] if refused else []
    return subprocess.run(
        [*denied, *grade, *arguments], cwd=folder, capture_output=True, text=True, timeout=120, check=False
    )


@pytest.mark.parametrize("refused", ["user_ns,mount_ns,landlock,seccomp", "mount_ns,landlock", "user_ns,landlock"])
def test_candidates_do_not_run_without_a_hiding_layer(tmp_path: Path, refused: str) -> None:
    done = command(tmp_path, refused)
    assert done.returncode == 2, done.stderr
    (line,) = done.stderr.splitlines()
    assert line.startswith("repair-bench: qiskit programs cannot be confined, because this machine denies ")
    assert line.endswith("for code that you trust, use --require-sandbox none")
    assert [path.name for path in tmp_path.iterdir()] == ["in.jsonl"]


@pytest.mark.parametrize(
    ("refused", "arguments", "line"),
    [
        ("", (), "sandbox: user namespaces, landlock, seccomp"),
        ("", ("--json",), None),
        ("user_ns", (), "sandbox: landlock, seccomp; missing: user namespaces ("),
        ("seccomp", ("--json",), "sandbox: user namespaces, landlock; missing: seccomp ("),
        ("landlock", ("--json",), "sandbox: user namespaces, seccomp; missing: landlock ("),
        ("user_ns,landlock,seccomp", ("--require-sandbox", "none"), "sandbox: off; programs run with all of"),
    ],
)
def test_one_line_names_the_active_layers(tmp_path, refused, arguments, line) -> None:
    if set(LAYERS) != GRANTED:
        pytest.skip("a machine with all layers is needed")
    done = command(tmp_path, refused, *arguments)
    assert done.returncode == 0, done.stderr
    lines = [text for text in done.stderr.splitlines() if text.startswith("sandbox")]
    assert [text[: len(line or "")] for text in lines] == ([] if line is None else [line])
    assert "sandbox" not in done.stdout
    if "--json" in arguments:
        json.loads(done.stdout)


def test_an_answer_cannot_read_its_grading_data(tmp_path: Path) -> None:
    environment = Environment(tmp_path)
    (ours,) = Path(sys.prefix).glob("lib/python*/site-packages")
    environment.on_path("frameworks", ours)
    data = environment.prefix / "share" / "tasks.jsonl"
    check = {"kind": "distribution", "cases": [{"expected": {"0": 1.0}}]}
    task = {"task_id": "a", "framework": "qiskit", "entry_point": "answer", "prompt": "Answer.", "check": check}
    environment.plant(data, text=json.dumps(task) + "\n")
    code = f"def answer():\n    if open({str(data)!r}).read():\n        raise ValueError('read')\n"
    (tmp_path / "in.jsonl").write_text(json.dumps({"task_id": "a", "framework": "qiskit", "code": code}) + "\n")
    grade = [sys.executable, "-m", "repair_bench", "grade", "in.jsonl", "--suite", "jsonl", "--out", "out.jsonl"]
    options = ["--data", "env/share/tasks.jsonl", "--python", f"qiskit={environment.python}"]
    done = subprocess.run([*grade, *options], cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    assert json.loads((tmp_path / "out.jsonl").read_text())["error_type"] != "ValueError"


def test_relative_private_paths_become_absolute(tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    environment = Environment(tmp_path)
    environment.plant(environment.prefix / "share" / "data" / "a.json")
    options = ExecutorOptions(pythons={})
    executor = options.open(Path("env/share/data"), None)
    assert isinstance(executor, LocalExecutor)
    assert executor._private == (environment.prefix / "share" / "data",)
    executor.shutdown()
    assert [path.name for path in tmp_path.iterdir()] == ["env"]
