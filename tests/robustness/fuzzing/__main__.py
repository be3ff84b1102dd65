"""Tries random inputs in this process or in several, and keeps those that come to a fault.

    python -m tests.robustness.fuzzing [--kinds mutations,host] [--seconds 60] [--jobs 2]

An input is faulty if anything is raised, if a report holds an internal error or cannot be written,
if an edited document is not as a fresh one, if a request has no answer, or if it takes more than
5 s of processor time or 500 MB. ``--again KIND:SEED`` tries one input again. The exit status is 1
if there are faults.
"""

from __future__ import annotations

import argparse
import itertools
import logging
import multiprocessing
import multiprocessing.connection
import sys
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from .corpus import Seed, corpus
from .guard import Outcome, guarded
from .kinds import KINDS, input_of

STUCK_S: Final = 300.0
"""So long without an outcome a process is ended: it is held up where no signal reaches it."""


@dataclass(slots=True)
class Tally:
    """What came of the inputs of one kind."""

    inputs: int = 0
    cpu_s: float = 0.0
    longest_s: float = 0.0
    most_mb: float = 0.0
    faults: dict[str, tuple[str, int]] = field(default_factory=dict)
    """By their sign: the first seed, and how many there are."""

    def add(self, seed: str, outcome: Outcome) -> bool:
        """Count one input; whether its fault is new."""
        self.inputs += 1
        self.cpu_s += outcome.cpu_s
        self.longest_s = max(self.longest_s, outcome.cpu_s)
        self.most_mb = max(self.most_mb, outcome.peak_mb)
        if not outcome.fault:
            return False
        first, count = self.faults.get(outcome.sign, (seed, 0))
        self.faults[outcome.sign] = first, count + 1
        return count == 0


def _options(words: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.robustness.fuzzing")
    parser.add_argument("--kinds", default=",".join(KINDS), help="which, separated by commas")
    parser.add_argument("--seconds", type=float, default=60.0, help="in all")
    parser.add_argument("--inputs", type=int, default=1_000_000, help="at most, of each kind")
    parser.add_argument("--jobs", type=int, default=1, help="processes; 0 for this one")
    parser.add_argument("--seed", default="1", help="any word; another gives other inputs")
    parser.add_argument("--corpus", type=Path, action="append", default=[], help="a folder")
    parser.add_argument("--keep", type=Path, help="the folder for faulty inputs")
    parser.add_argument("--again", help="KIND:SEED as it was printed")
    return parser.parse_args(words)


def main(words: Sequence[str]) -> int:
    """Fuzz as the options say."""
    options = _options(words)
    logging.disable(logging.CRITICAL)
    seeds = corpus(options.corpus)
    if options.again:
        kind, _, seed = options.again.partition(":")
        outcome = _outcome(kind, seed, seeds)
        print(outcome)
        return 1 if outcome.fault else 0
    tallies = {kind: Tally() for kind in options.kinds.split(",")}
    started = time.monotonic()
    rounds = _here(options, seeds, started) if options.jobs == 0 else _jobs(options, seeds, started)
    for kind, seed, outcome in rounds:
        if tallies[kind].add(seed, outcome):
            _tell(kind, seed, outcome, seeds, options.keep)
    return _summary(tallies, time.monotonic() - started)


def _outcome(kind: str, seed: str, seeds: Sequence[Seed]) -> Outcome:
    found = input_of(kind, seed, seeds)
    return guarded(found.run, found.analyses)


def _numbers(options: argparse.Namespace, job: int) -> Iterable[tuple[str, str]]:
    """Kinds and seeds in turn; each process has its own."""
    kinds = options.kinds.split(",")
    for number in itertools.islice(itertools.count(job), 0, options.inputs, max(options.jobs, 1)):
        for kind in kinds:
            yield kind, f"{options.seed}-{number}"


def _here(
    options: argparse.Namespace, seeds: Sequence[Seed], started: float
) -> Iterable[tuple[str, str, Outcome]]:
    for kind, seed in _numbers(options, 0):
        if time.monotonic() - started > options.seconds:
            return
        yield kind, seed, _outcome(kind, seed, seeds)


def _jobs(
    options: argparse.Namespace, seeds: Sequence[Seed], started: float
) -> Iterable[tuple[str, str, Outcome]]:
    """The same by processes of their own; one that ends or is stuck is a fault of its input."""
    left = [iter(_numbers(options, job)) for job in range(options.jobs)]
    workers = [_Job(each, seeds) for each in left]
    while workers and time.monotonic() - started < options.seconds:
        heard = multiprocessing.connection.wait([each.pipe for each in workers], timeout=1.0)
        for job in list(workers):
            try:
                if job.pipe in heard:
                    yield job.trying[0], job.trying[1], job.pipe.recv()
                elif time.monotonic() - job.since < STUCK_S:
                    continue
                else:
                    job.process.kill()
                    yield (
                        job.trying[0],
                        job.trying[1],
                        Outcome(STUCK_S, 0.0, "is stuck outside of Python"),
                    )
                    job.start()
            except EOFError:
                job.process.join()
                yield (
                    job.trying[0],
                    job.trying[1],
                    Outcome(0.0, 0.0, f"ends with {job.process.exitcode}"),
                )
                job.start()
            if not job.next():
                job.process.kill()
                workers.remove(job)
    for job in workers:
        job.process.kill()


class _Job:
    """One process and what it tries."""

    def __init__(self, numbers: Iterable[tuple[str, str]], seeds: Sequence[Seed]) -> None:
        self._numbers = iter(numbers)
        self._seeds = seeds
        self._done = 0
        self.trying: tuple[str, str] = ("", "")
        self.since = 0.0
        self.start()
        self.next()

    def start(self) -> None:
        """Start the process anew."""
        self.pipe, other = multiprocessing.Pipe()
        self.process = multiprocessing.Process(
            target=_serve, args=(other, self._seeds), daemon=True
        )
        self.process.start()
        other.close()

    def next(self) -> bool:
        """Give it the next input; whether there is one."""
        found = next(self._numbers, None)
        if found is None:
            return False
        self._done += 1
        self.trying, self.since = found, time.monotonic()
        self.pipe.send(found)
        return True


def _serve(pipe: Any, seeds: Sequence[Seed]) -> None:
    while True:
        kind, seed = pipe.recv()
        pipe.send(_outcome(kind, seed, seeds))


def _tell(kind: str, seed: str, outcome: Outcome, seeds: Sequence[Seed], keep: Path | None) -> None:
    print(f"! {kind}:{seed} {outcome.cpu_s:.1f} s: {outcome.fault}", flush=True)
    if keep is not None:
        keep.mkdir(parents=True, exist_ok=True)
        found = input_of(kind, seed, seeds)
        (keep / f"{kind}-{seed}-{found.name}").write_bytes(found.text)


def _summary(tallies: dict[str, Tally], took_s: float) -> int:
    for kind, tally in tallies.items():
        count = sum(number for _, number in tally.faults.values())
        print(
            f"{kind:10} {tally.inputs:8} inputs {tally.cpu_s:8.0f} s of processor time, "
            f"at most {tally.longest_s:.2f} s and {tally.most_mb:.0f} MB; "
            f"{count} faults of {len(tally.faults)} kinds"
        )
    total = sum(tally.inputs for tally in tallies.values())
    print(f"{total} inputs in {took_s / 3600:.2f} hours")
    return 1 if any(tally.faults for tally in tallies.values()) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
