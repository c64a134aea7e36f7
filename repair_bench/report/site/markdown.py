"""Words of others in Markdown: names and sentences of a record, shown as they are and never read as markup."""

from __future__ import annotations

import re

from repair_bench.traces.record.printable import encodable, printable

_MARKUP = re.compile(r"[\\`*_{}\[\]<>#|~&!$@]|(?<=\w):(?=/)|(?<=www)\.")
"""What begins markup or HTML anywhere in a line, and what makes an address or a mention a link."""


def code(text: str) -> str:
    """A name as a code span, in which nothing is markup."""
    line = _line(text)
    fence = "`" * (1 + max((len(run) for run in re.findall("`+", line)), default=0))
    space = " " if line.startswith("`") or line.endswith("`") or not line.strip() else ""
    return f"{fence}{space}{line}{space}{fence}"


def plain(text: str) -> str:
    """A sentence as it is, in one line."""
    return _MARKUP.sub(lambda found: "\\" + found[0], _line(text))


def _line(text: str) -> str:
    return printable(encodable(" ".join(text.split())))
