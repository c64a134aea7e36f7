"""A key in the environment or in `.env` is sent to the provider and appears nowhere else."""

import json
import os
import subprocess
import sys

import pytest
from server.scripted import ReceivedRequest, Reply, ScriptedServer, answer, refused

pytestmark = pytest.mark.slow

IN_ENVIRONMENT = "sk-canary-1-of-the-environment"
IN_FILE = "sk-canary-2-of-the-file"
SPY = """```python
import glob, os, sys

def read(path):
    try:
        with open(path, "rb") as file:
            return file.read(1 << 20)
    except OSError:
        return b""

places = {"environ": "\\n".join(f"{k}={v}" for k, v in os.environ.items()).encode()}
folders = [os.getcwd()] + sys.path
for folder in list(folders):
    while len(folder := os.path.dirname(folder)) > 1:
        folders.append(folder)
folders += glob.glob("/proc/*/cwd")
names = glob.glob("/proc/*/environ") + glob.glob("/proc/*/cmdline")
names += [os.path.join(folder, name) for folder in set(folders) for name in (".env", "study.toml", "r/experiment.toml")]
places.update((name, read(name)) for name in names)
print("READ", sum(map(bool, places.values())), "of", len(places))
print("OWN", sorted(os.environ))
canary = b"sk-" + b"canary"
found = {name: text.partition(canary)[2][:30] for name, text in places.items() if canary in text}
print("SEEN", found)
raise RuntimeError("the spy is done")
```"""


def test_only_the_provider_sees_a_key(tmp_path):
    def script(asked: ReceivedRequest) -> Reply:
        key = asked.headers["authorization"]
        if asked.number == 0:
            return refused(400, f"messages must alternate, {key}")  # like servers that echo requests
        return answer(SPY)

    (tmp_path / ".env").write_text(f"HOUSE_KEY={IN_FILE}\nOPENAI_API_KEY=sk-canary-3-the-environment-wins\n")
    with ScriptedServer(script) as server:
        (tmp_path / "study.toml").write_text(
            f"""
models = ["openai/gpt-4.1", "house/model"]
limit = 2
max_attempts = 1
api_base = "{server.url}"

[providers.house]
api_key_env = "HOUSE_KEY"
"""
        )
        environment = {**os.environ, "OPENAI_API_KEY": IN_ENVIRONMENT}
        command = [sys.executable, "-m", "repair_bench", "run", "study.toml", "--no-preflight", "--out", "r"]
        done = subprocess.run(
            command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=500, check=False
        )

    program = SPY.removeprefix("```python\n").removesuffix('\nraise RuntimeError("the spy is done")\n```')
    free = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, env=environment, capture_output=True, check=True
    )
    assert b"1-of-the-environment" in free.stdout  # what the spy sees without protection
    assert b"2-of-the-file" in free.stdout

    assert done.returncode == 1, done.stderr  # one fault, for the refused request
    assert {a.headers["authorization"] for a in server.asked} == {f"Bearer {IN_ENVIRONMENT}", f"Bearer {IN_FILE}"}
    assert "canary" not in done.stdout + done.stderr
    for path in (path for path in (tmp_path / "r").rglob("*") if path.is_file()):
        assert b"sk-canary" not in path.read_bytes(), path

    attempts = [json.loads(line) for line in (tmp_path / "r" / "attempts.jsonl").read_text().splitlines()]
    faults = [a["fault"]["message"] for a in attempts if a["fault"]]
    assert len(faults) == 1
    assert "[redacted]" in faults[0]
    spied = [a["outcome"] for a in attempts if a["outcome"]]
    assert {a["framework"] for a in attempts if a["outcome"]} == {"qiskit", "pennylane", "cirq"}
    for outcome in spied:
        assert outcome["exception"]["message"] == "the spy is done"
        assert "SEEN {}" in outcome["stdout"]
        assert "'PATH'" in outcome["stdout"]  # the spy did search
        assert "KEY" not in outcome["stdout"].partition("OWN")[2].partition("SEEN")[0]
