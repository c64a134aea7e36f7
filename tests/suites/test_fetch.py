"""Downloads of official files from a server on the loopback interface."""

import functools
import threading
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from repair_bench.suites import fetch
from repair_bench.traces.faults import UsageError

FOLDERS = {
    "quanbench-plus": "quanbench-plus",
    "qiskit-humaneval": "qiskit-humaneval",
    "qiskit-humaneval-hard": "qiskit-humaneval",
    "quantum-katas": "quantum-katas",
}


class Server(ThreadingHTTPServer):
    """Serves a folder under the URLs of the repositories; `asked` contains the paths of the requests."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.asked: list[str] = []
        asked = self.asked

        class Handler(SimpleHTTPRequestHandler):
            def log_request(self, *_: object) -> None:
                asked.append(self.path)

            def log_message(self, *_: object) -> None: ...

        super().__init__(("127.0.0.1", 0), functools.partial(Handler, directory=str(folder)))

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


@pytest.fixture
def server(tmp_path: Path, datasets: Path) -> Iterator[Server]:
    for name, source in fetch.SOURCES.items():
        for local, published in source.files.items():
            path = tmp_path / "published" / source.repository / source.commit / published
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes((datasets / FOLDERS[name] / local).read_bytes())
    server = Server(tmp_path / "published")
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def files(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.rglob("*") if path.is_file())


@pytest.mark.parametrize("name", fetch.SOURCES)
def test_the_official_files_are_fetched_as_published(server: Server, tmp_path: Path, datasets: Path, name: str) -> None:
    folder = fetch.fetch(name, tmp_path / "cache", server.url)
    assert files(tmp_path / "cache") == sorted(fetch.SOURCES[name].files)
    for local in fetch.SOURCES[name].files:
        assert (folder / local).read_bytes() == (datasets / FOLDERS[name] / local).read_bytes()


def test_present_files_are_not_fetched_again(server: Server, tmp_path: Path) -> None:
    first = fetch.fetch("quanbench-plus", tmp_path / "cache", server.url)
    assert len(server.asked) == 4
    assert fetch.fetch("quanbench-plus", tmp_path / "cache", server.url) == first
    assert len(server.asked) == 4


def test_damaged_files_are_fetched_again(server: Server, tmp_path: Path, datasets: Path) -> None:
    folder = fetch.fetch("quantum-katas", tmp_path / "cache", server.url)
    (folder / "quantum_katas.jsonl").write_text("spoilt")
    fetch.fetch("quantum-katas", tmp_path / "cache", server.url)
    official = datasets / "quantum-katas" / "quantum_katas.jsonl"
    assert (folder / "quantum_katas.jsonl").read_bytes() == official.read_bytes()


def test_a_file_that_is_not_the_published_one_is_refused_and_not_kept(server: Server, tmp_path: Path) -> None:
    (path,) = server.folder.rglob("quantum_katas.jsonl")
    path.write_bytes(path.read_bytes() + b"\n")
    with pytest.raises(UsageError, match=r"quantum_katas\.jsonl: the SHA-256 is \w{64}, not the published e915f0"):
        fetch.fetch("quantum-katas", tmp_path / "cache", server.url)
    assert files(tmp_path / "cache") == []


def test_a_file_that_is_cut_off_is_refused_and_not_kept(server: Server, tmp_path: Path) -> None:
    (path,) = server.folder.rglob("canonical_solutions.json")
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(UsageError, match=r"canonical_solutions\.json: the SHA-256"):
        fetch.fetch("quanbench-plus", tmp_path / "cache", server.url)
    assert files(tmp_path / "cache") == ["cirq.jsonl", "pennylane.jsonl", "qiskit.jsonl"]


def test_a_file_that_the_server_lacks_is_a_usage_error(server: Server, tmp_path: Path) -> None:
    (path,) = server.folder.rglob("quantum_katas.jsonl")
    path.unlink()
    with pytest.raises(UsageError, match=r"quantum_katas\.jsonl: download failed: the server returned 404"):
        fetch.fetch("quantum-katas", tmp_path / "cache", server.url)


def test_without_a_network_there_is_one_clear_error(tmp_path: Path) -> None:
    with Server(tmp_path) as closed:
        url = closed.url
    with pytest.raises(UsageError, match=r"cannot be downloaded: .*refused") as error:
        fetch.fetch("quantum-katas", tmp_path / "cache", url)
    assert "\n" not in str(error.value)
    assert not (tmp_path / "cache").exists()


def test_an_unknown_suite_names_those_that_can_be_fetched(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"'aligned'.*quanbench-plus, qiskit-humaneval, .*quantum-katas"):
        fetch.fetch("aligned", tmp_path)


def test_a_cache_that_cannot_be_written_is_a_usage_error(server: Server, tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("a file in the folder's place")
    with pytest.raises(UsageError, match="cannot be written"):
        fetch.fetch("quantum-katas", tmp_path / "cache", server.url)


def test_files_are_stored_in_the_users_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert fetch.folder("quantum-katas").is_relative_to(tmp_path / "repair-bench")
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    assert fetch.folder("quantum-katas").is_relative_to(tmp_path / "home" / ".cache" / "repair-bench")


def test_the_checksums_are_those_of_the_files_for_tests(datasets: Path) -> None:
    published = {name: digest for digest, name in map(str.split, (datasets / "SHA256SUMS").read_text().splitlines())}
    ours = {
        f"{FOLDERS[name]}/{local}": source.hashes[published]
        for name, source in fetch.SOURCES.items()
        for local, published in source.files.items()
    }
    assert ours == published


@pytest.mark.parametrize("name", fetch.SOURCES)
def test_files_are_found_in_the_folder_of_a_suite_or_above_it(tmp_path: Path, name: str) -> None:
    def found_in(data: Path, own: Path) -> None:
        own.mkdir(parents=True)
        for local in fetch.SOURCES[name].files:
            (own / local).write_text("")
        assert {path.parent for path in fetch.official(name, data).values()} == {own}

    found_in(tmp_path / "own", tmp_path / "own")
    found_in(tmp_path / "parent", tmp_path / "parent" / FOLDERS[name])
    found_in(tmp_path / "cache" / "datasets", fetch.folder(name, tmp_path / "cache"))


def test_a_missing_file_is_expected_next_to_the_others(tmp_path: Path) -> None:
    (tmp_path / "quanbench-plus").mkdir()
    (tmp_path / "quanbench-plus" / "cirq.jsonl").write_text("")
    assert {path.parent.name for path in fetch.official("quanbench-plus", tmp_path).values()} == {"quanbench-plus"}
