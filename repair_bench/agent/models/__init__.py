"""The models that can answer, by name: `provider/model`. A provider's module is imported when first named.

Adding a provider is one file with `create(name) -> Model` and one line in `_PROVIDERS`; a name whose prefix is not in
the table goes to litellm, which knows the providers of the network.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from repair_bench.agent.models.base import Model, Request
from repair_bench.traces.faults import UsageError

_PROVIDERS = {
    "sim": "repair_bench.agent.models.simulated",
}
_NETWORK = "repair_bench.agent.models.litellm_client"


def create(name: str, **options: Any) -> Model:
    """The model of this name. Nothing is asked of the network.

    `options` (`api_base`, `timeout`, `max_concurrency`, `retry`) are those of `LiteLLMModel`; the built-in models have
    no connection and take none. Raises UsageError for a name that no provider answers to.
    """
    name = name.strip()
    provider, slash, rest = name.partition("/")
    if not provider or (slash and not rest):
        raise UsageError(f"'{name}' is not a model name: write provider/model, for example openai/gpt-4.1")
    if provider in _PROVIDERS:
        model: Model = import_module(_PROVIDERS[provider]).create(name)
    else:
        model = import_module(_NETWORK).create(name, **options)
    return model


__all__ = ["Model", "Request", "create"]
