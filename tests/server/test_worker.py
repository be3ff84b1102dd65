"""The worker's jobs, and finding kernels without parsing."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from roofline_lsp.api.report import FileReport, GpuUsed
from roofline_lsp.kernel.errors import RooflineError
from roofline_lsp.server.jobs import (
    Analyse,
    Analysed,
    Answer,
    CheckGpu,
    Failed,
    Job,
    Overlay,
    receive,
    send,
)
from roofline_lsp.server.worker import Reader, Worker, kernel_names
from roofline_lsp.settings import Settings


@pytest.mark.parametrize(
    ("source", "names"),
    [
        (b"__global__ void saxpy(int n)", ("saxpy",)),
        (b"template <int N>\n__global__\nvoid\nk\n(int n)", ("k",)),
        (b"__global__ void __launch_bounds__(256, 2) k(int n)", ("k",)),
        (b"__global__ __attribute__((unused)) static void k()", ("k",)),
        (b'extern "C" __global__ void a(); __global__ void b(int);', ("a", "b")),
        (b"__kernel void k(__global float *x)", ("k",)),
        (b"__global__ float table[4];", ()),
        (b"int __global__x(int);", ()),
        (b"", ()),
    ],
)
def test_kernel_names(source: bytes, names: tuple[str, ...]) -> None:
    assert kernel_names(source) == names


class Recorder:
    """An analyser that reads ``other.cuh`` beside each file and notes what it got."""

    def __init__(self, gpu: GpuUsed) -> None:
        self.used = gpu
        self.read_texts: list[bytes | None] = []
        self.error: Exception | None = None

    def analyse(self, text: bytes, path: Path, settings: Settings, reader: Reader) -> FileReport:
        if self.error is not None:
            raise self.error
        self.read_texts.append(reader(path.parent / "sub" / ".." / "other.cuh"))
        assert reader(path) == text
        return FileReport(path, ())

    def gpu(self, settings: Settings) -> GpuUsed:
        return self.used

    def read(self, path: Path) -> bytes | None:
        return path.read_bytes() if path.is_file() else None

    def linked(self, text: bytes, other: bytes) -> bool:
        return text != other


def analysed(answer: Answer | None) -> Analysed:
    assert answer is not None
    assert isinstance(answer.value, Analysed)
    return answer.value


def test_files_read_and_their_kernels_are_told(tmp_path: Path, gpu: GpuUsed) -> None:
    (tmp_path / "sub").mkdir()
    other = tmp_path / "other.cuh"
    other.write_bytes(b"__global__ void helper(int n) {}")
    worker = Worker(Recorder(gpu))
    path = tmp_path / "a.cu"
    found = analysed(worker.do(Analyse(1, path, b"text", Settings())))
    read = tmp_path / "sub" / ".." / "other.cuh"
    assert found.files_read == {read}
    assert found.kernels_elsewhere == {"helper": read}
    assert found.gpu == gpu
    # A file that cannot be of the same program is read but does not lend its kernels.
    found = analysed(worker.do(Analyse(2, path, other.read_bytes(), Settings())))
    assert found.files_read == {read}
    assert found.kernels_elsewhere == {}


def test_overlays_go_before_what_is_on_disk(tmp_path: Path, gpu: GpuUsed) -> None:
    (tmp_path / "sub").mkdir()
    other = tmp_path.resolve() / "other.cuh"
    other.write_bytes(b"on disk")
    recorder = Recorder(gpu)
    worker = Worker(recorder)
    job = Analyse(1, tmp_path / "a.cu", b"text", Settings())
    assert worker.do(Overlay(other, b"__global__ void unsaved() {}")) is None
    assert set(analysed(worker.do(job)).kernels_elsewhere) == {"unsaved"}
    worker.do(Overlay(other, None))
    assert analysed(worker.do(job)).kernels_elsewhere == {}
    assert recorder.read_texts == [b"__global__ void unsaved() {}", b"on disk"]


def test_a_file_that_is_not_open_is_read(tmp_path: Path, gpu: GpuUsed) -> None:
    path = tmp_path / "a.cu"
    path.write_bytes(b"text")
    worker = Worker(Recorder(gpu))
    assert analysed(worker.do(Analyse(1, path, None, Settings()))).report.path == path
    answer = worker.do(Analyse(2, tmp_path / "gone.cu", None, Settings()))
    expected = Failed(f"{tmp_path / 'gone.cu'}: cannot be read", expected=True)
    assert answer == Answer(2, expected)


def test_errors_become_answers(tmp_path: Path, gpu: GpuUsed) -> None:
    recorder = Recorder(gpu)
    worker = Worker(recorder)
    job = Analyse(7, tmp_path / "a.cu", b"", Settings())
    recorder.error = RooflineError("mend this")
    assert worker.do(job) == Answer(7, Failed("mend this", expected=True))
    recorder.error = RecursionError("too deep")
    assert worker.do(job) == Answer(7, Failed("RecursionError: too deep", expected=False))
    recorder.error = None
    assert worker.do(CheckGpu(8, Settings())) == Answer(8, gpu)


def test_values_go_through_a_pipe() -> None:
    pipe = io.BytesIO()
    jobs: list[Job] = [Overlay(Path("a"), b"x" * 100_000), CheckGpu(1, Settings(gpu="A100"))]
    for job in jobs:
        send(pipe, job)
    pipe.seek(0)
    assert [receive(pipe), receive(pipe), receive(pipe)] == [*jobs, None]


def test_a_pipe_that_ends_in_the_middle() -> None:
    pipe = io.BytesIO()
    send(pipe, Overlay(Path("a"), b"text"))
    for length in (3, 8, 20):
        assert receive(io.BytesIO(pipe.getvalue()[:length])) is None
