"""Commands that publish runs and verify published runs."""

from __future__ import annotations

import functools
import json
import secrets
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from repair_bench.cli.options import (
    DONE,
    FAULTS,
    UNVERIFIABLE,
    DataOption,
    JsonOption,
    stop,
    takes_executor,
)
from repair_bench.cli.output import observed, print_json, say

if TYPE_CHECKING:
    from repair_bench.agent.studies.verifying import Source, VerificationReport
    from repair_bench.executors.options import ExecutorOptions
    from repair_bench.report.site import Texts
    from repair_bench.traces.run.manifest import Manifest

MAX_SHOWN = 50
"""Maximum number of contradictions printed per run."""
SAMPLE = 1_000
"""Default number of answers to re-execute per run. Executing the default number of answers takes about a minute."""
UNKNOWN = (
    "Not verified: the author and date of the record, response times, and costs that the checks above do not cover. "
    "A signature (--signer) identifies the publisher; docs/sandbox.md describes the remaining limits."
)


def publish(
    run_dirs: Annotated[list[Path], typer.Argument(metavar="RUN_DIR...", help="Directories of the runs.")],
    out: Annotated[Path, typer.Option(help="Folder of the site. Replaces an existing site.")],
    author: Annotated[
        list[str] | None, typer.Option(help="Name of an author to cite. Can be given more than once.")
    ] = None,
    sign: Annotated[
        Path | None, typer.Option(metavar="KEY", help="Sign the checksums with this SSH key, using ssh-keygen.")
    ] = None,
) -> None:
    """Publish runs as a static site: leaderboards, pages, records, a data card, and checksums."""
    from repair_bench.report import site
    from repair_bench.text import count
    from repair_bench.traces.files import signatures
    from repair_bench.traces.run.manifest import Manifest

    signing = None if sign is None else functools.partial(signatures.sign, key=sign)
    made = site.publish(run_dirs, out, texts=_texts(), authors=author or (), sign=signing)
    print(made.index)
    print(f"{count(made.runs, 'run')}, {count(made.attempts, 'attempt')}, {made.bytes / 2**20:,.1f} MiB")
    say(_revealed([Manifest.read(directory) for directory in run_dirs]))


def _revealed(manifests: Sequence[Manifest]) -> Iterator[str]:
    """Yield sentences about settings that remain in the site although they may be private."""
    from repair_bench.agent.experiment.given_again import leads_elsewhere

    if addresses := dict.fromkeys(filter(None, (manifest.experiment.get("api_base") for manifest in manifests))):
        yield f"The site shows addresses of servers (api_base): {', '.join(addresses)}"
    critics = [c["critic"][0] for manifest in manifests for c in manifest.conditions.values() if "critic" in c]
    models = [name for manifest in manifests for name in manifest.experiment.get("models", ())]
    if places := dict.fromkeys(name for name in map(str, [*models, *critics]) if leads_elsewhere(name)):
        yield f"The site shows names of models that contain a local folder or an address: {', '.join(places)}"
    providers = [one for manifest in manifests for one in (manifest.experiment.get("asked_with") or {}).values()]
    if sent := dict.fromkeys(f"{k}={json.dumps(v)}" for one in providers for k, v in one.get("parameters", {}).items()):
        yield f"The site shows parameters of requests: {', '.join(sent)}"


def _texts() -> Texts:
    from repair_bench.agent.training.examples import CANARY
    from repair_bench.report.site import Texts
    from repair_bench.suites.fetch import SOURCES

    licences = {
        **dict.fromkeys(("aligned", "conventions", "horizon"), "Apache-2.0"),
        **{k: s.licence for k, s in SOURCES.items()},
    }
    return Texts(observed, licences, CANARY)


