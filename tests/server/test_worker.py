"""The worker's jobs, and finding kernels without parsing."""

from __future__ import annotations

import io
import os
import queue
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from roofline_analysis.api.compare.records import VariantComparison
from roofline_analysis.api.explain.records import Explanation
from roofline_analysis.api.wishes import Wish, Wishes
from roofline_analysis.report.report import (
    ClassOn,
    FileReport,
    Finding,
    GpuUsed,
    KernelReport,
    WhatIf,
)
from roofline_core.program.errors import RooflineError
from roofline_core.settings import Settings
from roofline_lsp.server.worker import main as worker_main
from roofline_lsp.server.worker.analyser import Reader
from roofline_lsp.server.worker.jobs import (
    Analyse,
    Analysed,
    AskComparison,
    AskExplanation,
    AskWhatIf,
    Changed,
    CheckGpu,
    ComparisonAnswer,
    EarlyKernel,
    Explained,
    Failed,
    IndexProject,
    Job,
    JobOutcome,
    LookAt,
    Overlay,
    Regrouped,
    Rested,
    VariantWanted,
    WhatIfAnswer,
    receive,
    send,
)
from roofline_lsp.server.worker.main import Worker
from roofline_lsp.server.worker.memory import give_memory_back
from roofline_lsp.server.worker.waited_for import WaitedFor


class Recorder:
    """An analyser that reads ``other.cuh`` once, as one with a cache does."""

    def __init__(self, gpu: GpuUsed) -> None:
        self.used = gpu
        self.read_texts: list[bytes | None] = []
        self.error: Exception | None = None
        self.cached: set[Path] = set()
        self.told: list[tuple[Path, bytes | None]] = []
        self.opened: list[tuple[Path, bytes | None]] = []
        self.steps = 0
        self.moved: list[Path] = []
        self.explained: object = None
        self.wished: list[Wish] = []
        self.kernel: KernelReport | None = None

    def analyse(
        self,
        text: bytes,
        path: Path,
        settings: Settings,
        reader: Reader,
        *,
        findings: bool,
        aside: bool,
        wishes: Wishes | None,
    ) -> FileReport:
        if self.error is not None:
            raise self.error
        other = path.parent / "sub" / ".." / "other.cuh"
        if other not in self.cached:
            self.cached.add(other)
            self.read_texts.append(reader(other))
        assert reader(path) == text
        for wish in wishes.open() if wishes is not None else ():
            self.wished.append(wish)
            if wishes is not None and self.kernel is not None:
                wishes.grant(wish, self.kernel)
        return FileReport(path, ())

    def what_if(
        self, path: Path, kernel: KernelReport, launch: int | None, gpus: tuple[str, ...]
    ) -> WhatIf | None:
        if self.error is not None:
            raise self.error
        return WhatIf(tuple(ClassOn(name, name, None, 0.0) for name in gpus))

    def suggestions(self, path: Path, kernel: KernelReport) -> tuple[Finding, ...] | None:
        return None

    def explain(self, path: Path, kernel: KernelReport, launch: int | None) -> Explanation | None:
        if self.error is not None:
            raise self.error
        self.explained = (path, kernel.base_name, launch)
        return None

    def compare(
        self, variants: Sequence[VariantWanted], settings: Settings, reader: Reader
    ) -> VariantComparison:
        if self.error is not None:
            raise self.error
        self.read_texts.append(reader(variants[0].path))
        return VariantComparison(self.used, settings.args, (), (), ())

    def gpu(self, settings: Settings) -> GpuUsed:
        return self.used

    def read(self, path: Path) -> bytes | None:
        return path.read_bytes() if path.is_file() else None

    def overlaid(self, path: Path, text: bytes | None) -> None:
        self.opened.append((path, text))

    def changed(self, path: Path, text: bytes | None) -> None:
        self.cached.discard(path)
        self.told.append((path, text))

    def is_program(self, text: bytes) -> bool:
        return b"main" in text

    def index(self, folder: Path, exclude: tuple[str, ...]) -> None:
        self.steps = 3

    def step(self) -> bool:
        self.steps = max(self.steps - 1, 0)
        return self.steps == 0

    def forget(self) -> None:
        pass

    def regrouped(self) -> frozenset[Path]:
        return frozenset(self.moved)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "sub").mkdir()
    return tmp_path.resolve()


