"""Reports on the sandbox layers of this machine, and the check of required layers."""

import shutil
import subprocess
import sys

import pytest

from repair_bench.executors import doctor
from repair_bench.executors.guest.sandbox.lockdown import LAYERS, ON, WITHOUT
from repair_bench.traces.faults import UsageError


@pytest.mark.slow
def test_the_report_has_every_layer_and_the_effect_of_its_absence():
    rows = doctor.report()
    assert [row["layer"] for row in rows] == list(LAYERS)
    assert {row["layer"]: row["state"] for row in rows} == doctor.probe()
    assert [row["without"] for row in rows] == list(WITHOUT.values())
    assert list(WITHOUT) == list(LAYERS)


def test_a_failed_probe_is_reported_for_every_layer(monkeypatch):
    monkeypatch.setattr(doctor, "PROBE_SECONDS", 0.0)
    assert {row["state"].split(" with")[0] for row in doctor.report()} == {"the sandbox layers could not be tested"}


@pytest.mark.parametrize("platform", ["darwin", "win32", "freebsd14"])
def test_other_systems_than_linux_run_only_trusted_code(platform):
    for sandbox in ("best", "strict"):
        with pytest.raises(UsageError, match=rf"sandboxed on {platform}: .* --require-sandbox none"):
            doctor.require(sandbox, platform=platform)
    assert doctor.require("none", platform=platform) == "none"


def test_an_unknown_sandbox_requirement_is_refused():
    with pytest.raises(UsageError, match="--require-sandbox 'most': choose from strict, best, none"):
        doctor.require("most")


@pytest.mark.slow
def test_strict_accepts_a_machine_with_every_layer():
    refused = [name for name, state in doctor.probe().items() if state != ON]
    if refused:
        with pytest.raises(UsageError, match=refused[0]):
            doctor.require("strict")
    else:
        assert doctor.require("strict") == "strict"
    assert doctor.require("best") == "best"


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["mnt", "pid", "net", "ipc", "uts"])
def test_strict_names_a_single_namespace_that_is_denied(kind):
    if not shutil.which("unshare") or doctor.probe()["user_ns"] != ON:
        pytest.skip("a user namespace and unshare(1) are needed")
    script = f'echo 0 > /proc/sys/user/max_{kind}_namespaces && exec "$@"'
    look = [sys.executable, "-c", "from repair_bench.executors import doctor; doctor.require('strict')"]
    command = ["unshare", "-Ur", "sh", "-c", script, "sh", *look]
    done = subprocess.run(command, stderr=subprocess.PIPE, text=True, timeout=120, check=False)
    layer = "mount_ns" if kind == "mnt" else f"{kind}_ns"
    assert f"UsageError: --require-sandbox strict: this machine does not allow {layer} (" in done.stderr


@pytest.mark.slow
def test_a_null_device_that_is_a_file_is_named(tmp_path):
    if not shutil.which("unshare") or doctor.probe()["mount_ns"] != ON:
        pytest.skip("a mount namespace and unshare(1) are needed")
    (tmp_path / "null").write_text("text")
    script = 'mount --bind null /dev/null && exec "$@"'
    look = [sys.executable, "-c", "from repair_bench.executors import doctor; print(doctor.probe()['mount_ns'])"]
    command = ["unshare", "-Urm", "sh", "-c", script, "sh", *look]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout == "/dev/null is not the null device\n"


@pytest.mark.slow
def test_strict_reports_denied_user_namespaces_in_one_line(tmp_path):
    # a user namespace without nested ones; the limit of the machine does not change
    if not shutil.which("unshare") or doctor.probe()["user_ns"] != ON:
        pytest.skip("a user namespace and unshare(1) are needed")
    (tmp_path / "in.jsonl").write_text('{"task_id": "16", "framework": "qiskit", "code": "x = 1"}\n')
    script = 'echo 0 > /proc/sys/user/max_user_namespaces && exec "$@"'
    grade = [sys.executable, "-m", "repair_bench", "grade", "in.jsonl", "--suite", "aligned", "--out", "out.jsonl"]
    command = ["unshare", "-Ur", "sh", "-c", script, "sh", *grade, "--require-sandbox", "strict"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith("repair-bench: --require-sandbox strict: this machine does not allow user_ns (")
    assert len(done.stderr.splitlines()) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["in.jsonl"]
