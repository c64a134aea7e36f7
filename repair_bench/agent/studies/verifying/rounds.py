"""A run that stops by value: its decisions made again from its attempts, round by round."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from repair_bench.agent.experiment.episodes import PlannedEpisode
from repair_bench.agent.loop.rounds import Rounds
from repair_bench.agent.studies.verifying.findings import VerificationReport
from repair_bench.traces.files.journal import parse, read_lines
from repair_bench.traces.record.records import Attempt
from repair_bench.traces.run.decisions import DECISIONS, Decision


def check_rounds(
    episodes: Sequence[PlannedEpisode],
    paths: Mapping[str, Sequence[Attempt]],
    directory: Path,
    found: VerificationReport,
) -> int:
    """Check the decisions of a run, and return the number of pending episodes.

    `paths`: the attempts of each episode, without their texts.
    """
    rounds = Rounds(episodes)
    taken: dict[str, int] = {}
    try:
        for number, stated in enumerate(_stated(directory)):
            if rounds.decide() != stated:  # an attempt that ended by a fault may have been made later
                found.doubt(f"{DECISIONS}: round {number} is not what the attempts before it decide")
            rounds.follow(stated)
            for episode in list(rounds.work()):
                due = paths.get(episode.id, ())[: (episode.until or 0) + 1]
                taken[episode.id] = len(due)
                for attempt in due:
                    rounds.take(attempt)
    except (KeyError, TypeError, ValueError) as error:
        found.contradict(f"{DECISIONS} cannot be followed: {error!r}")
        return 0
    for name, path in paths.items():
        if len(path) > taken.get(name, 0):
            found.contradict("it was made without a decision", name, path[-1].id)
    pending = sum(1 for _ in rounds.work())
    return pending or len(rounds.decide())


def _stated(directory: Path) -> Iterator[list[Decision]]:
    for line in read_lines(directory / DECISIONS, parse):
        yield [Decision(**decision) for decision in line.data["decisions"]]
