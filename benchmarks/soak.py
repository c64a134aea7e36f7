"""Ten thousand mixed candidates: whether the executor is as fast at the end as at the beginning, and leaks nothing.

    python benchmarks/soak.py [--quick] [--json FILE]

Every tenth has the same thousand programs in another order: references and mutants of the built-in suite in the three
frameworks, programs that raise, loop and sleep, and, where the tests are at hand, those of tests/hostile. Then the
program that holds an executor, and fork servers of another one, are killed at moments that are drawn; what they leave
is counted. Orphans come to this process, so nothing can hide.
"""

from __future__ import annotations

import asyncio
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

from common import parse, references, report

from repair_bench.executors import Call, Limits, LocalExecutor, Program
from repair_bench.executors.guest import syscalls
from repair_bench.executors.preloading import is_wide
from repair_bench.frameworks import FRAMEWORKS
from repair_bench.suites.mutations import mutants
from repair_bench.traces.faults import ExecutorError

TENTHS = 10
PER_TENTH, QUICK_PER_TENTH = 1000, 60
WORKERS, IN_FLIGHT = 2, 8
LIMITS = Limits(cpu_seconds=0.3, wall_seconds=1.5, memory_mb=512, disk_mb=8, value_mb=4)
OWN = {
    "raises": "def answer(): return 1 / 0",
    "does not parse": "def answer(: return 1",
    "exits": "import os\ndef answer(): os._exit(0)",
    "loops": "def answer():\n    while True: pass",
    "sleeps": "import time\ndef answer(): time.sleep(60)",
    "writes": "def answer(): open('x', 'w').write('x' * 1_000_000); print('x' * 100_000)",
    "forks": "import os, time\ndef answer():\n    if os.fork() == 0:\n        os.setsid(); time.sleep(60)",
    "takes memory": "def answer(): return len(bytearray(10**10))",
}
VICTIM = """
import asyncio
from repair_bench.executors import Call, LocalExecutor, Program

async def forever(executor, framework, seconds):
    source = f"import time\\ndef answer(): time.sleep({seconds})"
    while True:
        await executor.run(Program(framework, source, Call("answer", "state")))
        print("ready", flush=True)

async def main():
    executor = LocalExecutor(6)
    many = [(name, seconds) for name in ("python", "qiskit") for seconds in (0, 0.1, 60)]
    await asyncio.gather(*(forever(executor, *one) for one in many))

asyncio.run(main())
"""
SHARES = {"reference": 0.45, "mutant": 0.35, "own": 0.15, "hostile": 0.05}
KILLS, QUICK_KILLS = 20, 3
SETTLE_SECONDS = 20.0


def hostile(stack: ExitStack) -> list[Program]:
    """The programs of tests/hostile among what they attack; none where the tests are not there."""
    folder = Path(__file__).resolve().parents[1] / "tests" / "hostile"
    if not folder.is_dir():
        return []
    sys.path.insert(0, str(folder))
    from hostile_programs import PROGRAMS
    from surroundings import Surroundings

    target = stack.enter_context(Surroundings()).target(bounded=False)
    return [
        Program(
            program.framework,
            program.source,
            Call("answer", "distribution", ((target,) if program.is_called_with_target else (),)),
            LIMITS,
        )
        for program in PROGRAMS
    ]