def analysed(answer: JobOutcome | None) -> Analysed:
    assert answer is not None
    assert isinstance(answer.value, Analysed)
    return answer.value


def job(folder: Path, text: bytes | None = b"text", name: str = "a.cu") -> Analyse:
    return Analyse(1, folder / name, text, Settings())


def test_files_read_and_their_kernels_are_told(folder: Path, gpu: GpuUsed) -> None:
    (folder / "other.cuh").write_bytes(b"__global__ void helper(int n) {}")
    worker = Worker(Recorder(gpu))
    read = folder / "sub" / ".." / "other.cuh"
    for name in ("a.cu", "a.cu", "b.cu"):
        # What an analysis finds in the analyser's cache counts like what it reads.
        found = analysed(worker.do(job(folder, name=name)))
        assert found.files_read == {read}
        assert found.kernels_elsewhere == {"helper": read}
        assert found.gpu == gpu


def test_two_programs_side_by_side_do_not_lend_kernels(folder: Path, gpu: GpuUsed) -> None:
    (folder / "other.cuh").write_bytes(b"__global__ void helper(int n) {} int main() {}")
    worker = Worker(Recorder(gpu))
    assert set(analysed(worker.do(job(folder))).kernels_elsewhere) == {"helper"}
    found = analysed(worker.do(job(folder, b"int main() {}")))
    assert len(found.files_read) == 1
    assert found.kernels_elsewhere == {}


def test_overlays_go_before_what_is_on_disk(folder: Path, gpu: GpuUsed) -> None:
    other = folder / "other.cuh"
    other.write_bytes(b"on disk")
    recorder = Recorder(gpu)
    worker = Worker(recorder)
    assert worker.do(Overlay(other, b"__global__ void unsaved() {}")) is None
    assert set(analysed(worker.do(job(folder))).kernels_elsewhere) == {"unsaved"}
    worker.do(Overlay(other, b"__global__ void edited() {}"))
    assert set(analysed(worker.do(job(folder))).kernels_elsewhere) == {"edited"}
    worker.do(Overlay(other, None))
    assert analysed(worker.do(job(folder))).kernels_elsewhere == {}
    assert recorder.read_texts[-1] == b"on disk"


def test_a_kernel_that_is_waited_for_is_told_before_its_file(
    folder: Path, gpu: GpuUsed, saxpy: KernelReport
) -> None:
    recorder, waited_for, told = Recorder(gpu), WaitedFor(), list[EarlyKernel]()
    recorder.kernel = saxpy
    worker = Worker(recorder, waited_for, told.append)
    mine, other = Wish(3, "saxpy"), Wish(7)
    waited_for.put(LookAt(folder / "a.cu", mine))
    waited_for.put(LookAt(folder / "other.cu", other))
    worker.do(job(folder))
    assert told == [EarlyKernel(folder / "a.cu", mine, saxpy, gpu)]
    worker.do(replace(job(folder, name="other.cu"), aside=True))
    assert len(told) == 1, "an analysis that nobody looks at tells nothing"
    worker.do(job(folder, name="other.cu"))
    assert recorder.wished == [mine, other], "a wish is kept until its file is analysed"


def test_the_project_is_looked_through_in_idle_time(folder: Path, gpu: GpuUsed) -> None:
    recorder = Recorder(gpu)
    recorder.moved = [folder / "a.cu"]
    worker = Worker(recorder)
    assert worker.do(IndexProject(folder, ())) is None
    said = []
    while worker.busy:
        said.append(worker.idle())
    assert said == [None, None, Regrouped(frozenset({folder / "a.cu"}))]
    assert worker.idle() is not None, "told again as long as the analyser says so"


