"""Every word a model reads from us is in a `.j2` file of this folder; a name that a template misses is an error."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any

import jinja2
import jinja2.meta
import jinja2.sandbox

from repair_bench.frameworks import FRAMEWORKS, PYTHON, Language
from repair_bench.traces.faults import UsageError


@cache
def _environment() -> jinja2.Environment:
    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).parent),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,  # they do not change while a program runs
        autoescape=False,  # noqa: S701 - plain text for a model, not HTML
    )


def render(name: str, language: Language = PYTHON, **values: Any) -> str:
    """The text of template `<name>.j2`, or of the one that the language has in its place, in a folder of its tag.

    Raises jinja2.UndefinedError when a value is missing.
    """
    template = _environment().select_template([f"{language.tags[0]}/{name}.j2", f"{name}.j2"])
    return template.render(language=language.title, tag=language.tags[0], **values).strip()


def render_text(text: str, **values: Any) -> str:
    """The same for a template of the user's own, given as text. Its line end at the end stays off."""
    return _own(text).render(**values)


@cache
def feedback_words() -> str:
    """What the templates of feedbacks say by themselves, without what is filled in."""
    sources = [path.read_text(encoding="utf-8") for path in sorted(Path(__file__).parent.rglob("feedback_*.j2"))]
    languages = sorted({framework.language.title for framework in FRAMEWORKS.values()})
    told = (source.replace("{{ language }}", language) for language in languages for source in sources)
    return re.sub(r"\{[{%].*?[%}]\}", " ", "\n".join(told))


def check_template(text: str, **names: Any) -> None:
    """Raises UsageError for a user's template that cannot be filled in with these names."""
    try:
        render_text(text, **names)
    except jinja2.TemplateError as error:
        raise UsageError(f"the template {text[:40]!r}: {error}; it may use {', '.join(names)}") from None


def template_names(text: str) -> set[str]:
    """The names that a user's template, which was checked, uses."""
    return jinja2.meta.find_undeclared_variables(jinja2.sandbox.SandboxedEnvironment().parse(text))


@cache
def _own(text: str) -> jinja2.Template:
    # a file that came with an experiment must not run code
    return jinja2.sandbox.SandboxedEnvironment(undefined=jinja2.StrictUndefined).from_string(text)
