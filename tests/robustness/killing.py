"""Processes that share a cache of replies and a store of measurements are killed at random.

    python -m tests.robustness.killing [--kills 200] [--seed 1]

Six of them, as two servers and four batch runs would, put replies into one cache and append
measurements to one store as fast as they can, and note what was acknowledged. Each ends by SIGKILL
at a random time, or by itself; some may write no file larger than a random size (as on a full
disk), some have a clock that goes ahead or back by up to an hour, suddenly. At the end everything
acknowledged must be there once and readable, and nothing else. Exit status 1 if it is not.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from roofline_advisor.cache import ReplyCache
from roofline_core.settings import AdvisorSettings
from roofline_profiling.errors import StoreError
from roofline_profiling.measurement import Measurement
from roofline_profiling.records import Record, of_line
from roofline_profiling.store import append, load

AT_ONCE: Final = 6
SIZES_BYTES: Final = (None, None, 40_000, 200_000, 1_000_000)
"""The largest file that a process may write; None: as large as it likes."""
CLOCKS_S: Final = (0.0, 0.0, 3600.0, -3600.0)


@dataclass(frozen=True, slots=True)
class Found:
    """What was left after all were killed."""

    kills: int
    acknowledged: int
    lost: tuple[str, ...]
    doubled: tuple[str, ...]
    cut: int
    """Lines of the store that are no records: at most one for each that was killed."""
    set_aside: int
    """Caches that were taken for damaged."""
    faults: tuple[str, ...]

    @property
    def is_fine(self) -> bool:
        """Whether nothing is lost, doubled or unreadable."""
        wrong = (*self.lost, *self.doubled, *self.faults)
        return not wrong and self.cut <= self.kills and not self.set_aside


def _settings(folder: Path) -> AdvisorSettings:
    return AdvisorSettings(cache_dir=folder / "replies", cache_mb=500)


def _store(folder: Path) -> Path:
    return folder / ".roofline" / "measurements.jsonl"


def value_of(name: str) -> dict[str, object]:
    """The reply under a name: long enough that some lie in files of their own."""
    chance = random.Random(name)
    return {"name": name, "text": chance.randbytes(chance.choice((20, 2_000, 40_000))).hex()}


def work(folder: Path, word: str, size_bytes: int | None, clock_s: float) -> None:
    """Put and append until killed; each acknowledged name is a line of ``word``'s own journal."""
    chance = random.Random(word)
    if size_bytes is not None:
        import resource

        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size_bytes, size_bytes))
    clock = time.time
    steps = [0.0, clock_s]
    time.time = lambda: clock() + chance.choice(steps)
    cache = ReplyCache(_settings(folder), warn=lambda _: None)
    journal = os.open(folder / f"{word}.journal", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    for number in range(2_000):
        name = f"{word}-{number}"
        if chance.random() < 0.5:
            launch = Measurement(name, gpu="X", origin="o" * chance.choice((1, 300, 5_000)))
            try:
                append(_store(folder), [Record(launch, "X", None, None, "")])
            except StoreError:
                continue
            os.write(journal, f"store {name}\n".encode())
        else:
            cache.put(name, value_of(name))
            if cache.get(name) is not None:
                os.write(journal, f"cache {name}\n".encode())


def run(folder: Path, kills: int, seed: str) -> Found:
    """Start and kill, then look at what is there."""
    chance = random.Random(seed)
    running: dict[str, subprocess.Popen[bytes]] = {}
    killed = started = 0
    while killed < kills:
        while len(running) < AT_ONCE:
            started += 1
            word = f"{seed}-{started}"
            assert word not in running
            running[word] = _started(folder, word, chance)
        time.sleep(chance.uniform(0.0, 0.1))
        at_work = [word for word in running if _is_at_work(folder, word)]
        if not at_work and chance.random() < 0.95:
            continue
        victim = running.pop(chance.choice(at_work or list(running)))
        victim.kill()
        killed += victim.wait() == -signal.SIGKILL
    for each in running.values():
        each.kill()
        each.wait()
    return _found(folder, killed + len(running))


def _is_at_work(folder: Path, word: str) -> bool:
    """Whether a process has done something: at first it only starts."""
    try:
        return (folder / f"{word}.journal").stat().st_size > 0
    except OSError:
        return False


def _started(folder: Path, word: str, chance: random.Random) -> subprocess.Popen[bytes]:
    size, clock = chance.choice(SIZES_BYTES), chance.choice(CLOCKS_S)
    command = [sys.executable, "-m", "tests.robustness.killing", "--work", str(folder), word]
    return subprocess.Popen([*command, json.dumps(size), json.dumps(clock)])


def _found(folder: Path, kills: int) -> Found:
    acknowledged = [
        tuple(line.split(" ", 1))
        for path in sorted(folder.glob("*.journal"))
        for line in path.read_text().splitlines()
    ]
    faults, names, cut = [], Counter[str](), 0
    try:
        cut = load(_store(folder)).unreadable
        for line in _store(folder).read_text("utf-8", "replace").splitlines():
            record = of_line(line)
            if record is not None:
                names[record.measurement.kernel] += 1
    except StoreError as error:
        faults.append(str(error))
    warnings: list[str] = []
    cache = ReplyCache(_settings(folder), warn=warnings.append)
    lost = [
        f"{kind} {name}"
        for kind, name in acknowledged
        if (not names[name] if kind == "store" else cache.get(name) != value_of(name))
    ]
    info = cache.info()
    return Found(
        kills,
        len(acknowledged),
        tuple(lost),
        tuple(name for name, count in names.items() if count > 1),
        cut,
        len(info.set_aside),
        (*faults, *warnings),
    )


def main(words: Sequence[str]) -> int:
    """Kill as the options say."""
    if words[:1] == ["--work"]:
        work(Path(words[1]), words[2], json.loads(words[3]), json.loads(words[4]))
        return 0
    parser = argparse.ArgumentParser(prog="python -m tests.robustness.killing")
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", default="1")
    options = parser.parse_args(words)
    with tempfile.TemporaryDirectory() as folder:
        found = run(Path(folder), options.kills, options.seed)
    print(
        f"{found.kills} killed, {found.acknowledged} acknowledged: {len(found.lost)} lost, "
        f"{len(found.doubled)} doubled, {found.cut} cut, {found.set_aside} caches set aside"
    )
    for each in (*found.lost[:5], *found.doubled[:5], *found.faults):
        print(f"! {each}")
    return 0 if found.is_fine else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
