"""litellm's proxy server in front of the scripted server, both on loopback, works like any other provider.

The proxy has many dependencies that restrict ours, so it has a separate environment in pytest's cache, which is made on
first use. It shares the packages of this environment whose versions suit the proxy.
"""

import json
import os
import socket
import subprocess
import sys
import sysconfig
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path

import pytest
from server.scripted import ReceivedRequest, Reply, ScriptedServer, answer, rate_limited

pytestmark = pytest.mark.slow

MASTER_KEY = "sk-key-of-the-proxy"
UPSTREAM_KEY = "sk-key-behind-the-proxy"


@pytest.fixture(scope="module")
def program(request: pytest.FixtureRequest) -> list[Path]:
    home = request.config.cache.mkdir(f"litellm-proxy-{version('litellm')}")
    made = home / "complete"
    if not made.exists():
        pip = [home / "bin" / "python", "-m", "pip", "install", "--quiet", "--no-compile"]
        install = [*pip, f"litellm[proxy]=={version('litellm')}"]
        subprocess.run([sys.executable, "-m", "venv", "--clear", home], check=True, timeout=120)
        own, ours = (sysconfig.get_path("purelib", vars={"base": base}) for base in (str(home), sys.prefix))
        (Path(own) / "shared.pth").write_text(f"{ours}\n")
        done = subprocess.run(install, capture_output=True, text=True, timeout=900, check=False)
        if done.returncode:
            reason = f"litellm's proxy cannot be installed here: {done.stderr.strip().splitlines()[-1:]}"
            (pytest.fail if os.environ.get("REPAIR_BENCH_CI") else pytest.skip)(reason)
        made.touch()
    return [home / "bin" / "python", Path(sys.executable).with_name("litellm")]


@contextmanager
def proxy(program: list[Path], directory: Path, upstream: str) -> Iterator[str]:
    """Yield the address of a proxy that offers gpt-4.1 under the name `house`."""
    config = directory / "proxy.yaml"
    config.write_text(
        f"""
model_list:
  - model_name: house
    litellm_params: {{model: openai/gpt-4.1, api_base: "{upstream}", api_key: {UPSTREAM_KEY}}}
router_settings: {{num_retries: 0, disable_cooldowns: true}}
general_settings: {{master_key: {MASTER_KEY}}}
"""
    )
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    environment = {"PATH": os.environ["PATH"], "HOME": str(directory), "LITELLM_LOCAL_MODEL_COST_MAP": "True"}
    command = [*program, "--config", config, "--host", "127.0.0.1", "--port", str(port), "--telemetry", "False"]
    with (directory / "proxy.log").open("wb") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log, cwd=directory, env=environment)
    try:
        _wait_for(f"http://127.0.0.1:{port}/health/liveliness", process, directory / "proxy.log")
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        process.terminate()
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait(30)


def _wait_for(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    for _ in range(600):
        assert process.poll() is None, log.read_text()
        try:
            with urllib.request.urlopen(url, timeout=5):
                return
        except OSError:
            time.sleep(0.5)
    raise AssertionError(f"the proxy did not start: {log.read_text()}")


def run(directory: Path, address: str) -> None:
    """Run two models, with both ways to set the address of a custom server."""
    (directory / "study.toml").write_text(
        f"""
models = ["litellm_proxy/house", "openai/house"]
frameworks = ["qiskit"]
limit = 2
max_attempts = 1

[providers.litellm_proxy]
api_base = "{address}"
retry_for_seconds = 30

[providers.openai]
api_base = "{address}"
api_key_env = "PROXY_KEY"
"""
    )
    keys = {"LITELLM_PROXY_API_KEY": MASTER_KEY, "PROXY_KEY": MASTER_KEY, "OPENAI_API_KEY": "sk-of-no-use"}
    done = subprocess.run(
        [sys.executable, "-m", "repair_bench", "run", "study.toml", "--no-preflight", "--out", "r"],
        cwd=directory, env={**os.environ, **keys}, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


def test_runs_through_litellms_proxy(program, tmp_path):
    refusals = iter([rate_limited()])

    def reply(asked: ReceivedRequest) -> Reply:
        """The proxy also requests the list of models when it starts."""
        return next(refusals, answer("I would rather not.")) if "messages" in asked.body else answer("")

    with ScriptedServer(reply) as upstream, proxy(program, tmp_path, upstream.url) as address:
        run(tmp_path, address)
    asked = [asked for asked in upstream.asked if "messages" in asked.body]
    attempts = [json.loads(line) for line in (tmp_path / "r" / "attempts.jsonl").read_text().splitlines()]
    assert [a["verdict"]["kind"] for a in attempts] == ["no_code"] * 8
    for completion in (a["completion"] for a in attempts):
        assert completion["cost_source"] == "provider"
        assert completion["cost_usd"] == pytest.approx(100 * 2e-6 + 20 * 8e-6)
        assert completion["usage"]["total_tokens"] == 120
    assert len(asked) == 9
    assert sum(a["completion"]["requests"] for a in attempts) == 9
    assert {a.headers["authorization"] for a in asked} == {f"Bearer {UPSTREAM_KEY}"}
    assert {a.body["model"] for a in asked} == {"gpt-4.1"}
    for path in (tmp_path / "r").rglob("*.json*"):
        assert MASTER_KEY not in path.read_text(), path
