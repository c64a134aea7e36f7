"""Models by name: accepted and refused names."""

import subprocess
import sys

import pytest

from repair_bench.agent.models import ProviderSettings, create, create_all
from repair_bench.traces.faults import UsageError


@pytest.mark.parametrize("name", ["", "  ", "/", "openai/", "/gpt-4.1", "nonsense", "no-such-provider/model"])
def test_a_name_without_a_provider_is_refused_with_one_line(name: str):
    with pytest.raises(UsageError) as caught:
        create(name)
    assert "\n" not in str(caught.value)
    assert "provider/model" in str(caught.value)


def test_error_for_a_bare_name_gives_the_full_one():
    with pytest.raises(UsageError, match=r"use openai/gpt-4\.1$"):
        create("gpt-4.1")


@pytest.mark.parametrize("address", ["localhost:8000", "http://", "http://me:word@host/v1"])
def test_an_api_base_must_be_a_url_without_a_password(address: str):
    with pytest.raises(UsageError) as caught:
        create_all(["openai/gpt-4.1"], {}, api_base=address)
    assert "--api-base" in str(caught.value)
    assert "word" not in str(caught.value).replace("password", "")


def test_the_name_on_record_is_the_one_the_user_wrote():
    model = create("house-model", ProviderSettings(api_base="http://127.0.0.1:9/v1"))

    assert model.name == "house-model"
    assert not model.simulated


@pytest.mark.slow
def test_importing_the_models_does_not_import_litellm():
    code = """
import sys
import repair_bench.agent.models as models
try:
    models.create("openai/")
except models.UsageError:
    pass
assert not {"litellm", "openai", "httpx"} & set(sys.modules)
"""
    assert subprocess.run([sys.executable, "-c", code], check=False, timeout=60).returncode == 0


@pytest.mark.slow
def test_checking_a_name_does_not_use_the_network():
    code = """
import socket, sys
def refuse(*_):
    raise AssertionError("the network was asked")
socket.socket.connect = socket.getaddrinfo = refuse
import repair_bench.agent.models as models
models.create("openai/gpt-4.1")
try:
    models.create("no-such-provider/model")
except models.UsageError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], check=True, timeout=120, capture_output=True, text=True)
    assert done.stdout.count("\n") == 1
    assert done.stderr == ""
