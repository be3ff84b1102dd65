"""Plays sessions of random edits with a real server, each beside one that starts anew.

    python -m tests.robustness.sessions [--sessions 40] [--edits 500] [--corpus FOLDER]

A session opens some files of a program, edits them at random (letters, pastes, moved functions,
broken code, characters outside of the basic plane, all ends of lines, undo and redo), asks and
cancels meanwhile, saves, closes and opens again. After each burst the server must have the text
that the client has, have answered every request, and say of each document what a server says
that has just opened it. Exit status 1 if it does not. What is said while a text has syntax errors
is counted by itself: of a broken function the others are kept as they were, on purpose.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from .play import Played, played
from .projects import EditedProject, projects


def _options(words: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.robustness.sessions")
    parser.add_argument("--sessions", type=int, default=40)
    parser.add_argument("--edits", type=int, default=500, help="of each session")
    parser.add_argument("--seconds", type=float, default=1e9, help="no session begins after these")
    parser.add_argument("--seed", default="1", help="any word; another gives other sessions")
    parser.add_argument("--corpus", type=Path, action="append", default=[], help="a folder")
    parser.add_argument("--keep", type=Path, help="the folder for texts that come to a fault")
    parser.add_argument("--again", type=int, help="one session by its number")
    return parser.parse_args(words)


def main(words: Sequence[str]) -> int:
    """Play the sessions and print a line for each."""
    options = _options(words)
    found = projects(options.corpus)
    numbers = range(options.sessions) if options.again is None else (options.again,)
    started = time.monotonic()
    results = []
    for number in numbers:
        if time.monotonic() - started > options.seconds:
            break
        # Examples and other folders in turn.
        project = found[number * 7919 % len(found)]
        results.append(_play(f"{options.seed}-{number}", project, found, options))
    return _summary(results, time.monotonic() - started)


def _play(
    seed: str, project: EditedProject, found: Sequence[EditedProject], options: argparse.Namespace
) -> Played:
    others = [
        (each.folder / each.files[0]).read_bytes().decode("utf-8", "replace") for each in found[:20]
    ]
    started, told = time.monotonic(), 0
    result = Played(project.folder.name)
    with tempfile.TemporaryDirectory() as folder:
        for play in played(seed, project, others, Path(folder), options.edits):
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
        f"{result.warm_mb:.0f} -> {result.end_mb:.0f} MB, idle {result.idle_cpu_s:.2f} s, "
        f"exit {result.exit_status}"
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
