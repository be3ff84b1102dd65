"""Fuzzing that goes on where it was: which inputs were tried, and what all runs add up to."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from tests.robustness.records import Row, append, rows

from .guard import Outcome

MAKING_S: Final = 1e-4
EVERY_S: Final = 30.0
"""A run that is ended loses no more than it did in so many seconds."""


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

    @property
    def faulty(self) -> int:
        """How many inputs came to a fault."""
        return sum(number for _, number in self.faults.values())


@dataclass(slots=True)
class Plan:
    """Which input is next: each kind is given the same processor time, its seeds in order."""

    kinds: tuple[str, ...]
    word: str
    most: int
    """Inputs of each kind in this run."""
    tallies: dict[str, Tally]
    next_number: dict[str, int]
    """By kind: runs before this one tried the numbers below it."""
    begun: dict[str, int] = field(default_factory=dict)
    """Inputs of this run that were given out."""

    def __iter__(self) -> Iterator[tuple[str, str]]:
        return self

    def __next__(self) -> tuple[str, str]:
        """A kind and a seed."""
        left = [kind for kind in self.kinds if self.begun.get(kind, 0) < self.most]
        if not left:
            raise StopIteration
        kind = min(left, key=self._used_s)
        number = self.next_number.get(kind, 0)
        self.next_number[kind] = number + 1
        self.begun[kind] = self.begun.get(kind, 0) + 1
        return kind, f"{self.word}-{number}"

    def _used_s(self, kind: str) -> float:
        """With what making an input takes; one that has not come back counts as a millisecond."""
        tally = self.tallies[kind]
        under_way = self.begun.get(kind, 0) - tally.inputs
        return tally.cpu_s + tally.inputs * MAKING_S + under_way / 1e3


class RunRecord:
    """What a run writes of itself while it goes on."""

    def __init__(self, path: Path | None, plan: Plan, corpus: str) -> None:
        self._path = path
        self._plan = plan
        self._corpus = corpus
        self._since = self._last = time.monotonic()
        self._part = {kind: Tally() for kind in plan.kinds}

    def add(self, kind: str, seed: str, outcome: Outcome) -> None:
        """Count an input; write what came of the last seconds, now and then."""
        self._part[kind].add(seed, outcome)
        if time.monotonic() - self._last > EVERY_S:
            self.write()

    def write(self) -> None:
        """Write what was not written yet."""
        now = time.monotonic()
        if self._path is not None:
            used_s = sum(tally.cpu_s for tally in self._part.values()) or 1.0
            for kind, tally in self._part.items():
                if tally.inputs:
                    share = tally.cpu_s / used_s
                    append(self._path, self._row(kind, tally, (now - self._last) * share))
        self._last = now
        self._part = {kind: Tally() for kind in self._plan.kinds}

    def _row(self, kind: str, tally: Tally, wall_s: float) -> Row:
        return {
            "what": "fuzzing",
            "kind": kind,
            "seed": self._plan.word,
            "end": self._plan.next_number[kind],
            "corpus": self._corpus,
            "inputs": tally.inputs,
            "cpu_s": round(tally.cpu_s, 3),
            "wall_s": round(wall_s, 1),
            "longest_s": round(tally.longest_s, 3),
            "most_mb": round(tally.most_mb, 1),
            "faults": {sign: list(found) for sign, found in tally.faults.items()},
        }


def next_numbers(path: Path | None, word: str, corpus: str) -> dict[str, int]:
    """By kind, the first number of a seed that no run has tried with these real files."""
    found: dict[str, int] = {}
    for row in rows(path) if path is not None else ():
        if row.get("what") == "fuzzing" and (row["seed"], row["corpus"]) == (word, corpus):
            found[row["kind"]] = max(found.get(row["kind"], 0), row["end"])
    return found


@dataclass(slots=True)
class Total:
    """What all runs of one kind came to."""

    inputs: int = 0
    cpu_s: float = 0.0
    longest_s: float = 0.0
    most_mb: float = 0.0
    faulty: int = 0
    seeds: set[tuple[str, str]] = field(default_factory=set)
    versions: set[str] = field(default_factory=set)


def totals(path: Path) -> dict[str, Total]:
    """By kind, the sums over a record."""
    found: dict[str, Total] = {}
    for row in rows(path):
        if row.get("what") != "fuzzing":
            continue
        total = found.setdefault(row["kind"], Total())
        total.inputs += row["inputs"]
        total.cpu_s += row["cpu_s"]
        total.longest_s = max(total.longest_s, row["longest_s"])
        total.most_mb = max(total.most_mb, row["most_mb"])
        total.faulty += sum(count for _, count in row["faults"].values())
        total.seeds.add((row["seed"], row["corpus"]))
        total.versions.add(row["version"])
    return found


def table(found: dict[str, Total]) -> str:
    """The sums as a Markdown table."""
    lines = [
        "| kind | inputs | hours of processor time | longest | most memory | faults | seeds |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    for kind, total in sorted(found.items()):
        lines.append(
            f"| {kind} | {total.inputs:,} | {total.cpu_s / 3600:.2f} | {total.longest_s:.2f} s | "
            f"{total.most_mb:.0f} MB | {total.faulty} | {len(total.seeds)} |"
        )
    lines.append(
        f"| all | {sum(each.inputs for each in found.values()):,} | "
        f"{sum(each.cpu_s for each in found.values()) / 3600:.2f} | | | "
        f"{sum(each.faulty for each in found.values())} | |"
    )
    return "\n".join(lines)
