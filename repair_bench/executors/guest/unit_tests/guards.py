"""Detect whether a candidate changed objects on which a test in the same process relies.

A snapshot of functions and classes is compared with the later state of these objects. An audit hook records whether the
candidate's code uses frames, the garbage collector, threads or raw memory. `returned` checks returned objects. The
guards are not a security boundary, because the candidate could change the guards in its own process.
"""

from __future__ import annotations

import _thread
import sys
import types
from typing import Any, Callable, Iterable, List, Mapping, NamedTuple, Set

from ..report import FILENAME
from .returned import COMPARING, words

OWN = (__package__ or "").split(".")[0]
ROOTS = {OWN} | words(
    "builtins math cmath _io io os posix json struct operator types typing copy functools itertools "
    "collections inspect random statistics fractions unittest numpy scipy sympy rustworkx qiskit "
    "qiskit_aer cirq pennylane"
)
"""The packages whose functions are checked for changes."""
MAX_CHANGES = 5
"""The maximum number of changes to report."""

FORBIDDEN = words(
    "sys._getframe sys._current_frames sys._current_exceptions sys.settrace sys.setprofile sys.addaudithook "
    "gc.get_objects gc.get_referrers gc.get_referents _thread.start_new_thread code.__new__ marshal.loads "
    "ctypes.dlopen ctypes.dlsym ctypes.call_function ctypes.cdata ctypes.addressof ctypes.PyObj_FromPtr "
    "ctypes.string_at os.fork os.forkpty os.exec os.posix_spawn os.system subprocess.Popen os.kill os.killpg"
)
"""Python audit events that a correct solution never has to trigger."""
FRAMES = words("tb_frame gi_frame cr_frame ag_frame f_back gi_code __globals__ __closure__")
"""Attributes through which code can reach frames or the namespace of a function."""
MADE_OF = words("__code__ __defaults__ __kwdefaults__")
"""Attributes that determine the behaviour of a function."""
ATTRIBUTES = {"object.__getattr__": FRAMES, "object.__setattr__": MADE_OF}
GO_BETWEENS = ("inspect.py", "threading.py", "traceback.py", "subprocess.py")
"""Modules whose functions trigger audit events. Each of these events is attributed to the code that called the
module."""


class Entry(NamedTuple):
    """A name in a snapshot, with its value and, for a function, the parts that determine its behaviour."""

    label: str
    namespace: Mapping[str, Any]
    name: str
    value: Any
    function: Any
    made_of: Any


def _entry(owner: str, namespace: Mapping[str, Any], name: str, value: Any) -> Entry:
    function = value
    if isinstance(value, (staticmethod, classmethod)):
        function = value.__func__
    elif isinstance(value, property):
        function = value.fget
    if type(function) is not types.FunctionType:
        return Entry(owner, namespace, name, value, None, None)
    made_of = (function.__code__, function.__defaults__, function.__kwdefaults__)
    return Entry(owner, namespace, name, value, function, made_of)


def _changed(entries: List[Entry], _missing: object = object()) -> List[str]:
    found: List[str] = []
    for label, namespace, name, value, function, made_of in entries:
        if namespace.get(name, _missing) is not value or (
            function is not None
            and (
                function.__code__ is not made_of[0]
                or function.__defaults__ is not made_of[1]
                or function.__kwdefaults__ is not made_of[2]
            )
        ):
            found.append("%s.%s" % (label, name))
        if len(found) >= MAX_CHANGES:
            break
    return found


def _changed_modules(modules: Mapping[str, Any]) -> List[str]:
    found = ["sys.modules[%r]" % name for name, module in modules.items() if sys.modules.get(name) is not module]
    found += [name for name, now in (("settrace", sys.gettrace()), ("setprofile", sys.getprofile())) if now is not None]
    finders = [*sys.meta_path, *sys.path_hooks]
    found += ["sys.meta_path" for finder in finders if _is_the_candidates(finder)]
    return found[:MAX_CHANGES]


