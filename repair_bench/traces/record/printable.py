"""Display third-party text (from providers, datasets, models) safely, without terminal control characters."""

from __future__ import annotations


def printable(text: str, keep: str = "") -> str:
    """Return `text` with each unprintable character, except those in `keep`, replaced by U+FFFD."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c in keep else "\ufffd" for c in text)


def encodable(text: str) -> str:
    """Return `text` with lone surrogates, which UTF-8 cannot encode, replaced by U+FFFD."""
    return text.encode(errors="surrogatepass").decode(errors="replace")


def clean(text: str) -> str:
    """Return `text` with NUL and lone surrogates, which some readers reject, replaced by U+FFFD."""
    if text.isascii() and "\0" not in text:
        return text
    return encodable(text.replace("\0", "\ufffd"))
