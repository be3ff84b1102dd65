"""Workers that grew are followed by new ones, which say the same."""

from __future__ import annotations

import asyncio
import subprocess
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from pathlib import Path

import pytest

from roofline_core.settings import Settings
from roofline_lsp.server.worker.jobs import (
    Analyse,
    Analysed,
    AskExplanation,
    AskWhatIf,
    Explained,
    Failed,
    WhatIfAnswer,
)
from roofline_lsp.server.worker.renewal import MOST_ANALYSES, RenewedWorker
from roofline_lsp.server.worker.spare import WorkerWithSpare

from .fake_server import COMMAND

KERNEL = b"__global__ void k(int n) {\n}\n"
SETTINGS = Settings(gpu="RTX 3080")
EXAMPLE = Path(__file__).parents[2] / "examples" / "stencil2d.cu"


def job(text: bytes | None, path: Path | str) -> Analyse:
    return Analyse(0, Path("/nowhere") / path, text, SETTINGS)


class Renewing:
    """A worker that is renewed 0.1 s after it grew."""

    def __init__(self, folder: Path) -> None:
        command = (*COMMAND, str(folder))
        self._folder = folder
        self.takes(100)
        self.worker = RenewedWorker(lambda: WorkerWithSpare(command), pause_s=0.1)
        self.crashes: list[str] = []
        self.regrouped: list[frozenset[Path]] = []
        self.worker.on_crash = self.crashes.append
        self.worker.on_regrouped = self.regrouped.append

    def takes(self, resident_bytes: int) -> None:
        """From now on each process that comes to rest says so."""
        new = self._folder / "new"
        new.write_text(str(resident_bytes))
        new.replace(self._folder / "resident")

    async def analyse(self, text: bytes | None, path: Path | str = "k.cu") -> Analysed:
        found = await self.worker.analyse(job(text, path))
        assert isinstance(found, Analysed)
        return found

    async def grow(self) -> None:
        """Have both processes rest at 100 bytes, and the first one again at 131."""
        await self.analyse(KERNEL)
        await until(lambda: self.worker._level_bytes == 200)
        self.takes(131)
        await self.analyse(KERNEL)

    @property
    def processes(self) -> list[subprocess.Popen[bytes]]:
        pair = self.worker._worker
        return [each for each in (pair._process, pair._spare._process) if each is not None]


async def until(is_so: Callable[[], bool]) -> None:
    async with asyncio.timeout(60):
        while not is_so():  # noqa: ASYNC110 - it is of other processes
            await asyncio.sleep(0.01)


@pytest.fixture
async def renewing(tmp_path: Path) -> AsyncIterator[Renewing]:
    made = Renewing(tmp_path)
    yield made
    made.worker.stop()


async def test_new_ones_follow_those_that_grew(renewing: Renewing, tmp_path: Path) -> None:
    worker, header = renewing.worker, tmp_path / "h.cuh"
    including = b'#include "h.cuh"\n' + KERNEL
    worker.overlay(header, b"__global__ void inside(int n) {\n}\n")
    before = await renewing.analyse(including, tmp_path / "a.cu")
    await renewing.grow()
    old = renewing.processes
    assert len(old) == 2
    await until(lambda: worker.renewals == 1)
    await until(lambda: all(each.poll() is not None for each in old))
    question = AskWhatIf(0, tmp_path / "a.cu", before.report.kernels[0], None, ("A",))
    assert isinstance(await worker.what_if(question), WhatIfAnswer)
    after = await renewing.analyse(including, tmp_path / "a.cu")
    assert after.report == before.report
    assert after.kernels_elsewhere == {"inside": header}
    assert (renewing.crashes, renewing.regrouped) == ([], [])
    # What the new ones take is the level from then on.
    await until(lambda: worker._level_bytes == 262)
    assert worker.renewals == 1


async def test_those_that_did_not_grow_stay(renewing: Renewing) -> None:
    await renewing.analyse(KERNEL)
    await until(lambda: renewing.worker._level_bytes == 200)
    old = renewing.processes
    renewing.takes(129)
    await renewing.analyse(KERNEL)
    await until(lambda: renewing.worker._worker.resident_of_both_bytes == 229)
    assert renewing.worker._renewal is None
    assert renewing.processes == old


async def test_what_is_asked_meanwhile_is_answered_by_the_old(renewing: Renewing) -> None:
    worker = renewing.worker
    await renewing.analyse(KERNEL + b"// SLOW\n", "slow.cu")
    await renewing.grow()
    old = renewing.processes
    await until(lambda: worker._new is not None and bool(worker._new._unanswered))
    new = worker._new
    assert new is not None
    process = new._process
    assert process is not None
    renewing.takes(100)
    found = await renewing.analyse(KERNEL + b"int other;\n")
    assert len(found.report.kernels) == 1
    assert (worker.renewals, renewing.processes) == (0, old)
    await until(lambda: process.poll() is not None)
    assert worker._pause_s == 0.2, "the next attempt comes later"
    assert (renewing.crashes, worker._new) == ([], None)
    renewing.takes(131)
    await renewing.analyse(KERNEL)
    await until(lambda: worker.renewals == 1)
    assert worker._pause_s == 0.1


