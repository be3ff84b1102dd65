"""Tries random inputs in this process or in several, and keeps those that come to a fault.

    python -m tests.robustness.fuzzing [--kinds mutations,host] [--seconds 60] [--jobs 2]

An input is faulty if anything is raised, if a report holds an internal error or cannot be written,
if an edited document is not as a fresh one, if a request has no answer, or if it takes more than
5 s of processor time or 500 MB. ``--again KIND:SEED`` tries one input again. Each kind is given
the same processor time. ``--record FILE`` adds a line to a file now and then; a run with the same
seed goes on where that file's runs ended, and ``--totals`` prints what they add up to. The exit
status is 1 if there are faults.
"""

from __future__ import annotations

import argparse
import logging
import multiprocessing
import multiprocessing.connection
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from .corpus import Seed, corpus
from .guard import Outcome, guarded
from .kinds import KINDS, input_of
from .record import Plan, RunRecord, Tally, next_numbers, table, totals

STUCK_S: Final = 300.0
"""So long without an outcome a process is ended: it is held up where no signal reaches it."""


def _options(words: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.robustness.fuzzing")
    parser.add_argument("--kinds", default=",".join(KINDS), help="which, separated by commas")
    parser.add_argument("--seconds", type=float, default=60.0, help="in all")
    parser.add_argument("--inputs", type=int, default=1_000_000, help="at most, of each kind")
    parser.add_argument("--jobs", type=int, default=1, help="processes; 0 for this one")
    parser.add_argument("--seed", default="1", help="any word; another gives other inputs")
    parser.add_argument("--corpus", type=Path, action="append", default=[], help="a folder")
    parser.add_argument("--keep", type=Path, help="the folder for faulty inputs")
    parser.add_argument("--record", type=Path, help="a file to add to, and to go on from")
    parser.add_argument("--totals", action="store_true", help="print what --record holds")
    parser.add_argument("--again", help="KIND:SEED as it was printed")
    return parser.parse_args(words)


def main(words: Sequence[str]) -> int:
    """Fuzz as the options say."""
    options = _options(words)
    logging.disable(logging.CRITICAL)
    if options.totals:
        print(table(totals(options.record)))
        return 0
    seeds = corpus(options.corpus)
    if options.again:
        kind, _, seed = options.again.partition(":")
        outcome = _outcome(kind, seed, seeds)
        print(outcome)
        return 1 if outcome.fault else 0
    kinds = tuple(options.kinds.split(","))
    tallies = {kind: Tally() for kind in kinds}
    real = " ".join(map(str, options.corpus))
    begun = next_numbers(options.record, options.seed, real)
    plan = Plan(kinds, options.seed, options.inputs, tallies, begun)
    record = RunRecord(options.record, plan, real)
    started = time.monotonic()
    rounds = _here(plan, options, seeds) if options.jobs == 0 else _jobs(plan, options, seeds)
    for kind, seed, outcome in rounds:
        record.add(kind, seed, outcome)
        if tallies[kind].add(seed, outcome):
            _tell(kind, seed, outcome, seeds, options.keep)
    record.write()
    return _summary(tallies, time.monotonic() - started)


def _outcome(kind: str, seed: str, seeds: Sequence[Seed]) -> Outcome:
    found = input_of(kind, seed, seeds)
    return guarded(found.run, found.analyses, light=found.light)


def _here(
    plan: Plan, options: argparse.Namespace, seeds: Sequence[Seed]
) -> Iterable[tuple[str, str, Outcome]]:
    started = time.monotonic()
    for kind, seed in plan:
        if time.monotonic() - started > options.seconds:
            return
        yield kind, seed, _outcome(kind, seed, seeds)


def _jobs(
    plan: Plan, options: argparse.Namespace, seeds: Sequence[Seed]
) -> Iterable[tuple[str, str, Outcome]]:
    """The same by processes of their own; one that ends or is stuck is a fault of its input."""
    started = time.monotonic()
    workers = [_Job(plan, seeds) for _ in range(options.jobs)]
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

    def __init__(self, numbers: Iterator[tuple[str, str]], seeds: Sequence[Seed]) -> None:
        self._numbers = numbers
        self._seeds = seeds
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
        print(
            f"{kind:10} {tally.inputs:8} inputs {tally.cpu_s:8.0f} s of processor time, "
            f"at most {tally.longest_s:.2f} s and {tally.most_mb:.0f} MB; "
            f"{tally.faulty} faults of {len(tally.faults)} kinds"
        )
    total = sum(tally.inputs for tally in tallies.values())
    print(f"{total} inputs in {took_s / 3600:.2f} hours")
    return 1 if any(tally.faults for tally in tallies.values()) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
