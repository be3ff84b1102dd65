"""Kernels that the server has already are not sent to it again."""

from __future__ import annotations

import pickle
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roofline_analysis.api import gpu_used
from roofline_analysis.api.entry import analyze
from roofline_analysis.report.report import FileReport, KernelReport
from roofline_core.settings import Settings
from roofline_lsp.server.worker.jobs import Analysed, Failed, JobOutcome
from roofline_lsp.server.worker.report_diff import Receiver, Sender

PATH = Path("/p/a.cu")
GPU = gpu_used(Settings())


@pytest.fixture(scope="module")
def kernels() -> tuple[KernelReport, ...]:
    text = "".join(f"__global__ void k{n}(int *p) {{ p[threadIdx.x] = {n}; }}\n" for n in range(6))
    return analyze(text.encode(), PATH, Settings(), reader=lambda _: None).kernels


def sent(answer: JobOutcome, sender: Sender, receiver: Receiver) -> tuple[JobOutcome, int]:
    """What arrives, and how many kernels went through the pipe."""
    short = sender.shortened(answer)
    body = pickle.loads(pickle.dumps(short))
    assert isinstance(short.value, Analysed)
    return receiver.restored(body), len(short.value.report.kernels)


def test_only_what_changed_is_sent(kernels: tuple[KernelReport, ...]) -> None:
    sender, receiver = Sender(), Receiver()
    first = JobOutcome(1, Analysed(FileReport(PATH, kernels), GPU))
    arrived, count = sent(first, sender, receiver)
    assert (arrived, count) == (first, 6)
    edited = (kernels[0], replace(kernels[1], body_hash="edited"), *kernels[2:])
    second = JobOutcome(2, Analysed(FileReport(PATH, edited), GPU))
    arrived, count = sent(second, sender, receiver)
    assert (arrived, count) == (second, 1)


def test_what_is_no_report_goes_as_it_is() -> None:
    answer = JobOutcome(1, Failed("no such GPU", expected=True))
    assert Sender().shortened(answer) is answer
    assert Receiver().restored(answer) is answer


@given(
    rounds=st.lists(
        st.tuples(st.sampled_from("ab"), st.permutations(range(6)), st.integers(0, 6)), max_size=8
    )
)
def test_any_order_of_reports_arrives(
    kernels: tuple[KernelReport, ...], rounds: list[tuple[str, list[int], int]]
) -> None:
    sender, receiver = Sender(), Receiver()
    for number, (name, order, count) in enumerate(rounds):
        path = Path(f"/p/{name}.cu")
        report = FileReport(path, tuple(kernels[place] for place in order[:count]))
        answer = JobOutcome(number, Analysed(report, GPU))
        assert sent(answer, sender, receiver)[0] == answer
