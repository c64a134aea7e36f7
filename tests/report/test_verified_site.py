"""Verification of a site: edited pages are found even with new checksums, and signatures are checked."""

import json
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest
from typer.testing import CliRunner

from repair_bench import api
from repair_bench.cli import app
from repair_bench.cli.commands import publish as command
from repair_bench.report import plots, site
from repair_bench.report.site import layout, publishing
from repair_bench.traces.faults import UsageError
from repair_bench.traces.files import signatures
from repair_bench.traces.files.checksums import differences, write_sums

pytestmark = pytest.mark.slow  # each test publishes a site

DRAWS = int(os.environ.get("REPAIR_BENCH_DRAWS", "1"))
needs_ssh = pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="ssh-keygen is not installed")


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    experiment = {"frameworks": ["qiskit"], "limit": 3, "max_attempts": 1}
    return api.run(experiment, out=tmp_path_factory.mktemp("runs") / "one", workers=2).directory


@pytest.fixture
def made(run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the site of the run, without plots, which are slow."""
    monkeypatch.setattr(plots, "AFTER_RUN", ())
    monkeypatch.setattr(publishing, "curves", lambda board, number: None)
    site.publish([run], tmp_path / "site", texts=command._texts(), authors=["A. Author"])
    return tmp_path / "site"


def edited(path: Path, rng: Random) -> None:
    """Change one digit of a text."""
    text = path.read_text(encoding="utf-8")
    place = rng.choice([i for i, c in enumerate(text) if c.isdigit()])
    path.write_text(f"{text[:place]}{(int(text[place]) + 1) % 10}{text[place + 1 :]}", encoding="utf-8")


def added(folder: Path, rng: Random) -> None:
    (folder / f"{rng.randrange(100)}.html").write_text("<p>Better figures</p>")


def removed(folder: Path, rng: Random) -> None:
    (folder / rng.choice(["index.html", "README.md", "CITATION.cff", "runs/one/index.html"])).unlink()


KINDS: dict[str, Callable[[Path, Random], None]] = {
    "index": lambda folder, rng: edited(folder / "index.html", rng),
    "page": lambda folder, rng: edited(folder / "runs/one/index.html", rng),
    "card": lambda folder, rng: edited(folder / "README.md", rng),
    "figures": lambda folder, rng: edited(folder / "site.json", rng),
    "added": added,
    "removed": removed,
}


@pytest.mark.parametrize("kind", KINDS)
def test_edited_site_with_new_checksums_is_found(kind: str, made: Path, tmp_path: Path) -> None:
    for number in range(DRAWS):
        folder = tmp_path / f"{kind}-{number}"
        shutil.copytree(made, folder)
        KINDS[kind](folder, Random(f"{kind} {number}"))
        write_sums(folder)
        assert differences(folder) == []
        try:
            assert any(site.rebuild(folder, texts=command._texts())), number
        except UsageError:
            assert kind == "figures"  # `site.json` is no longer readable


def test_unchanged_site_equals_its_rebuild(made: Path) -> None:
    assert site.rebuild(made, texts=command._texts()) == ([], "")
    assert {*layout.KEPT} >= {path.name for path in (made / "runs/one").iterdir()} - {"index.html"}


def test_site_without_settings_of_providers_is_consistent(made: Path, run: Path) -> None:
    assert "asked_with" in (run / "run.json").read_text()
    assert "asked_with" not in (made / "runs/one/run.json").read_text()
    assert CliRunner().invoke(app, ["verify", str(made), "--sample", "3"]).exit_code == 0


def test_pages_of_other_versions_are_not_verifiable(made: Path) -> None:
    stated = json.loads((made / "site.json").read_text())
    (made / "site.json").write_text(json.dumps({**stated, "made_with": {"matplotlib": "1.0"}}))
    wrong, doubt = site.rebuild(made, texts=command._texts())
    assert wrong == []
    assert "generated with different package versions" in doubt
    assert "matplotlib 1.0" in doubt


@pytest.fixture
def key(tmp_path: Path) -> Path:
    path = tmp_path / "key"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", str(path)], check=True, timeout=60)
    (tmp_path / "allowed").write_text(f"ann@example.org {path.with_suffix('.pub').read_text()}")
    return path


@needs_ssh
def test_signature_covers_the_checksums(made: Path, key: Path, tmp_path: Path, run: Path) -> None:
    allowed = tmp_path / "allowed"
    assert "is missing" in signatures.is_signed_by(made, "ann@example.org", allowed)
    site.publish([run], made, texts=command._texts(), sign=lambda folder: signatures.sign(folder, key))
    assert signatures.is_signed_by(made, "ann@example.org", allowed) is None
    assert site.rebuild(made, texts=command._texts()) == ([], "")
    assert "is not a valid signature by bob" in signatures.is_signed_by(made, "bob@example.org", allowed)
    (made / "runs/one/study.lock").write_text("{}")
    write_sums(made)
    assert "is not a valid signature by ann" in signatures.is_signed_by(made, "ann@example.org", allowed)


@needs_ssh
def test_signature_for_another_purpose_is_refused(made: Path, key: Path, tmp_path: Path) -> None:
    sign = ["ssh-keygen", "-q", "-Y", "sign", "-f", str(key), "-n", "git", str(made / "SHA256SUMS")]
    subprocess.run(sign, check=True, timeout=60, capture_output=True)
    assert "is not a valid signature" in signatures.is_signed_by(made, "ann@example.org", tmp_path / "allowed")


@needs_ssh
def test_key_that_cannot_sign_publishes_nothing(run: Path, tmp_path: Path) -> None:
    (tmp_path / "key").write_text("no key")
    with pytest.raises(UsageError, match=r"key cannot sign: "):
        site.publish(
            [run], tmp_path / "site", texts=command._texts(), sign=lambda at: signatures.sign(at, tmp_path / "key")
        )
    assert not (tmp_path / "site").exists()


def test_missing_ssh_keygen_is_a_usage_error(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UsageError, match="signatures need ssh-keygen"):
        signatures.sign(made, tmp_path / "key")


def test_signer_of_a_run_directory_is_refused(run: Path, tmp_path: Path) -> None:
    for options, why in (
        (["--signer", "ann"], "use --signer and --allowed-signers together"),
        (["--signer", "a", "--allowed-signers", "f"], "run"),
    ):
        done = CliRunner().invoke(app, ["verify", str(run), *options])
        assert isinstance(done.exception, UsageError)
        assert why in str(done.exception)


@needs_ssh
def test_each_result_has_its_exit_code(made: Path, key: Path, tmp_path: Path, run: Path) -> None:
    def verified(*options: str, place: Path = made) -> tuple[int, str]:
        done = CliRunner().invoke(app, ["verify", str(place), *options])
        return done.exit_code, done.stdout

    code, said = verified()
    assert (code, said.splitlines()[-1]) == (0, "consistent")
    assert "; re-executed " in said
    code, said = verified("--sample", "0", "--json")
    assert (code, json.loads(said)["result"]) == (3, "not verifiable")
    code, said = verified("--signer", "ann@example.org", "--allowed-signers", str(tmp_path / "allowed"))
    assert (code, said.splitlines()[-1]) == (1, "contradicted")
    manifest = json.loads((run / "run.json").read_text())
    manifest["experiment"]["versions"]["qiskit"]["qiskit"] = "0.1"
    shutil.copytree(run, tmp_path / "other")
    (tmp_path / "other" / "run.json").write_text(json.dumps(manifest))
    code, said = verified(place=tmp_path / "other")
    assert (code, said.splitlines()[-1]) == (0, "consistent")
    assert "qiskit 0.1 -> " in said
