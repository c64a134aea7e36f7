"""The built-in suite, read from its task folders. `README.md` beside this file documents them."""

from __future__ import annotations

import hashlib
import inspect
import json
import tomllib
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, Literal

import jinja2
import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from repair_bench.executors.program import FRAMEWORKS
from repair_bench.suites.aligned.wording import prompt, starter
from repair_bench.suites.checks import Case, CircuitCheck, DistributionCheck, StateCheck, UnitaryCheck
from repair_bench.suites.task import Category, Suite, Task
from repair_bench.traces.faults import SuiteError

NAME = "aligned"
VERSION = "1"
FOLDER = Path(__file__).parent / "tasks"

CHECKS: dict[str, type[CircuitCheck]] = {
    "distribution": DistributionCheck,
    "state": StateCheck,
    "unitary": UnitaryCheck,
}
