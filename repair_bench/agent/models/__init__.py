"""Find models by name, `provider/model`. A provider's module is imported on first use.

A provider is one file with `create(name) -> Model`, listed in `PROVIDERS` or in the entry points `repair_bench.models`
of a package. All other names are passed to litellm.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from importlib import import_module

from repair_bench import plugins
from repair_bench.agent.models.base import Model, Request
from repair_bench.agent.models.network.providers import (
    ProviderSettings,
    Throttle,
    at_address,
    is_variant,
    settings_of,
    throttle_owner,
)
from repair_bench.agent.models.retry import RetryPolicy
from repair_bench.traces.faults import UsageError

PROVIDERS = {
    "sim": "repair_bench.agent.models.sim.model",
    "replay": "repair_bench.agent.models.replay",
    "manual": "repair_bench.agent.models.manual",
}
"""The modules of the built-in providers, keyed by name prefix."""
_NETWORK = "repair_bench.agent.models.network.client"
_BATCHES = "repair_bench.agent.models.batch.model"


def create_all(
    names: Iterable[str], providers: Mapping[str, ProviderSettings], *, api_base: str | None = None
) -> dict[str, Model]:
    """Create the models with the given names. Creating a model does not access the network.

    `providers`: settings by provider or full model name; models of one provider share its quota. `api_base`: the
    address for models whose settings contain no address. Raises UsageError for a name without a provider, and for a
    variant without settings, which would be identical to its base model.
    """
    made: dict[str, Model] = {}
    throttles: dict[str, Throttle] = {}
    for name in names:
        provider = name.partition("/")[0].strip()
        is_remote = provider not in PROVIDERS and provider not in plugins.names("models")
        if is_variant(name) and name not in providers and is_remote:
            raise UsageError(f'the variant {name} has no settings: add a table [providers."{name}"]')
        settings = settings_of(name, providers)
        if settings.api_base is None and api_base is not None:
            settings = at_address(settings, api_base)
        owner = throttle_owner(name, providers)
        throttle = throttles.setdefault(owner, Throttle(settings, owner))
        made[name] = create(name, settings, throttle=throttle)
    return made


def create(
    name: str,
    settings: ProviderSettings | None = None,
    *,
    throttle: Throttle | None = None,
    retry: RetryPolicy | None = None,
) -> Model:
    """Return the model with this name.

    The arguments `settings`, `throttle` and `retry` apply only to models that are queried through litellm.
    """
    name = name.strip()
    provider, slash, rest = name.partition("/")
    if not provider or (slash and not rest):
        raise UsageError(f"'{name}' is not a model name: use provider/model, for example openai/gpt-4.1")
    settings = settings or ProviderSettings()
    module = import_module(PROVIDERS[provider]) if provider in PROVIDERS else plugins.load("models", provider)
    if module is not None:
        if settings.batch:
            raise UsageError(f"{name} does not use litellm and has no batch API: remove batch")
        model: Model = module.create(name)
    elif settings.batch:
        model = import_module(_BATCHES).BatchedModel(name, settings, retry=retry)
    else:
        model = import_module(_NETWORK).LiteLLMModel(name, settings, throttle=throttle, retry=retry)
    return model


__all__ = ["PROVIDERS", "Model", "ProviderSettings", "Request", "create", "create_all"]
