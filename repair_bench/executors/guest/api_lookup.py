"""Search the installed framework for the names in an exception: find their current locations, and similar names.

The feedback policy `api` runs this file as a script in the sandbox. The script does not run the candidate's program.
"""

from __future__ import annotations

import ast
import difflib
import importlib
import importlib.util
import inspect
import os
import pkgutil
import re
import sys
import types
from typing import Any, Callable, Dict, List, Tuple

MAX_NAMES = 3
MAX_TEXT = 240
"""Maximum number of characters of a signature or a paragraph."""
MEMBER, ANYWHERE = 0.6, 0.8
"""The minimum similarity between a wrong name and a suggested name. `MEMBER` applies to suggested names from the class
or module that lacks the wrong name. `ANYWHERE` applies to all other suggested names from the framework."""

_ATTRIBUTE = re.compile(r"'?([\w.]+)'?(?: object)? has no attribute '(\w+)'")
_UNDEFINED = re.compile(r"name '(\w+)' is not defined")
_CALL = re.compile(r"([\w.]+)\(\) (?:got|missing|takes)")
_LINE = re.compile(r'File "solution\.py", line (\d+)')
_ROLE = re.compile(r":[\w:]+:`~?(?:[^`<]*\.)?([^`<]+?)(?:\s*<[^`]*>)?`(?:\\\\?(?=s\b))?")


class Library:
    """The public names of a framework and of the installed packages that extend it, such as `qiskit_aer`."""

    def __init__(self, root: str) -> None:
        top = importlib.import_module(root)
        folder = os.path.dirname(os.path.dirname(str(top.__file__)))
        extensions = sorted(one.name for one in pkgutil.iter_modules([folder]) if one.name.startswith(root + "_"))
        self.packages = [root, *(name for name in extensions if _safely(importlib.import_module, name))]
        for one in pkgutil.iter_modules(top.__path__, root + "."):
            _safely(importlib.import_module, one.name)
        self.names: Dict[str, List[str]] = {name[len(root) + 1 :]: [name] for name in self.packages[1:]}
        self.classes: Dict[str, type] = {}
        self.paths: Dict[int, str] = {}
        loaded = [name for name in list(sys.modules) if name.split(".")[0] in self.packages]
        for name in sorted(loaded, key=lambda name: (self.packages.index(name.split(".")[0]), name.count("."), name)):
            self._add(name, sys.modules[name])

    def _add(self, name: str, module: Any) -> None:
        public = "._" not in name
        if public:
            self.paths.setdefault(id(module), name)
        for attribute, value in sorted(getattr(module, "__dict__", {}).items()):
            home = str(_safely(getattr, value, "__module__") or type(value).__module__)
            if hasattr(module, "__path__") and _safely(getattr, value, "__module__", "") is None:
                home = name  # compiled functions do not name a module
            home = value.__name__ if isinstance(value, types.ModuleType) and name == self.packages[0] else home
            if home.split(".")[0] not in self.packages:
                continue
            if isinstance(value, type):
                self.classes.setdefault(value.__name__, value)
            if public and attribute[0] != "_" and ("." not in name or _has_signature(value)):
                self.paths.setdefault(id(value), name + "." + attribute)
                known = self.names.setdefault(attribute, [])
                if not any(self.get(path) is value for path in known):
                    known.append(name + "." + attribute)

    def get(self, path: str) -> Any:
        """Return the object at a path, or None if the object does not exist or belongs to another package."""
        first, *parts = path.split(".")
        value = sys.modules[first] if first in self.packages else None
        for part in parts:
            value = _safely(getattr, value, part)
        return value

    def near(self, name: str, owner: Any = None, used: Tuple[str, ...] = ()) -> List[str]:
        """Return the dotted paths of the names that are most similar to `name`. `owner` has no attribute of that name.

        `used`: other classes to search.
        """
        scores: Dict[str, float] = {}
        is_class = isinstance(owner, type)
        base = next((self.paths[id(one)] for one in getattr(owner, "__mro__", (owner,)) if id(one) in self.paths), "")
        for other, paths in self.names.items():
            score = similarity(name, other, ANYWHERE)
            if other.lower().startswith(name) and words(name) == words(other)[:-1] != []:
                score = 1.0 if is_class else max(score, 0.85)  # the class of a gate for its method: `UCGate` for `uc`
            if name == other:  # moved
                scores.update({paths[-1]: 0.84, paths[0]: 2.0})
            elif score:
                scores[paths[0]] = score - (0.3 if is_class and paths[0].count(".") > 1 else 0.1)
        for member in dir(owner) if base else ():
            score = max(similarity(name, member, MEMBER), self._related(name, owner, member))
            if score and member[0] != "_":
                scores[base + "." + member] = score
        if is_class:
            scores.update({path + "." + name: 1.5 for path in used if name in dir(self.get(path))})
            scores.update({base: MEMBER} if base else {})
        return sorted(scores, key=lambda path: (-scores[path], path.count("."), len(path), path))

    def _related(self, name: str, owner: Any, member: str) -> float:
        """Score a member whose name contains the words of `name`, or whose documentation mentions `name`."""
        value, wanted, found = _safely(getattr, owner, member), words(name), words(member)
        if wanted and set(wanted) < set(found):
            return 0.0 if inspect.isabstract(value) else 0.9 if found[-len(wanted) :] == wanted else 0.81
        text = first_paragraph(value)
        named = [self.classes[word] for word in re.findall(r"\w+", text) if word in self.classes]
        about = " ".join([text, *map(first_paragraph, named)]).lower()
        return 0.65 if len(name) > 3 and re.search(r"\b" + name.lower(), about) else 0.0


