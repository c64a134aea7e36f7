"""Redact keys in all printed and recorded text."""

from __future__ import annotations

import logging
import os
import re

from repair_bench.traces.record.printable import printable

_SECRET_NAME = re.compile(r"KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL", re.IGNORECASE)
_MIN_LENGTH = 8  # a shorter value ("false", "4096") is not a key, and may occur in ordinary words
_IN_URL = re.compile(r"(?<=://)[^/@\s]+(?=@)")


def names_a_secret(name: str) -> bool:
    """Whether the name of an environment variable suggests that its value is secret."""
    return _SECRET_NAME.search(name) is not None


def redact(text: str) -> str:
    """Return `text` without the values of secret environment variables and without credentials in URLs."""
    secrets = {value.strip() for name, value in os.environ.items() if names_a_secret(name)}
    for secret in sorted((s for s in secrets if len(s) >= _MIN_LENGTH), key=len, reverse=True):
        text = text.replace(secret, "[redacted]")
    return _IN_URL.sub("[redacted]", text)


def one_line(error: BaseException, longest: int = 300) -> str:
    """Return the type and message of an exception on one line, redacted, printable and truncated."""
    text = printable(" ".join(redact(str(error)).split()))
    text = text if len(text) <= longest else text[: longest - 3] + "..."
    return text if text.startswith("litellm.") else f"{type(error).__name__}: {text}".rstrip(": ")


class CleanLog(logging.Filter):
    """A filter that redacts a library's log messages, which may quote providers, and makes the messages printable."""

    def filter(self, record: logging.LogRecord) -> bool:
        record.msg, record.args = printable(redact(record.getMessage()), keep="\n\t"), ()
        return True
