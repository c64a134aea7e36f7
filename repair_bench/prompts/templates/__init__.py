"""The templates of all messages to a model, in the `.j2` files of this folder. A missing variable is an error."""

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
        auto_reload=False,
        autoescape=False,  # noqa: S701 - plain text for a model, not HTML
    )


def render(name: str, language: Language = PYTHON, **values: Any) -> str:
    """Return the text of the template `<name>.j2`; a file in the folder of the program's language takes precedence.

    Raises jinja2.UndefinedError for a missing variable.
    """
    template = _template(name, language.tags[0])
    return template.render(language=language.title, tag=language.tags[0], **values).strip()


@cache
def _template(name: str, folder: str) -> jinja2.Template:
    return _environment().select_template([f"{folder}/{name}.j2", f"{name}.j2"])


def render_text(text: str, **values: Any) -> str:
    """Return the text of a user's template, without its final newline."""
    return _own(text).render(**values)


@cache
def feedback_words() -> str:
    """Return one text that contains the constant parts of all feedback templates."""
    sources = [path.read_text(encoding="utf-8") for path in sorted(Path(__file__).parent.rglob("feedback_*.j2"))]
    languages = sorted({framework.language.title for framework in FRAMEWORKS.values()})
    texts = (source.replace("{{ language }}", language) for language in languages for source in sources)
    return re.sub(r"\{[{%].*?[%}]\}", " ", "\n".join(texts))


def check_template(text: str, **names: Any) -> None:
    """Raise UsageError if a user's template cannot be rendered with these variables."""
    try:
        render_text(text, **names)
    except jinja2.TemplateError as error:
        raise UsageError(f"invalid template {text[:40]!r}: {error}; a template may use {', '.join(names)}") from None


def template_names(text: str) -> set[str]:
    """Return the names of the variables in `text`, a valid template written by a user."""
    return jinja2.meta.find_undeclared_variables(jinja2.sandbox.SandboxedEnvironment().parse(text))


@cache
def _own(text: str) -> jinja2.Template:
    # templates in an experiment file must not run code
    return jinja2.sandbox.SandboxedEnvironment(undefined=jinja2.StrictUndefined).from_string(text)