class Candidate:
    """The names in a program, each with a dotted path. The path of an imported name is its location in the library.

    If a newly created object is assigned to a variable, the variable's path is the location of the object's class.
    """

    def __init__(self, code: str, library: Library) -> None:
        self._nodes = list(ast.walk(_safely(ast.parse, code) or ast.Module([], [])))
        self._library = library
        self.paths: Dict[str, str] = {}
        for node in self._nodes:
            for one in node.names if isinstance(node, (ast.Import, ast.ImportFrom)) else ():
                path = "%s.%s" % (node.module, one.name) if isinstance(node, ast.ImportFrom) else one.name
                bound = one.name.split(".")[0]
                self.paths[one.asname or bound] = bound if isinstance(node, ast.Import) and not one.asname else path
        for node in self._nodes:
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                made = self.path(node.value) if isinstance(node.value, ast.Call) else ""
                self.paths.setdefault(node.targets[0].id, made)

    def path(self, node: ast.AST) -> str:
        """Return the dotted path of a name or an attribute. For a call that creates an object, return the path of its
        class.

        The path is empty if it is unknown.
        """
        if isinstance(node, ast.Attribute):
            before = self.path(node.value)
            return before and before + "." + node.attr
        made = self.path(node.func) if isinstance(node, ast.Call) else ""
        return self.paths.get(node.id, "") if isinstance(node, ast.Name) else made if self.is_class(made) else ""

    def is_class(self, path: str) -> bool:
        return isinstance(self._library.get(path), type)

    def at(self, line: int) -> List[Any]:
        """Return the syntax nodes on a line that belong to the innermost statement on the line. The statement itself is
        the first node.
        """
        on = [one for one in self._nodes if getattr(one, "lineno", line + 1) <= line <= getattr(one, "end_lineno", 0)]
        statements = [node for node in on if isinstance(node, ast.stmt)]
        return [node for node in ast.walk(statements[-1]) if node in on] if statements else []


def lookup(root: str, kind: str, message: str, traceback: str, code: str) -> List[str]:
    """Describe up to `MAX_NAMES` names from the framework `root` that are relevant to a program's exception."""
    library = Library(root)
    candidate = Candidate(code, library)
    nodes = candidate.at(int((_LINE.findall(traceback) or [0])[-1]))
    values: Dict[int, Tuple[str, Any]] = {}
    for path in _found(library, candidate, nodes, kind, message):
        value = library.get(path) if "." in path else _safely(importlib.import_module, path)
        values.setdefault(id(value), (path, value))
    return [describe(path, value) for path, value in list(values.values())[:MAX_NAMES]]