def mixture(size: int, rng: random.Random, attacks: list[Program]) -> list[tuple[str, Program]]:
    """As many programs of every kind as its share says, each with its kind."""
    tasks = references("aligned")
    call = Call("answer", "state")
    pools: dict[str, list[Program]] = {
        "reference": [task.check.program(task, str(task.reference)) for task in tasks],
        "mutant": [
            task.check.program(task, mutant.source)
            for task in tasks
            for mutant in list(mutants(str(task.reference), task.framework))[:12]
        ],
        "own": [Program(framework, source, call, LIMITS) for source in OWN.values() for framework in FRAMEWORKS],
        "hostile": attacks,
    }
    chosen = []
    for kind, share in SHARES.items():
        pool = pools[kind] or pools["mutant"]
        count = round(size * share)
        chosen += [(kind, program) for program in (rng.sample(pool, len(pool)) * (count // len(pool) + 1))[:count]]
    return chosen


async def run_all(executor: LocalExecutor, many: list[tuple[str, Program]]) -> Counter[str]:
    """How often each kind came to which status."""
    gate = asyncio.Semaphore(IN_FLIGHT)

    async def one(kind: str, program: Program) -> str:
        async with gate:
            try:
                outcome = await executor.run(program)
            except ExecutorError as error:
                print(f"fault: {error}")
                return f"{kind}: fault"
            return f"{kind}: {outcome.status}"

    return Counter(await asyncio.gather(*(one(kind, program) for kind, program in many)))


def one_a_server(many: list[tuple[str, Program]]) -> list[tuple[str, Program]]:
    """One program for each fork server that these take, so that all have been started."""
    return list({(program.framework, is_wide(program)): (kind, program) for kind, program in many}.values())


def soak(size: int, seed: int, file: Path | None) -> None:
    rng = random.Random(seed)
    with ExitStack() as stack:
        executor = LocalExecutor(WORKERS)
        stack.callback(executor.shutdown)
        tenth = mixture(size, rng, hostile(stack))
        asyncio.run(run_all(executor, [*one_a_server(tenth), *tenth[:: max(1, size // 50)]]))
        time.sleep(1)
        before = standing()
        rows, told = [], Counter[str]()
        for number in range(1, TENTHS + 1):
            rng.shuffle(tenth)
            began = time.perf_counter()
            told += asyncio.run(run_all(executor, tenth))
            seconds = time.perf_counter() - began
            rows.append(
                {"tenth": number, "candidates": size, "seconds": round(seconds, 1), "per_s": round(size / seconds, 1)}
            )
            print(
                f"{number}/{TENTHS}: {rows[-1]['per_s']} candidates a second (load {os.getloadavg()[0]:.1f})",
                flush=True,
            )
        time.sleep(1)
        after = standing()
    ratio = round(rows[-1]["per_s"] / rows[0]["per_s"], 2)
    report("Throughput", [*rows, {"tenth": "last / first", "candidates": "", "seconds": "", "per_s": ratio}], file)
    report(
        "What is there before and after", [{"what": k, "before": before[k], "after": after[k]} for k in before], file
    )
    report("Statuses", [{"status": name, "candidates": count} for name, count in sorted(told.items())], file)


def standing() -> dict[str, int]:
    """What must be the same afterwards: of this process and of all below it."""
    family = [os.getpid(), *below(os.getpid())]
    return {
        "processes": len(family),
        "zombies": sum(state(pid) == "Z" for pid in family),
        "descriptors": sum(entries(f"/proc/{pid}/fd") for pid in family),
        "threads": sum(entries(f"/proc/{pid}/task") for pid in family),
        "files": sum(len(folders) + len(files) for _, folders, files in os.walk(tempfile.gettempdir())),
        "memory of this process, MB": resident(family[:1]),
        "memory of all below it, MB": resident(family[1:]),
    }


def kill_parents(times: int, rng: random.Random) -> dict[str, Any]:
    """SIGKILL to a process with a busy executor; what is left of those below it."""
    left = 0
    most = 0
    for _ in range(times):
        command = [sys.executable, "-c", VICTIM]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as victim:
            assert victim.stdout is not None
            victim.stdout.readline()
            time.sleep(rng.uniform(0, 1))
            most = max(most, len(below(os.getpid())))
            victim.kill()
        left += leftovers()
    return {
        "killed": "the parent",
        "times": times,
        "processes, at most": most,
        "left": left,
        "files left": files_left(),
    }


def kill_servers(times: int, rng: random.Random) -> dict[str, Any]:
    """SIGKILL to a fork server at work, or to the process that waits for it."""
    executor = LocalExecutor(WORKERS)
    references_ = [task for task in references("aligned") if task.framework == "qiskit"]
    many = [("reference", task.check.program(task, str(task.reference))) for task in references_]
    told: Counter[str] = Counter()
    most = 0

    async def strike() -> None:
        batch = asyncio.create_task(run_all(executor, many))
        await asyncio.sleep(rng.uniform(0, 1))
        servers = [pid for pid in below(os.getpid()) if b"guest" in command_line(pid)][:2]
        nonlocal most
        most = max(most, len(below(os.getpid())))
        if servers:
            os.kill(rng.choice(servers), signal.SIGKILL)
        told.update(await batch)

    asyncio.run(run_all(executor, many[:2]))
    for _ in range(times):
        asyncio.run(strike())
    executor.shutdown()
    left = leftovers()
    row = {
        "killed": "a fork server",
        "times": times,
        "processes, at most": most,
        "left": left,
        "files left": files_left(),
    }
    print(f"of the {times * len(many)} candidates meanwhile: {dict(told)}")
    return row


def leftovers() -> int:
    """How many processes are still below this one when all had the time to leave. They are killed."""
    end = time.monotonic() + SETTLE_SECONDS
    while (left := alive()) and time.monotonic() < end:
        time.sleep(0.05)
    for pid in left:
        os.kill(pid, signal.SIGKILL)
    return len(left)


def alive() -> list[int]:
    """The processes below this one, once the dead among them are reaped."""
    with suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    return below(os.getpid())


def below(pid: int) -> list[int]:
    """All processes below one, parents first."""
    found = []
    with suppress(OSError):
        for task in Path(f"/proc/{pid}/task").iterdir():
            for child in (task / "children").read_text().split():
                found += [int(child), *below(int(child))]
    return found


def state(pid: int) -> str:
    with suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    return "X"


def command_line(pid: int) -> bytes:
    with suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    return b""


def entries(folder: str) -> int:
    with suppress(OSError):
        return len(list(Path(folder).iterdir()))
    return 0


def files_left() -> int:
    return entries(tempfile.gettempdir())


def resident(pids: list[int]) -> int:
    total = 0
    for pid in pids:
        with suppress(OSError):
            total += int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE")
    return total >> 20


def main() -> int:
    options = parse(__doc__)
    syscalls.prctl(syscalls.PR_SET_CHILD_SUBREAPER, 1)
    with tempfile.TemporaryDirectory(prefix="soak-") as folder:
        os.environ["TMPDIR"] = folder  # so that what is left there is ours
        tempfile.tempdir = None
        soak(QUICK_PER_TENTH if options.quick else PER_TENTH, options.seed, options.json)
        kills, rng = QUICK_KILLS if options.quick else KILLS, random.Random(options.seed)
        rows = [kill_parents(kills, rng), kill_servers(kills, rng)]
        report("Processes that outlive a SIGKILL", rows, options.json)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
