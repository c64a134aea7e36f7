"""The problems: a statement, code with a gap for each open convention, and the judged calls."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Convention:
    """`options`: maps the name of each option to the code that fills the gap `$name`."""

    name: str
    question: str
    options: dict[str, str]


@dataclass(frozen=True)
class Problem:
    """`returns`: the end of a sentence that begins with "which returns"."""

    signature: str
    returns: str
    conventions: tuple[Convention, ...]
    code: str
    calls: tuple[tuple[Any, ...], ...]

    @property
    def entry_point(self) -> str:
        return self.signature.partition("(")[0]


def _open(name: str, question: str, /, **options: str) -> Convention:
    return Convention(name, question, options)


_BASE = _open("base", "whether indices start at 0 or 1", zero="0", one="1")

PROBLEMS = {
    "cell": Problem(
        "cell(rows, i, j)",
        "one number of a table",
        (
            _BASE,
            _open(
                "order",
                "whether i is the row or the column",
                row="rows[i - $base][j - $base]",
                column="rows[j - $base][i - $base]",
            ),
        ),
        "return $order",
        (([[1, 2, 3], [4, 5, 6], [7, 8, 9]], 1, 2), ([[1, 2, 3], [4, 5, 6], [7, 8, 9]], 1, 1)),
    ),
    "compare": Problem(
        "compare(a, b)",
        "-1, 0 or 1, the order of two versions such as '1.10' and '1.2'",
        (
            _open("sign", "whether -1 means that the first or the second version is older", first="1", second="-1"),
            _open("missing", "whether a missing part equals 0 or comes before it", equal="0", before="-1"),
        ),
        "a, b = [[int(part) for part in text.split('.')] for text in (a, b)]\n"
        "size = max(len(a), len(b))\n"
        "a, b = [parts + [$missing] * (size - len(parts)) for parts in (a, b)]\n"
        "return $sign * ((a > b) - (a < b))",
        (("1.2", "1.10"), ("1.0", "1"), ("3", "2.9")),
    ),
    "count": Problem(
        "count(text, part)",
        "how often a part occurs in a text",
        (
            _open("overlaps", "whether occurrences may overlap", counted="1", skipped="len(part)"),
            _open("case", "whether upper and lower case differ", differs="text", ignored="text.lower()"),
        ),
        "text, found, at = $case, 0, 0\n"
        "while (at := text.find(part, at)) >= 0:\n"
        "    found, at = found + 1, at + $overlaps\n"
        "return found",
        (("aaaa", "aa"), ("aXA", "a")),
    ),
    "digits": Problem(
        "digits(n)",
        "the decimal digits of a positive number as a list",
        (
            _open("order", "whether the first or the last digit comes first", first="", last="[::-1]"),
            _open("type", "whether digits are numbers or strings", number="int", string="str"),
        ),
        "return [$type(digit) for digit in str(n)$order]",
        ((120,), (7,)),
    ),
    "divide": Problem(
        "divide(a, b)",
        "the quotient and the remainder of two integers, as a list",
        (
            _open("rounding", "whether the quotient is rounded down or towards 0", down="a // b", zero="int(a / b)"),
            _open("order", "whether the quotient or the remainder comes first", quotient="", remainder="[::-1]"),
        ),
        "quotient = $rounding\nreturn [quotient, a - quotient * b]$order",
        ((7, 2), (-7, 2)),
    ),
    "fields": Problem(
        "fields(line)",
        "the fields of a line with commas, as a list",
        (
            _open("space", "whether spaces around a field are kept", kept="part", removed="part.strip()"),
            _open("empty", "whether empty fields are kept", kept="True", dropped="part.strip()"),
        ),
        "return [$space for part in line.split(',') if $empty]",
        (("a,,b",), ("a, b",)),
    ),
    "initials": Problem(
        "initials(name)",
        "the initials of a name as a string",
        (
            _open("case", "whether initials are always in upper case", upper=".upper()", kept=""),
            _open("end", "whether each initial has a full stop", stop="'.'", none="''"),
        ),
        "return ''.join(word[0]$case + $end for word in name.split())",
        (("ada lovelace",), ("Alan Turing",)),
    ),
    "inside": Problem(
        "inside(x, low, high)",
        "the number x, brought into the range from low to high",
        (
            _open(
                "outside",
                "whether a number outside moves to the nearest limit or wraps around",
                limit="max(low, min(x, high - 1 + $end))",
                wraps="low + (x - low) % (high - low + $end)",
            ),
            _open("end", "whether high belongs to the range", included="1", excluded="0"),
        ),
        "return $outside",
        ((12, 0, 9), (-1, 0, 4)),
    ),
    "median": Problem(
        "median(values)",
        "the median of a list of integers",
        (
            _open(
                "even",
                "whether an even number of values has the lower or the upper middle value as median, or their mean",
                lower="values[(n - 1) // 2]",
                upper="values[n // 2]",
                mean="(values[(n - 1) // 2] + values[n // 2]) / 2 if n % 2 == 0 else values[n // 2]",
            ),
        ),
        "values, n = sorted(values), len(values)\nreturn $even",
        (([4, 1, 3, 2],), ([5, 1, 9],)),
    ),
    "merge": Problem(
        "merge(a, b)",
        "the entries of two dictionaries as a sorted list of pairs",
        (
            _open(
                "conflict",
                "whether the first or the second dictionary decides if both have a key",
                first="{**b, **a}",
                second="{**a, **b}",
            ),
            _open(
                "order",
                "whether the list is in ascending or descending order of keys",
                ascending="False",
                descending="True",
            ),
        ),
        "return sorted(map(list, ($conflict).items()), reverse=$order)",
        (({"x": 1}, {"x": 2}), ({"x": 1}, {"y": 2})),
    ),
    "moving": Problem(
        "moving(values, n)",
        "the moving sums over n neighbouring numbers",
        (
            _open(
                "start",
                "whether a window with fewer than n numbers at the start is skipped, summed, or replaced by 0",
                skipped="sums[n - 1:]",
                summed="sums",
                zero="[0] * min(n - 1, len(sums)) + sums[n - 1:]",
            ),
        ),
        "sums = [sum(values[max(0, i - n + 1):i + 1]) for i in range(len(values))]\nreturn $start",
        (([2, 4, 6], 2), ([1, 1, 1, 1], 3)),
    ),
    "part": Problem(
        "part(text, i, n)",
        "a part of a text",
        (
            _BASE,
            _open(
                "end",
                "whether n is the length of the part or the index of its last character",
                length="i + n - $base",
                last="n + 1 - $base",
            ),
        ),
        "return text[i - $base:$end]",
        (("abcdefgh", 2, 4), ("abcdefgh", 1, 1)),
    ),
    "positions": Problem(
        "positions(values, value)",
        "the positions of a value in a list",
        (_BASE, _open("order", "whether the first or the last position comes first", first="", last="[::-1]")),
        "return [i + $base for i, other in enumerate(values) if other == value]$order",
        (([7, 5, 7], 7), ([7, 5], 5)),
    ),
    "ranks": Problem(
        "ranks(scores)",
        "the rank of each score, in the order of the scores",
        (
            _open("first", "whether ranks start at 0 or 1", zero="0", one="1"),
            _open("best", "whether the highest or the lowest score has the first rank", highest=">", lowest="<"),
            _open(
                "ties",
                "whether equal scores share a rank or follow each other",
                shared="0",
                follow="scores[:i].count(score)",
            ),
        ),
        "return [$first + sum(other $best score for other in scores) + $ties for i, score in enumerate(scores)]",
        (([5],), ([1, 3],), ([4, 4],)),
    ),
    "rounded": Problem(
        "rounded(halves)",
        "the number halves / 2, rounded to an integer",
        (
            _open(
                "half",
                "whether a half is rounded up, down, to an even number or away from 0",
                up="(halves + 1) // 2",
                down="halves // 2",
                even="round(halves / 2)",
                away="(abs(halves) + 1) // 2 * (1 if halves > 0 else -1)",
            ),
        ),
        "return $half",
        ((1,), (-1,), (3,)),
    ),
    "running": Problem(
        "running(values)",
        "the running sums of a list of numbers",
        (
            _open("zero", "whether the empty sum 0 is included", included="0", excluded="1"),
            _open("start", "whether the sums start at the first or the last number", first="", last="[::-1]"),
        ),
        "values = values$start\nreturn [sum(values[:i]) for i in range($zero, len(values) + 1)]",
        (([1, 2, 3],), ([5],)),
    ),
    "share": Problem(
        "share(part, whole)",
        "the share of a part in a whole",
        (
            _open("unit", "whether the share is a fraction or a percentage", fraction="1", percent="100"),
            _open("digits", "whether the share is rounded to one, two or three decimals", one="1", two="2", three="3"),
        ),
        "return round($unit * part / whole, $digits)",
        ((1, 2), (1, 3)),
    ),
    "slug": Problem(
        "slug(title)",
        "a title as part of an address",
        (
            _open("sign", "whether words are joined by a hyphen or an underscore", hyphen="-", underscore="_"),
            _open("case", "whether all letters are in lower case", lower=".lower()", kept=""),
            _open("gaps", "whether several spaces count as one", one="", each="' '"),
        ),
        "return '$sign'.join(title$case.split($gaps))",
        (("a b",), ("On Top",), ("x  y",)),
    ),
    "span": Problem(
        "span(a, b)",
        "the integers from a to b as a list",
        (
            _open("end", "whether b is included", included="1", excluded="0"),
            _open("start", "whether a is included", included="0", excluded="1"),
        ),
        "return list(range(a + $start, b + $end))",
        ((1, 4), (2, 3)),
    ),
    "weekday": Problem(
        "weekday(day)",
        "the number of a day such as 'tuesday'",
        (
            _open("base", "whether the first day has the number 0 or 1", zero="0", one="1"),
            _open(
                "first", "whether the week starts on Monday, Sunday or Saturday", monday="0", sunday="1", saturday="2"
            ),
        ),
        "days = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday']\n"
        "return (days.index(day) + $first) % 7 + $base",
        (("monday",), ("sunday",), ("saturday",)),
    ),
}
