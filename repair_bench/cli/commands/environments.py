"""What this machine has: environments with other versions of a framework, and the sandbox."""

from __future__ import annotations

import sys
from typing import Annotated, Any

import typer

from repair_bench.cli.options import JsonOption
from repair_bench.cli.output import print_json, print_rows

app = typer.Typer(
    help="Environments with other versions of a framework: create, list, remove.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


@app.command("create")
def create(
    name: Annotated[str, typer.Argument(help="A name for it.")],
    packages: Annotated[
        list[str], typer.Argument(help='What to install: "qiskit==0.46.0" "qiskit-aer==0.14.2", and what tasks import.')
    ],
    python: Annotated[str | None, typer.Option(help="The interpreter to build it on, 3.8 or newer. [this one]")] = None,
) -> None:
    """Make an environment with a framework, for --python; with uv where it is there, else venv and pip."""
    from repair_bench.executors import environments

    print(f"installing {' '.join(packages)}: this may take some minutes", file=sys.stderr)
    made = environments.create(name, packages, python)
    print_rows([made.row()], as_json=False)


@app.command("list")
def list_(json_: JsonOption = False) -> None:
    """List the environments: interpreter and framework packages of each."""
    from repair_bench.executors import environments

    print_rows([environment.row() for environment in environments.listed()], as_json=json_)


@app.command("remove")
def remove(name: Annotated[str, typer.Argument(help="An environment's name.")]) -> None:
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
        if rows:
            print_rows(rows, as_json=False)
        else:
            print("none")
        print()