async def test_a_pause_that_is_too_short_starts_nothing(renewing: Renewing) -> None:
    worker = renewing.worker
    worker._pause_s = 60.0
    await renewing.grow()
    await until(lambda: worker._renewal is not None)
    renewing.takes(100)
    await renewing.analyse(KERNEL)
    assert (worker._renewal, worker._new, worker._pause_s) == (None, None, 60.0)


async def test_new_ones_that_do_not_start_are_done_without(
    renewing: Renewing, tmp_path: Path
) -> None:
    worker = renewing.worker
    await renewing.grow()
    old = renewing.processes
    (tmp_path / "refused").touch()
    await until(lambda: worker._level_bytes == 231)
    assert (worker.renewals, renewing.processes, renewing.crashes) == (0, old, [])
    assert (await renewing.analyse(KERNEL)).report.kernels


async def test_a_file_that_reads_otherwise_is_told(renewing: Renewing, tmp_path: Path) -> None:
    """It changed on disk, and nobody said so."""
    path = tmp_path / "k.cu"
    path.write_bytes(KERNEL)
    await renewing.analyse(None, path)
    await renewing.grow()
    path.write_bytes(KERNEL.replace(b"void k", b"void other"))
    await until(lambda: renewing.worker.renewals == 1)
    assert renewing.regrouped == [frozenset({path})]


async def test_the_last_analyses_are_made_again(renewing: Renewing) -> None:
    worker = renewing.worker
    for number in range(MOST_ANALYSES + 2):
        await renewing.analyse(KERNEL, f"{number}.cu")
    await renewing.analyse(KERNEL, "5.cu")
    await worker.analyse(replace(job(KERNEL, "aside.cu"), aside=True))
    assert isinstance(await worker.analyse(job(KERNEL + b"// BUG\n", "bug.cu")), Failed)
    # The newest eight were kept, of which the one with the fault is not analysed again.
    assert [path.name for path in worker._last] == [f"{n}.cu" for n in (3, 4, 6, 7, 8, 9, 5)]


async def test_an_analysis_that_nobody_waited_for_is_made_again(renewing: Renewing) -> None:
    await renewing.analyse(KERNEL)
    left = asyncio.ensure_future(renewing.analyse(KERNEL + b"// SLOW\n"))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    left.cancel()
    (last,) = renewing.worker._last.values()
    assert last[0].text == KERNEL + b"// SLOW\n"
    assert last[1] is None


async def test_all_processes_end(renewing: Renewing) -> None:
    worker = renewing.worker
    await renewing.analyse(KERNEL + b"// SLOW\n", "slow.cu")
    await renewing.grow()
    await until(lambda: worker._new is not None and bool(worker._new._unanswered))
    new = worker._new
    assert new is not None
    processes = [*renewing.processes, new._process]
    worker.stop()
    assert all(each is not None and each.poll() is not None for each in processes)


async def test_real_workers_say_the_same() -> None:
    """Whatever they took: of an analysis, of what is asked about it, and of the next edit."""
    worker = RenewedWorker(grown=0.0, pause_s=0.0)
    text = EXAMPLE.read_bytes()
    settings = Settings()

    async def said(text: bytes) -> list[object]:
        found = await worker.analyse(Analyse(0, EXAMPLE, text, settings))
        assert isinstance(found, Analysed)
        answers: list[object] = [found.report, found.gpu, found.kernels_elsewhere]
        for kernel in found.report.kernels:
            answers += await about(kernel)
        return answers

    async def about(kernel: object) -> list[object]:
        one = await worker.explain(AskExplanation(0, EXAMPLE, kernel, None))  # type: ignore[arg-type]
        other = await worker.what_if(AskWhatIf(0, EXAMPLE, kernel, 0, ("V100",)))  # type: ignore[arg-type]
        assert isinstance(one, Explained)
        assert one.explanation is not None
        assert isinstance(other, WhatIfAnswer)
        assert other.what_if is not None
        return [one, other]

    try:
        edited = text.replace(b"out[i] = ", b"out[i] = in[i / 2] * ", 1)
        first, other = await said(text), await said(edited)
        last = await said(text)
        assert first == last != other
        await until(lambda: worker._level_bytes is not None)
        assert await said(text) == first
        await until(lambda: worker.renewals == 1)
        report = first[0]
        for kernel in report.kernels:  # type: ignore[attr-defined]
            found = await about(kernel)
            assert all(each in first for each in found), "the new ones know the analysis"
        assert await said(edited) == other
        assert await said(text) == first
    finally:
        worker.stop()


async def test_texts_that_files_have_not_any_more_are_not_analysed_again(
    renewing: Renewing, tmp_path: Path
) -> None:
    """That of a document which was closed unsaved would be taken for the file's."""
    worker = renewing.worker
    names = ("closed.cu", "edited.cu", "same.cu", "on_disk.cu")
    for name in names:
        (tmp_path / name).write_bytes(KERNEL)
        await renewing.analyse(None if name == "on_disk.cu" else KERNEL, tmp_path / name)
    worker.overlay(tmp_path / "closed.cu", None)
    worker.overlay(tmp_path / "edited.cu", KERNEL + b"\n")
    worker.overlay(tmp_path / "same.cu", KERNEL)
    worker.overlay(tmp_path / "on_disk.cu", None)
    assert [path.name for path in worker._last] == ["same.cu", "on_disk.cu"]
