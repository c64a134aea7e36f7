"""Commands that manage environments with other framework versions, and that describe this machine (`doctor`)."""

from __future__ import annotations

import sys
from typing import Annotated, Any

import typer

from repair_bench.cli.options import JsonOption
from repair_bench.cli.output import print_json, print_rows

app = typer.Typer(
    help="Manage environments with other framework versions: create, list, remove.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


@app.command("create")
def create(
    name: Annotated[str, typer.Argument(help="Name of the environment.")],
    packages: Annotated[
        list[str],
        typer.Argument(
            help='Requirements to install, e.g. "qiskit==0.46.0" "qiskit-aer==0.14.2", including packages that tasks '
            "import."
        ),
    ],
    python: Annotated[str | None, typer.Option(help="Base interpreter, Python 3.8 or later. [this Python]")] = None,
) -> None:
    """Create an environment for use with --python. Uses uv if installed, otherwise venv and pip."""
    from repair_bench.executors import environments

    print(f"Installing {' '.join(packages)}. This can take several minutes.", file=sys.stderr)
    made = environments.create(name, packages, python)
    print_rows([made.row()], as_json=False)


@app.command("list")
def list_(json_: JsonOption = False) -> None:
    """List all environments with their interpreters and framework packages."""
    from repair_bench.executors import environments

    print_rows([environment.row() for environment in environments.listed()], as_json=json_)


@app.command("remove")
def remove(name: Annotated[str, typer.Argument(help="Name of the environment.")]) -> None:
    """Remove an environment."""
    from repair_bench.executors import environments

    environments.remove(name)


def doctor(json_: JsonOption = False) -> None:
    """Show the sandbox layers, interpreters, environments and datasets of this machine."""
    from repair_bench.executors import doctor, environments
    from repair_bench.suites import fetch

    sections: dict[str, list[dict[str, Any]]] = {
        "machine": [doctor.machine()],
        "sandbox": [dict(row) for row in doctor.report()],
        "frameworks": doctor.frameworks(),
        "environments": [environment.row() for environment in environments.listed()],
        "datasets": fetch.fetched(),
    }
    if json_:
        print_json(sections)
        return
    for section, rows in sections.items():
        print(section)
        print_rows(rows, as_json=False) if rows else print("none")
        print()