def _running_threads() -> List[str]:
    """Report whether the candidate's code is running in a thread other than the current thread.

    This check is needed because some Python versions trigger no audit event when a thread starts.
    """
    own = _thread.get_ident()
    for thread, top in sys._current_frames().items():  # noqa: SLF001 - threads cannot be listed in any other way
        frame: Any = top
        while frame is not None and thread != own:
            if frame.f_code.co_filename == FILENAME:
                return ["a thread that is still running"]
            frame = frame.f_back
    return []


def _is_the_candidates(thing: Any) -> bool:
    return "candidate" in (getattr(thing, "__module__", None), getattr(type(thing), "__module__", None))


Compare = Callable[[Any], List[str]]
Threads = Callable[[], List[str]]


class Snapshot:
    """A snapshot of the functions, classes and methods in the packages in `ROOTS`."""

    def __init__(self) -> None:
        self._modules = {
            name: module
            for name, module in list(sys.modules.items())
            if isinstance(module, types.ModuleType) and name.split(".", maxsplit=1)[0] in ROOTS
        }
        self._entries: List[Entry] = []
        self.classes: Set[int] = set()
        for name, module in self._modules.items():
            for attribute, value in list(vars(module).items()):
                if isinstance(value, type):
                    self._add_class(value)
                if callable(value):
                    self._entries.append(_entry(name, vars(module), attribute, value))
        self._builtins = [entry for entry in self._entries if entry.label == "builtins"]
        self._near: List[Entry] = []

    def look_at(self, used: Iterable[str]) -> None:
        """Set the names that the test uses.

        The method `near` then checks these names and built-in names for changes.
        """
        wanted = frozenset(used) | COMPARING
        self._near = self._builtins + [entry for entry in self._entries if entry.name in wanted]

    # The default arguments bind the functions now, as a candidate may replace this module's functions.
    def changes(
        self, modules: Compare = _changed_modules, entries: Compare = _changed, threads: Threads = _running_threads
    ) -> List[str]:
        """Return the names whose values have changed since the snapshot, at most `MAX_CHANGES` of each kind."""
        return modules(self._modules) + entries(self._entries) + threads()

    def near(self, entries: Compare = _changed, threads: Threads = _running_threads) -> List[str]:
        """Return the changed names among those that the test uses. This check is fast enough to run after each call."""
        return entries(self._near) + threads()

    def _add_class(self, value: type) -> None:
        if id(value) in self.classes:
            return
        self.classes.add(id(value))
        for attribute, content in list(vars(value).items()):
            if callable(content) or isinstance(content, (property, staticmethod, classmethod)):
                self._entries.append(_entry(value.__qualname__, vars(value), attribute, content))


def audit(noted: List[str]) -> None:
    """Start recording forbidden audit events that the candidate's code causes. Events are recorded, but not prevented.

    `noted`: the list to which the name of each event is added.
    """
    getframe, note, maximum = sys._getframe, noted.append, 50  # noqa: SLF001
    busy: List[bool] = []

    def hook(event: str, arguments: Any) -> None:
        if event in FORBIDDEN:
            name = event
        elif event in ATTRIBUTES and arguments[1] in ATTRIBUTES[event]:
            name = str(arguments[1])
        else:
            return
        if busy or len(noted) >= maximum:
            return
        busy.append(True)
        try:
            if _asked_by_the_candidate(getframe(1), event):
                note(name)
        finally:
            busy.pop()

    sys.addaudithook(hook)


def _asked_by_the_candidate(frame: Any, event: str) -> bool:
    """Whether the candidate's code triggered an event, either directly or through a module in `GO_BETWEENS`."""
    while frame is not None and event != "object.__getattr__" and frame.f_code.co_filename.endswith(GO_BETWEENS):
        frame = frame.f_back
    if frame is None:
        return False
    file = frame.f_code.co_filename
    return file == FILENAME or (file == "<string>" and bool(frame.f_globals.get("__name__") == "candidate"))