def test_changes_on_disk_are_passed_on_but_for_open_files(folder: Path, gpu: GpuUsed) -> None:
    recorder = Recorder(gpu)
    worker = Worker(recorder)
    one, other = folder / "one.cu", folder / "other.cu"
    worker.do(Overlay(one, b"text"))
    worker.do(Changed((one, other)))
    assert recorder.opened == [(one, b"text")]
    assert recorder.told == [(other, None)]


def test_a_document_that_opens_and_closes_as_it_was_read_changes_nothing(
    folder: Path, gpu: GpuUsed
) -> None:
    other = folder / "other.cuh"
    other.write_bytes(b"on disk")
    recorder = Recorder(gpu)
    worker = Worker(recorder)
    worker.do(job(folder))
    read = folder / "sub" / ".." / "other.cuh"
    for text in (b"on disk", None, b"edited", b"edited", b"on disk", None):
        worker.do(Overlay(other, text))
        worker.do(job(folder))
    assert recorder.told == [(read, b"edited"), (read, b"on disk")]
    assert recorder.read_texts == [b"on disk", b"edited", b"on disk"]
    assert [text for _, text in recorder.opened] == [
        b"on disk", None, b"edited", b"edited", b"on disk", None
    ]  # fmt: skip


def test_a_document_that_closes_as_what_changed_on_disk_is_told(folder: Path, gpu: GpuUsed) -> None:
    other = folder / "other.cuh"
    other.write_bytes(b"on disk")
    recorder = Recorder(gpu)
    worker = Worker(recorder)
    worker.do(Overlay(other, b"on disk"))
    worker.do(job(folder))
    other.write_bytes(b"new")
    worker.do(job(folder))
    assert recorder.told == []
    worker.do(Overlay(other, None))
    worker.do(job(folder))
    read = folder / "sub" / ".." / "other.cuh"
    assert recorder.told == [(read, None)]
    assert recorder.read_texts == [b"on disk", b"new"]


def test_files_that_change_on_disk_are_read_again(folder: Path, gpu: GpuUsed) -> None:
    other = folder / "other.cuh"
    recorder = Recorder(gpu)
    worker = Worker(recorder)
    for content in (None, b"one", b"three", b"four", None):
        if content is not None:
            other.write_bytes(content)
            os.utime(other, ns=(len(recorder.read_texts), len(recorder.read_texts)))
        elif recorder.read_texts:
            other.unlink()
        for _ in range(2):
            worker.do(job(folder))
    assert recorder.read_texts == [None, b"one", b"three", b"four", None]


def test_a_file_that_is_not_open_is_read(folder: Path, gpu: GpuUsed) -> None:
    (folder / "a.cu").write_bytes(b"text")
    worker = Worker(Recorder(gpu))
    assert analysed(worker.do(job(folder, None))).report.path == folder / "a.cu"
    answer = worker.do(job(folder, None, "gone.cu"))
    expected = Failed(f"{folder / 'gone.cu'}: cannot be read", expected=True)
    assert answer == JobOutcome(1, expected)


def test_errors_become_answers(folder: Path, gpu: GpuUsed) -> None:
    recorder = Recorder(gpu)
    worker = Worker(recorder)
    recorder.error = RooflineError("mend this")
    assert worker.do(job(folder)) == JobOutcome(1, Failed("mend this", expected=True))
    recorder.error = RecursionError("too deep")
    answer = worker.do(job(folder))
    assert answer is not None
    assert isinstance(answer.value, Failed)
    assert not answer.value.expected
    assert answer.value.message.startswith("RecursionError: too deep (test_worker.py:")
    recorder.error = None
    assert worker.do(CheckGpu(8, Settings())) == JobOutcome(8, gpu)


