"""Keeps keys out of everything that is printed or recorded."""

from __future__ import annotations

import logging
import os
import re

from repair_bench.traces.record.printable import printable

_SECRET_NAME = re.compile(r"KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL", re.IGNORECASE)
_SHORTEST = 8  # a shorter value ("false", "4096") is no key, and would tear holes into ordinary words
_IN_URL = re.compile(r"(?<=://)[^/@\s]+(?=@)")


def names_a_secret(name: str) -> bool:
    """Whether an environment variable of this name is taken for a secret, and its value kept out."""
    return _SECRET_NAME.search(name) is not None


def redact(text: str) -> str:
    """`text` without any value of an environment variable that is named like a secret, nor credentials in a URL."""
    secrets = {value.strip() for name, value in os.environ.items() if names_a_secret(name)}
    for secret in sorted((s for s in secrets if len(s) >= _SHORTEST), key=len, reverse=True):
        text = text.replace(secret, "[redacted]")
    return _IN_URL.sub("[redacted]", text)


def one_line(error: BaseException, longest: int = 300) -> str:
    """The type and message of an exception, redacted, printable, on one line of at most `longest` characters."""
    text = printable(" ".join(redact(str(error)).split()))
    text = text if len(text) <= longest else text[: longest - 3] + "..."
    return text if text.startswith("litellm.") else f"{type(error).__name__}: {text}".rstrip(": ")


class CleanLog(logging.Filter):
    """Redacts what a library logs and makes it printable: it quotes what a provider sent."""

    def filter(self, record: logging.LogRecord) -> bool:
        record.msg, record.args = printable(redact(record.getMessage()), keep="\n\t"), ()
        return True
