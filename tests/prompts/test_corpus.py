"""Completions in the layouts that models use, each with the expected code. See `corpus/README.md`."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from repair_bench.prompts.extraction.extract import extract
from repair_bench.prompts.extraction.source import compiles

FOLDER = Path(__file__).parent / "corpus"
OPTION = re.compile(r"(\w+)(?:=(.+?))?(?= \w+=|$| (?:crlf|escaped|cut)\b)")


@dataclass
class Case:
    """One completion. `did`: the method and the changes, or None without code."""

    name: str
    answer: str = ""
    options: dict[str, str] = field(default_factory=dict)
    code: str | None = None
    did: str | None = None


def sections(path: Path) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """Yield the name and the parts of each case: the words after `---`, and the text below."""
    for case in re.split(r"^=== ", path.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]:
        name, _, rest = case.partition("\n")
        parts = re.split(r"^--- ((?:answer|code|nothing|text)\b.*)\n", rest, flags=re.MULTILINE)[1:]
        yield name, list(zip(parts[::2], parts[1::2], strict=True))


def read(path: Path) -> Iterator[Case]:
    for name, parts in sections(path):
        case = Case(f"{path.stem}: {name}")
        for head, text in parts:
            word, _, rest = head.partition(" ")
            if word == "answer":
                case.options = dict(OPTION.findall(rest))
                case.answer = text
            elif word == "code":
                case.code, case.did = text, rest
        yield case


STARTERS = {name: parts[0][1] for name, parts in sections(FOLDER / "starters.txt")}
CASES = [case for path in sorted(FOLDER.glob("*.txt")) if path.stem != "starters" for case in read(path)]


def completion(case: Case) -> str:
    text = case.answer
    if "escaped" in case.options:
        text = re.sub(r"\\u([0-9a-f]{4})", lambda match: chr(int(match[1], 16)), text).replace("\\t", "\t")
    if "cut" in case.options:
        text = text.removesuffix("\n")
    return text.replace("\n", "\r\n") if "crlf" in case.options else text


def extracted(case: Case):
    options = case.options
    return extract(
        completion(case),
        entry_point=options.get("entry", "bell"),
        starter=STARTERS[options["starter"]] if "starter" in options else "",
        prefill=STARTERS[options["prefill"]].rstrip() if "prefill" in options else "",
    )


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_code_comes_out(case: Case) -> None:
    assert extracted(case).code == case.code


@pytest.mark.parametrize("case", [case for case in CASES if case.did], ids=lambda case: case.name)
def test_the_steps_of_extraction_are_recorded(case: Case) -> None:
    record = extracted(case).record()
    assert f"{record['method']}: {'; '.join(record['steps'])}".removesuffix(": ") == case.did


@pytest.mark.parametrize("case", [case for case in CASES if case.code], ids=lambda case: case.name)
def test_code_that_came_out_comes_out_again(case: Case) -> None:
    """A valid program, bare or in a fence, is not changed."""
    if compiles(case.code or ""):
        entry_point = case.options.get("entry", "bell")
        again = [case.code, f"````python\n{case.code}````\n"] if entry_point in (case.code or "") else []
        for answer in again:
            found = extract(answer, entry_point=entry_point)
            assert (found.code, found.steps) == (case.code, [])


def test_there_are_enough_of_them() -> None:
    assert len(CASES) >= 120
    assert len({completion(case) for case in CASES}) >= 120
