"""Text of others (providers, data sets, models) as it may be shown: without what a terminal would obey."""

from __future__ import annotations


def printable(text: str, keep: str = "") -> str:
    """`text` with each character that cannot be printed as U+FFFD, but for those in `keep`.

    That is control characters (escape sequences begin with one), lone surrogates, and marks that turn the direction of
    writing.
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c in keep else "\ufffd" for c in text)


def encodable(text: str) -> str:
    """`text` with lone surrogates, which UTF-8 cannot hold, as U+FFFD."""
    return text.encode(errors="surrogatepass").decode(errors="replace")


def clean(text: str) -> str:
    """Text that every reader takes: NUL and lone surrogates, which a model may write, become U+FFFD."""
    if text.isascii() and "\0" not in text:
        return text
    return encodable(text.replace("\0", "\ufffd"))
