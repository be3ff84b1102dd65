"""Plays sessions of random edits with a real server, each beside one that starts anew.

    python -m tests.robustness.sessions [--sessions 40] [--edits 500] [--corpus FOLDER]

A session opens some files of a program, edits them at random (letters, pastes, moved functions,
broken code, characters outside of the basic plane, all ends of lines, undo and redo), asks and
cancels meanwhile, saves, closes and opens again. After each burst the server must have the text
that the client has, have answered every request, and say of each document what a server says
that has just opened it. ``--minutes 10 --human --at-once 2`` plays as a person types, two sessions
at a time; ``--record FILE`` adds a line for each, and a run with the same seed goes on behind the
last of them; ``--totals`` prints what they add up to. Exit status 1 if it does not. What is said
while a text has syntax errors is counted by itself: of a broken function the others are kept as
they were, on purpose.
"""

from __future__ import annotations

import argparse
import math
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path

from tests.robustness.records import Row, append, rows

from .play import Length, Played, played
from .projects import EditedProject, projects


def _options(words: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.robustness.sessions")
    parser.add_argument("--sessions", type=int, default=40)
    parser.add_argument("--edits", type=int, default=500, help="of each session, at most")
    parser.add_argument("--minutes", type=float, default=math.inf, help="of each session, at most")
    parser.add_argument("--human", action="store_true", help="an edit each 0.5 to 2 s")
    parser.add_argument("--renewing", action="store_true", help="new workers at each rest")
    parser.add_argument("--at-once", type=int, default=1, help="sessions at a time")
    parser.add_argument("--record", type=Path, help="a file to add to, and to go on from")
    parser.add_argument("--totals", action="store_true", help="print what --record holds")
    parser.add_argument("--seconds", type=float, default=1e9, help="no session begins after these")
    parser.add_argument("--seed", default="1", help="any word; another gives other sessions")
    parser.add_argument("--corpus", type=Path, action="append", default=[], help="a folder")
    parser.add_argument("--keep", type=Path, help="the folder for texts that come to a fault")
    parser.add_argument("--again", type=int, help="one session by its number")
    return parser.parse_args(words)


def main(words: Sequence[str]) -> int:
    """Play the sessions and print a line for each."""
    options = _options(words)
    if options.totals:
        print(totals(options.record))
        return 0
    found = projects(options.corpus)
    first = next_session(options.record, options.seed)
    numbers = range(first, first + options.sessions)
    started = time.monotonic()

    def one(number: int) -> Played | None:
        if time.monotonic() - started > options.seconds:
            return None
        # Examples and other folders in turn.
        project = found[number * 7919 % len(found)]
        result = _play(f"{options.seed}-{number}", project, found, options)
        if options.record is not None:
            append(options.record, row_of(options.seed, number, result))
        return result

    with ThreadPoolExecutor(options.at_once) as pool:
        played_ones = pool.map(one, numbers if options.again is None else (options.again,))
        results = [each for each in played_ones if each is not None]
    return _summary(results, time.monotonic() - started)


def row_of(seed: str, number: int, result: Played) -> Row:
    """What is kept of a session."""
    kept = asdict(result)
    kept["differences"] = len(result.differences)
    kept["messages"] = len(result.messages)
    return {"what": "session", "seed": seed, "number": number, **kept}


def next_session(path: Path | None, seed: str) -> int:
    """The number of the first session of a seed that was not played."""
    found = rows(path) if path is not None else ()
    played_ones = (each for each in found if each.get("what") == "session")
    return 1 + max((each["number"] for each in played_ones if each["seed"] == seed), default=-1)


def totals(path: Path) -> str:
    """What the sessions of a record add up to."""
    found = [each for each in rows(path) if each.get("what") == "session"]
    names = ("edits", "requests", "cancelled", "unanswered", "compared", "differences")
    sums = {name: sum(each[name] for each in found) for name in (*names, "wrong_texts")}
    growth = [each["end_mb"] / each["warm_mb"] - 1 for each in found if each["warm_mb"]]
    hours = sum(each["took_s"] for each in found) / 3600
    return (
        f"{len(found)} sessions of {hours:.1f} hours in all, {sums['edits']} edits: "
        f"{sums['wrong_texts']} wrong texts, {sums['unanswered']} of {sums['requests']} requests "
        f"unanswered ({sums['cancelled']} cancelled), {sums['differences']} of {sums['compared']} "
        f"comparisons different; memory at most {max(growth, default=0.0):+.0%} from its level "
        f"after warm-up in {len(growth)} sessions"
    )


def _play(
    seed: str, project: EditedProject, found: Sequence[EditedProject], options: argparse.Namespace
) -> Played:
    others = [
        (each.folder / each.files[0]).read_bytes().decode("utf-8", "replace") for each in found[:20]
    ]
    started, told = time.monotonic(), 0
    result = Played(project.folder.name)
    with tempfile.TemporaryDirectory() as folder:
        length = Length(
            options.edits,
            options.minutes * 60,
            is_human=options.human,
            is_renewing=options.renewing,
        )
        for play in played(seed, project, others, Path(folder), length):
            result = play.result
            for difference in result.differences[told:]:
                print(f"! {seed} after {result.edits} edits: {difference}", flush=True)
                if options.keep is not None:
                    _keep(options.keep / f"{seed}-{result.edits}", play.state())
            told = len(result.differences)
    print(_line(seed, result, time.monotonic() - started), flush=True)
    return result


def _keep(folder: Path, texts: Iterator[tuple[str, str]]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in texts:
        (folder / name).write_bytes(text.encode())


def _line(seed: str, result: Played, took_s: float) -> str:
    mark = " " if result.is_fine else "!"
    return (
        f"{mark} {seed:8} {result.project[:24]:24} {result.edits:5} edits {took_s:5.0f} s "
        f"{result.requests:5} requests ({result.cancelled} cancelled, {result.unanswered} "
        f"unanswered) {result.compared:4} compared ({result.late} late, "
        f"{len(result.differences)} different, {result.while_broken} while broken, "
        f"{result.wrong_texts} wrong texts) "
        f"{result.warm_mb:.0f} -> {result.end_mb:.0f} MB, {result.renewals} renewals, "
        f"idle {result.idle_cpu_s:.2f} s, exit {result.exit_status}"
        + "".join(f"\n    said: {each[:300]}" for each in result.messages[:3])
    )


def _summary(results: Sequence[Played], took_s: float) -> int:
    print(
        f"{len(results)} sessions, {sum(each.edits for each in results)} edits in "
        f"{took_s / 60:.0f} minutes: {sum(each.wrong_texts for each in results)} wrong texts, "
        f"{sum(each.unanswered for each in results)} of "
        f"{sum(each.requests for each in results)} requests unanswered, "
        f"{sum(len(each.differences) for each in results)} of "
        f"{sum(each.compared for each in results)} comparisons different, and "
        f"{sum(each.while_broken for each in results)} while a text had syntax errors"
    )
    return 0 if all(each.is_fine for each in results) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
