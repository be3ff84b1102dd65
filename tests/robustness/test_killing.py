"""Processes on one cache and one store are killed at random, and nothing is lost by it."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from pathlib import Path

import pytest

from roofline_advisor.cache import ReplyCache
from roofline_profiling.measurement import Measurement
from roofline_profiling.records import Record
from roofline_profiling.store import append, load

from . import killing

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX signals and limits")


def record(name: str) -> Record:
    return Record(Measurement(name, gpu="X"), "X", None, None, "")


def test_nothing_is_lost_doubled_or_unreadable(tmp_path: Path) -> None:
    seed = f"{random.getrandbits(32):x}"
    found = killing.run(tmp_path, 8, seed)
    assert found.is_fine, f"--seed {seed}: {found}"
    assert found.acknowledged > 8


def test_what_is_missing_or_doubled_is_found(tmp_path: Path) -> None:
    """The check can fail."""
    store = tmp_path / ".roofline" / "measurements.jsonl"
    append(store, [record("a-1"), record("a-2"), record("a-2")])
    (tmp_path / "a.journal").write_text("store a-1\nstore a-3\ncache a-4\n")
    found = killing._found(tmp_path, 0)
    assert found.lost == ("store a-3", "cache a-4")
    assert found.doubled == ("a-2",)
    assert not found.is_fine


def test_a_full_disk_does_not_set_the_cache_aside(tmp_path: Path) -> None:
    """What is kept was paid for, and others use it."""
    cache = ReplyCache(killing._settings(tmp_path))
    cache.put("paid", {"x": 1})
    cache.close()
    size = json.dumps((tmp_path / "replies" / "cache.db").stat().st_size)
    code = (
        "import resource, signal, sys, pathlib\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        f"resource.setrlimit(resource.RLIMIT_FSIZE, ({size}, {size}))\n"
        "from tests.robustness.killing import _settings, ReplyCache\n"
        f"cache = ReplyCache(_settings(pathlib.Path({str(tmp_path)!r})), warn=print)\n"
        "for n in range(50): cache.put(f'k{n}', {'x': 'y' * 2000})\n"
    )
    root = Path(__file__).parents[2]
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True
    )
    assert "cannot be used: " in done.stdout
    assert not list(tmp_path.glob("*.damaged-*"))
    assert ReplyCache(killing._settings(tmp_path)).get("paid") == {"x": 1}


@pytest.mark.parametrize("size", [1, 20, 51])
def test_a_store_whose_first_line_was_cut_is_begun_anew(tmp_path: Path, size: int) -> None:
    store = tmp_path / "measurements.jsonl"
    append(store, [record("a")])
    store.write_bytes(store.read_bytes()[:size])
    assert load(store).records == ()
    append(store, [record("b")])
    assert [each.measurement.kernel for each in load(store).records] == ["b"]
    assert load(store).unreadable == 0
