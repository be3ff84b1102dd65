"""A file that takes long, or for ever, keeps no other one waiting."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from roofline_core.settings import Settings
from roofline_lsp.server.worker.jobs import (
    Analyse,
    Analysed,
    AskWhatIf,
    CheckGpu,
    Failed,
    WhatIfAnswer,
)
from roofline_lsp.server.worker.process import WorkerCrashError, WorkerProcess
from roofline_lsp.server.worker.spare import WorkerWithSpare

from .fake_server import COMMAND

KERNEL = b"__global__ void k(int n) {\n}\n"
SETTINGS = Settings(gpu="RTX 3080")


def job(text: bytes, name: str) -> Analyse:
    return Analyse(0, Path("/nowhere") / name, text, SETTINGS)


@pytest.fixture
async def worker() -> AsyncIterator[WorkerWithSpare]:
    made = WorkerWithSpare(COMMAND, longest_job_s=30.0)
    # Both processes are up from here on.
    first = await made.analyse(job(KERNEL, "first.cu"))
    assert isinstance(first, Analysed)
    await made._spare.gpu(CheckGpu(0, SETTINGS))
    yield made
    made.stop()


async def test_a_hung_file_delays_no_other(worker: WorkerWithSpare) -> None:
    loop = asyncio.get_running_loop()
    alone_s = []
    for number in range(5):
        started = loop.time()
        await worker.analyse(job(KERNEL, f"{number}.cu"))
        alone_s.append(loop.time() - started)
    hung = asyncio.ensure_future(worker.analyse(job(KERNEL + b"// HANG\n", "hung.cu")))
    await asyncio.sleep(0)
    beside_s = []
    for number in range(5):
        started = loop.time()
        found = await worker.analyse(job(KERNEL, f"{number}.cu"))
        beside_s.append(loop.time() - started)
        assert isinstance(found, Analysed)
        assert len(found.report.kernels) == 1
    assert min(beside_s) - min(alone_s) < 0.2
    assert not hung.done()
    hung.cancel()


async def test_questions_go_to_who_made_the_analysis(worker: WorkerWithSpare) -> None:
    hung = asyncio.ensure_future(worker.analyse(job(KERNEL + b"// HANG\n", "hung.cu")))
    await asyncio.sleep(0)
    found = await worker.analyse(job(KERNEL, "other.cu"))
    assert isinstance(found, Analysed)
    question = AskWhatIf(0, Path("/nowhere/other.cu"), found.report.kernels[0], None, ("A",))
    async with asyncio.timeout(20):
        assert isinstance(await worker.what_if(question), WhatIfAnswer)
        await worker.analyse(replace(job(KERNEL, "hung.cu"), aside=True))
        assert worker._on_spare == {question.path}, "nobody asks about that one"
        await worker.gpu(CheckGpu(0, SETTINGS))
    hung.cancel()


async def test_edits_go_to_who_read_the_file(worker: WorkerWithSpare) -> None:
    """It knows the text before; the other would have to read the whole file."""
    hung = asyncio.ensure_future(worker.analyse(job(KERNEL + b"// HANG\n", "hung.cu")))
    await asyncio.sleep(0)
    await worker.analyse(job(KERNEL, "other.cu"))
    hung.cancel()
    assert worker._process is not None
    worker._lost(worker._process, "was ended by the test")
    assert worker.idle
    asked: list[str] = []
    spare_analyse = worker._spare.analyse

    async def noted(job: Analyse) -> Analysed | Failed:
        asked.append(job.path.name)
        return await spare_analyse(job)

    worker._spare.analyse = noted  # type: ignore[method-assign]
    for name in ("other.cu", "third.cu", "other.cu"):
        assert isinstance(await worker.analyse(job(KERNEL + b"\n", name)), Analysed)
    assert asked == ["other.cu", "other.cu"]
    worker._spare._unanswered.add(-1)  # as if it were at something long
    assert isinstance(await worker.analyse(job(KERNEL, "other.cu")), Analysed)
    assert asked == ["other.cu", "other.cu"]
    assert worker._on_spare == set(), "it is the first process's file from then on"


async def test_a_lost_process_has_read_nothing(worker: WorkerWithSpare) -> None:
    hung = asyncio.ensure_future(worker.analyse(job(KERNEL + b"// HANG\n", "hung.cu")))
    await asyncio.sleep(0)
    await worker.analyse(job(KERNEL, "other.cu"))
    assert worker._on_spare == {Path("/nowhere/other.cu")}
    assert worker._spare._process is not None
    worker._spare._lost(worker._spare._process, "was ended by the test")
    assert worker._on_spare == set()
    hung.cancel()


async def test_texts_are_known_to_both(worker: WorkerWithSpare, tmp_path: Path) -> None:
    header = tmp_path / "h.cuh"
    including = b'#include "h.cuh"\n' + KERNEL
    worker.overlay(header, b"__global__ void inside(int n) {\n}\n")
    hung = asyncio.ensure_future(worker.analyse(job(KERNEL + b"// HANG\n", "hung.cu")))
    await asyncio.sleep(0)
    found = await worker.analyse(Analyse(0, tmp_path / "a.cu", including, SETTINGS))
    assert isinstance(found, Analysed)
    assert found.kernels_elsewhere == {"inside": header}
    hung.cancel()


async def test_two_hung_files_are_ended(worker: WorkerWithSpare) -> None:
    """What waits for both is answered as soon as one was ended."""
    worker._longest_job_s = worker._spare._longest_job_s = 2.0
    crashes: list[str] = []
    worker.on_crash = crashes.append
    hung = [
        asyncio.ensure_future(worker.analyse(job(KERNEL + b"// HANG\n", f"hung{n}.cu")))
        for n in range(2)
    ]
    await asyncio.sleep(0.5)
    found = await worker.analyse(job(KERNEL, "third.cu"))
    assert isinstance(found, Analysed)
    ended = await asyncio.gather(*hung, return_exceptions=True)
    assert [type(each) for each in ended] == [WorkerCrashError] * 2
    assert crashes == ["was ended: it took longer than 2 s"] * 2


async def test_a_file_that_gets_on_is_not_ended(worker: WorkerWithSpare, tmp_path: Path) -> None:
    """It says all the while that something is done; a hung one is ended after 3 s."""
    worker._longest_silence_s = worker._spare._longest_silence_s = 3.0
    crashes: list[str] = []
    worker.on_crash = crashes.append
    loop = asyncio.get_running_loop()
    started = loop.time()
    ended = tmp_path / "ended"
    text = KERNEL + f"// STEADY until {ended}\n".encode()
    steady = asyncio.ensure_future(worker.analyse(job(text, "steady.cu")))
    await asyncio.sleep(0.5)
    hung = asyncio.ensure_future(worker.analyse(job(KERNEL + b"// HANG\n", "hung.cu")))
    with pytest.raises(WorkerCrashError, match="did not get on for 3 s"):
        await hung
    assert loop.time() - started > 3.0
    assert not steady.done()
    ended.touch()
    assert isinstance(await steady, Analysed)
    assert crashes == ["was ended: it did not get on for 3 s"]


async def test_a_file_that_gets_on_is_ended_at_last(worker: WorkerWithSpare) -> None:
    worker._longest_job_s = 3.0
    with pytest.raises(WorkerCrashError, match="took longer than 3 s"):
        await worker.analyse(job(KERNEL + b"// STEADY\n", "steady.cu"))


async def test_what_waits_for_a_long_job_has_its_own_time(worker: WorkerWithSpare) -> None:
    """Jobs of one process: the second begins when the first is answered."""
    worker._longest_job_s = 9.0
    first, second = (
        asyncio.ensure_future(
            WorkerProcess.analyse(worker, job(KERNEL + b"// STEADY\n", f"{name}.cu"))
        )
        for name in "ab"
    )
    assert all(isinstance(each, Analysed) for each in await asyncio.gather(first, second))


async def test_a_file_that_holds_the_interpreter_is_ended(worker: WorkerWithSpare) -> None:
    """Not even the thread that tells of progress runs; another file is answered meanwhile."""
    worker._longest_silence_s = 2.0
    hung = asyncio.ensure_future(worker.analyse(job(KERNEL + b"// SPIN\n", "hung.cu")))
    await asyncio.sleep(0)
    assert isinstance(await worker.analyse(job(KERNEL, "other.cu")), Analysed)
    assert not hung.done()
    with pytest.raises(WorkerCrashError, match="did not get on for 2 s"):
        await hung


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs a limit of address space")
async def test_a_file_that_needs_too_much_memory_ends_nothing(worker: WorkerWithSpare) -> None:
    before = worker._process
    found = await worker.analyse(job(KERNEL + b"// MEMORY\n", "large.cu"))
    assert found == Failed("it needs more than 4 GB of memory", expected=True)
    assert isinstance(await worker.analyse(job(KERNEL, "small.cu")), Analysed)
    assert worker._process is before is not None