def _found(library: Library, candidate: Candidate, nodes: List[Any], kind: str, message: str) -> List[str]:
    if nodes and isinstance(nodes[0], (ast.Import, ast.ImportFrom)):
        module = nodes[0].module + "." if isinstance(nodes[0], ast.ImportFrom) and nodes[0].module else ""
        missing = [(module + one.name).rpartition(".") for one in nodes[0].names if not library.get(module + one.name)]
        nearest = [library.near(name, library.get(owner)) for owner, _, name in missing]
        return [one[at] for at in range(MAX_NAMES) for one in nearest if at < len(one)]
    attribute, undefined, call = _ATTRIBUTE.search(message), _UNDEFINED.search(message), _CALL.match(message)
    if kind == "AttributeError" and attribute and attribute[2] in (getattr(node, "attr", "") for node in nodes):
        owner = library.get(attribute[1]) or library.classes.get(attribute[1])
        used = tuple(sorted(filter(candidate.is_class, candidate.paths.values())))
        if owner is not None:
            return library.near(attribute[2], owner, used)
    if kind == "NameError" and undefined:
        return [undefined[1]] if importlib.util.find_spec(undefined[1]) else library.near(undefined[1])
    called = [candidate.path(node.func) for node in nodes if isinstance(node, ast.Call)]
    if kind == "TypeError" and call:
        name = call[1].replace(".__init__", "").split(".")[-1]
        named = library.paths.get(id(library.classes.get(name)), "")
        called = [path for path in called if path.split(".")[-1] == name] or [named, *called]
    return [path for path in called if library.get(path) is not None]


def describe(path: str, value: Any) -> str:
    """Return an object's path, its signature and the first paragraph of its documentation."""
    texts = ["(%s)" % ", ".join(parameters(value)) if _has_signature(value) else "", first_paragraph(value)]
    shown = [text if len(text) <= MAX_TEXT else text[: MAX_TEXT - 4].rsplit(" ", 1)[0] + " ..." for text in texts]
    kind = "module " if isinstance(value, types.ModuleType) else ""
    return "- %s`%s%s`%s" % (kind, path, shown[0], shown[1] and ": " + shown[1])


def parameters(value: Any) -> List[str]:
    """Return the parameters of a function or a class, without annotations."""
    for one in (value, getattr(value, "__init__", None)):  # a metaclass may hide the parameters of its classes
        signature = _safely(inspect.signature, one)
        found = list(signature.parameters.values()) if signature else []
        found = [part.replace(annotation=part.empty) for part in found if part.name != "self" and part.name[0] != "_"]
        if not isinstance(value, type) or [part.name for part in found] != ["args", "kwargs"]:
            break
    return [re.sub("=<.*>$", "=...", str(part)) for part in found]


def first_paragraph(value: Any) -> str:
    """Return the first paragraph of an object's documentation as one line without markup."""
    text = _ROLE.sub(r"\1", (inspect.getdoc(value) or "").replace("``", "`"))
    return " ".join(re.split(r"\n\s*\n", re.sub(r"([=~-])\1{3,}", "", text).strip())[0].split())


def similarity(one: str, other: str, least: float) -> float:
    """Return the similarity of two names, from 0 to 1, ignoring case and underscores.

    A similarity below `least` counts as 0.
    """
    matcher = difflib.SequenceMatcher(None, one.replace("_", "").lower(), other.replace("_", "").lower(), False)
    score = matcher.ratio() if min(matcher.real_quick_ratio(), matcher.quick_ratio()) >= least else 0.0
    return score if score >= least else 0.0


def words(name: str) -> List[str]:
    """Return the words in a name in lower case, without single letters and version numbers."""
    found = re.findall(r"[A-Z]+[0-9]*(?![a-z])|[A-Z]?[a-z]+[0-9]*", name)
    return [word.lower() for word in found if len(word) > 1 and not re.match(r"V\d$", word)]


def _has_signature(value: Any) -> bool:
    return isinstance(value, type) or inspect.isroutine(value)


def _safely(function: Callable[..., Any], *arguments: Any) -> Any:
    """Return the result of a call, or None if the call raises an exception.

    Importing a library or reading its attributes may raise any exception.
    """
    try:
        return function(*arguments)
    except Exception:
        return None
