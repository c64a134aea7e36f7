"""The litellm package: imported here only, quietly and once, and bounded."""

from __future__ import annotations

import functools
import logging
import os
from typing import Any

from dotenv import load_dotenv

from repair_bench.agent.models.network.http_limits import limit_transports
from repair_bench.agent.models.network.redaction import CleanLog
from repair_bench.traces.run.run_files import MANIFEST


@functools.cache
def load() -> Any:
    """Import litellm (4 to 9 seconds) so that it fetches nothing, prints nothing and reads no file.

    Keys come from the environment, or from a `.env` file in the working directory; the environment wins. One in a run
    or a site came with the record, and may name another server for a key: it is not read.
    """
    if not any(os.path.exists(name) for name in (MANIFEST, "site.json")):  # noqa: PTH110 - as `load_dotenv` looks
        load_dotenv(".env", override=False, interpolate=False)
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # else it fetches its price table from the network
    os.environ.setdefault("LITELLM_MODE", "PRODUCTION")  # else it loads a .env file found near the interpreter
    import litellm
    from litellm.llms.custom_httpx.http_handler import AsyncHTTPHandler

    limit_transports(AsyncHTTPHandler)
    logging.getLogger("LiteLLM").addFilter(CleanLog())
    litellm.suppress_debug_info = True
    litellm.drop_params = False  # it would drop parameters without a word
    return litellm
