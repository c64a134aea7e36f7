"""Keys for every provider that the tests name, and a loaded litellm for tests that measure time."""

import pytest
from asking import KEY, ask
from server.scripted import answer


@pytest.fixture(autouse=True)
def keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for provider in ("OPENAI", "ANTHROPIC", "GEMINI", "MISTRAL"):
        monkeypatch.setenv(f"{provider}_API_KEY", KEY)


@pytest.fixture(scope="session")
def warm() -> None:
    """Import litellm, which takes seconds, and make its slower first call."""
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("OPENAI_API_KEY", KEY)
        ask([answer("ok")])