@takes_executor()
def verify(
    place: Annotated[Path, typer.Argument(metavar="SITE|RUN_DIR", help="Directory of a published site or of a run.")],
    *,
    sample: Annotated[int, typer.Option(min=0, help="Number of answers to re-execute per run.")] = SAMPLE,
    seed: Annotated[int | None, typer.Option(help="Seed for the random sample. [random; the seed is printed]")] = None,
    all_: Annotated[bool, typer.Option("--all", help="Re-execute every answer.")] = False,
    signer: Annotated[
        str | None,
        typer.Option(metavar="IDENTITY", help="Require a signature by this identity, listed in --allowed-signers."),
    ] = None,
    allowed_signers: Annotated[
        Path | None, typer.Option(metavar="FILE", help="File with signers and their public keys, for ssh-keygen.")
    ] = None,
    data: DataOption = None,
    executor: ExecutorOptions,
    json_: JsonOption = False,
) -> None:
    """Verify a run or site: check its records for consistency and regrade a random sample of answers.

    Exit codes: 0 if the records are consistent, 1 if not, 3 if they cannot be verified on this machine.
    """
    from repair_bench.agent.studies import verifying
    from repair_bench.report import site
    from repair_bench.report.site import layout
    from repair_bench.traces.faults import DamagedRecordError
    from repair_bench.traces.record.printable import printable

    options = replace(executor, private=(place.absolute(),))
    seed = secrets.randbits(32) if seed is None else seed
    found: list[verifying.VerificationReport] = []
    wrong: list[str] = []
    doubts: list[str] = []
    try:
        wrong, sources = _sources(place, signer, allowed_signers)
        for source in sources:
            say(source.manifest.unused(data, options.pythons))
        found = verifying.verify(sources, sample=None if all_ else sample, seed=seed, data=data, executor=options)
        if not wrong and layout.is_site(place) and not any(one.contradictions for one in found):
            wrong, doubt = site.rebuild(place, texts=_texts())
            doubts = [doubt] if doubt else []
    except DamagedRecordError as error:
        if not wrong:
            raise
        wrong.append(str(error))
    results: set[verifying.Result] = {one.result for one in found}
    results |= {"contradicted"} if wrong else {"not verifiable"} if doubts else set()
    result = next((one for one in verifying.RESULTS if one in results), "consistent")
    if json_:
        stated = {"result": result, "seed": seed, "files": wrong, "pages": doubts}
        print_json({**stated, "runs": [one.to_json() for one in found]})
    else:
        for line in [*wrong, *doubts, *(line for one in found for line in _lines(one, seed)), UNKNOWN, result]:
            print(printable(line))
    raise typer.Exit({"consistent": DONE, "contradicted": FAULTS, "not verifiable": UNVERIFIABLE}[result])


def _sources(place: Path, signer: str | None, allowed: Path | None) -> tuple[list[str], list[Source]]:
    """Check the files of a site. Return a list of the errors found and a list of the site's runs.

    For a run directory, the list of errors is empty, and the list of runs contains only that run.
    """
    from repair_bench.agent.studies.verifying import Source
    from repair_bench.report.site import layout, record
    from repair_bench.text import count
    from repair_bench.traces.files import signatures
    from repair_bench.traces.files.checksums import differences
    from repair_bench.traces.files.record_files import check_contained
    from repair_bench.traces.run.manifest import Manifest
    from repair_bench.traces.run.run_reader import load_rows

    if (signer is None) is not (allowed is None):
        stop("use --signer and --allowed-signers together")
    if not layout.is_site(place):
        if signer is not None:
            stop(f"{place} is a run directory, and only sites have signatures: remove --signer and --allowed-signers")
        run = load_rows(place)
        say(run.notes)
        name = place.resolve().name
        return [], [Source(name, run.manifest, lambda: ((r.with_texts(), True) for r in run.rows), place)]
    check_contained(place)
    wrong = differences(place)
    if signer is not None and allowed is not None and (unsigned := signatures.is_signed_by(place, signer, allowed)):
        wrong.append(unsigned)
    sources = []
    for folder in layout.folders_of(place):
        inside = place / layout.RUNS / folder
        records = functools.partial(record.read_record, inside)
        sources.append(Source(folder, Manifest.read(inside), records, inside, published=True))
        if missing := record.missing(inside):
            wrong.append(f"{folder}: the record lacks {count(missing, 'attempt')}")
    return wrong, sources


def _lines(found: VerificationReport, seed: int) -> Iterator[str]:
    from repair_bench.text import count

    shown = found.contradictions
    for one in shown[:MAX_SHOWN]:
        yield f"{found.run}: {one}"
    if len(shown) > MAX_SHOWN:
        yield f"{found.run}: {len(shown) - MAX_SHOWN:,} more contradictions; --json lists all of them"
    if found.versions:
        yield f"{found.run}: graded with package versions other than the installed ones: {found.versions}"
    for reason, n in found.unverifiable.items():
        yield f"{found.run}: not verifiable{f' ({n:,} times)' if n > 1 else ''}: {reason}"
    if found.pending:
        yield f"{found.run}: unfinished: {found.pending:,} of {count(found.planned or 0, 'planned episode')} pending"
    if found.lock is not None:
        yield f"{found.run}: study.lock has the SHA-256 {found.lock}"
    executed = (
        f"re-executed {found.executed:,} of {count(found.answers, 'answer')} (seed {seed}): {found.agree:,} agree"
    )
    if found.costs_differ:
        executed += f" ({found.costs_differ:,} with other costs, which depend on the speed of the machine)"
    if 0 < found.executed < found.answers:
        few = max(1, found.answers // 100)
        executed += f"; a sample of this size detects {count(few, 'falsified outcome')} with a probability "
        executed += f"of {found.detection(few):.0%}"
    elif found.answers and not found.executed:
        executed += ", so the recorded outcomes are not verified"
    yield (
        f"{found.run}: {found.result}: {count(found.attempts, 'attempt')}, "
        f"{count(len(found.contradictions), 'contradiction')}; {executed}"
    )
