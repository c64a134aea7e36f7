"""Parse command-line options, call other packages and print results. `--help` imports no heavy modules."""

from __future__ import annotations

import errno
import io
import os
import signal
import sys
import threading
from typing import Annotated, NoReturn

import typer

from repair_bench._version import __version__
from repair_bench.cli.commands import environments, export, grade, new, publish, run, run_views, suites
from repair_bench.cli.options import DONE, FAULTS, FB_HELP, INTERRUPTED, USAGE

_LINES = "\n\t"
_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS)
"""Errors that occur if a disk is full or read-only."""
_EXHAUSTED = (errno.EMFILE, errno.ENFILE, errno.EAGAIN, errno.ENOMEM)
"""Errors caused by a limit on files, processes or memory."""
_NO_THREAD = "can't start new thread"
_AT_LIMIT = "reached a resource limit of this user or machine (see `ulimit -a`)"

app = typer.Typer(
    help="Measure how well language models repair their own quantum programs.",
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"repair-bench {__version__}")
        raise typer.Exit


_Version = Annotated[bool, typer.Option("--version", callback=_print_version, help="Print the version and exit.")]


@app.callback()
def _options(*, version: _Version = False) -> None: ...


app.command(epilog=FB_HELP)(run.run)
app.command()(run.fork)
app.command()(run_views.watch)
app.command()(run.merge)
app.command()(export.schema)
app.command()(grade.regrade)
app.command()(grade.grade)
app.command(epilog=FB_HELP)(run_views.report)
app.command()(run_views.plot)
app.command(epilog=FB_HELP)(run_views.compare)
app.command()(run_views.show)
app.command()(export.export)
app.command()(run.serve)
app.command()(publish.publish)
app.command()(publish.verify)
app.command()(grade.drift)
app.command()(new.new)
app.add_typer(suites.app, name="suites")
app.add_typer(environments.app, name="env")
app.command()(environments.doctor)
app.command()(run_views.graph)


def main() -> None:
    """Run a command. The exit code is 2 for usage errors, and 1 for infrastructure errors and full disks."""
    from repair_bench.traces.faults import Fault, UsageError

    _open_standard_streams()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # for paths that the terminal cannot show
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, signal.default_int_handler)  # clean up as on Ctrl-C
    try:
        app()
    except UsageError as error:
        _stop(str(error), USAGE)
    except Fault as fault:
        _stop(f"infrastructure error ({fault.boundary}): {fault}", FAULTS)
    except SystemExit as end:
        _end(DONE if isinstance(end.__context__, BrokenPipeError) else end.code)  # typer ends with 1 for a closed pipe
    except OSError as error:
        if error.errno in _EXHAUSTED:
            _stop(f"{_AT_LIMIT}: {error.strerror}", FAULTS)
        if error.errno not in _NO_ROOM:
            raise
        _stop(f"{error.filename or 'the output'} cannot be written: {error.strerror}", FAULTS)
    except RuntimeError as error:
        if str(error) != _NO_THREAD:
            raise
        _stop(f"{_AT_LIMIT}: {_NO_THREAD}", FAULTS)
    except KeyboardInterrupt:
        _stop("interrupted", INTERRUPTED)


def _end(status: int | str | None) -> None:
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # Python flushes once more at exit
    sys.exit(status)


def _open_standard_streams() -> None:
    """Reopen standard streams that the caller closed, so that no other file receives their descriptors and output."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # the lowest free number


def _stop(message: str, status: int) -> NoReturn:
    from repair_bench.traces.record.printable import printable

    print(f"repair-bench: {printable(message, keep=_LINES)}", file=sys.stderr)
    sys.exit(status)