def test_values_go_through_a_pipe() -> None:
    pipe = io.BytesIO()
    jobs: list[Job] = [Overlay(Path("a"), b"x" * 100_000), CheckGpu(1, Settings(gpu="A100"))]
    for value in jobs:
        send(pipe, value)
    pipe.seek(0)
    assert [receive(pipe), receive(pipe), receive(pipe)] == [*jobs, None]


def test_a_pipe_that_ends_in_the_middle() -> None:
    pipe = io.BytesIO()
    send(pipe, Overlay(Path("a"), b"text"))
    for length in (3, 8, 20):
        assert receive(io.BytesIO(pipe.getvalue()[:length])) is None


def test_other_gpus_are_asked_about_by_a_job(
    folder: Path, gpu: GpuUsed, saxpy: KernelReport
) -> None:
    recorder = Recorder(gpu)
    worker = Worker(recorder)
    ask = AskWhatIf(7, folder / "a.cu", saxpy, 0, ("A100", "H100"))
    answer = worker.do(ask)
    assert answer is not None
    assert answer.number == 7
    assert isinstance(answer.value, WhatIfAnswer)
    assert answer.value.what_if is not None
    assert [each.label for each in answer.value.what_if.classes] == ["A100", "H100"]
    recorder.error = RooflineError("no such GPU")
    failed = worker.do(ask)
    assert failed is not None
    assert failed.value == Failed("no such GPU", expected=True)


def test_a_comparison_is_asked_for_by_a_job(folder: Path, gpu: GpuUsed) -> None:
    recorder = Recorder(gpu)
    worker = Worker(recorder)
    (folder / "a.cu").write_text("int x;")
    wanted = VariantWanted("a", folder / "a.cu", None, 3)
    answer = worker.do(AskComparison(5, Settings(args=("7",)), (wanted, wanted)))
    assert answer is not None
    assert answer == JobOutcome(5, ComparisonAnswer(VariantComparison(gpu, ("7",), (), (), ())))
    assert recorder.read_texts == [b"int x;"]
    recorder.error = RooflineError("which kernel?")
    failed = worker.do(AskComparison(6, Settings(), (wanted, wanted)))
    assert failed is not None
    assert failed.value == Failed("which kernel?", expected=True)


def test_an_explanation_is_asked_for_by_a_job(
    folder: Path, gpu: GpuUsed, saxpy: KernelReport
) -> None:
    recorder = Recorder(gpu)
    worker = Worker(recorder)
    answer = worker.do(AskExplanation(8, folder / "a.cu", saxpy, 2))
    assert answer is not None
    assert (answer.number, answer.value) == (8, Explained(None))
    assert recorder.explained == (folder / "a.cu", "saxpy", 2)
    recorder.error = RooflineError("no such launch")
    failed = worker.do(AskExplanation(9, folder / "a.cu", saxpy, 3))
    assert failed is not None
    assert failed.value == Failed("no such launch", expected=True)


def test_memory_is_given_back_once_when_no_job_comes(monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[bool] = []
    waiting: queue.SimpleQueue[Job] = queue.SimpleQueue()
    job = Changed((Path("/nowhere/k.cu"),))

    def give() -> None:
        give_memory_back()
        given.append(True)
        waiting.put(job)

    monkeypatch.setattr(worker_main, "give_memory_back", give)
    monkeypatch.setattr(worker_main, "TIDY_AFTER_S", 0.01)
    stream = io.BytesIO()
    answers = worker_main.AnswerStream(stream)
    assert worker_main._next(waiting, answers) is job
    assert given == [True]
    said = stream.getvalue()
    rested = receive(io.BytesIO(said))
    assert isinstance(rested, Rested)
    if sys.platform == "linux":
        assert rested.resident_bytes is not None
        assert 10e6 < rested.resident_bytes < 10e9
    waiting.put(job)
    assert worker_main._next(waiting, answers) is job
    assert given == [True], "nothing is given back while there is a job"
    assert stream.getvalue() == said, "nor told"
