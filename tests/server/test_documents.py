"""When documents are analysed, and what requests see, with a worker that waits for the test.

Time is the tests' own: it passes only where nothing else is left to do.
"""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from lsprotocol.types import (
    Position,
    Range,
    TextDocumentContentChangePartial,
    TextDocumentContentChangeWholeDocument,
    TextDocumentItem,
)

from roofline_analysis.api.wishes import Wish
from roofline_analysis.report.report import FileReport, GpuUsed, KernelReport
from roofline_core.settings import Settings
from roofline_lsp.server.documents.document_view import Document, View
from roofline_lsp.server.documents.open_documents import Documents, Limits
from roofline_lsp.server.worker.jobs import Analyse, Analysed, EarlyKernel, Failed, LookAt
from roofline_lsp.server.worker.process import WorkerCrashError, WorkerProcess


def let_time_pass_when_idle(
    loop: asyncio.AbstractEventLoop, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Make ``loop`` skip each wait for its next timer, however slow the machine is."""
    now_s = loop.time()
    selector: selectors.BaseSelector = loop._selector  # type: ignore[attr-defined]
    select = selector.select

    def skip(timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        nonlocal now_s
        found = select(0 if timeout else timeout)
        if timeout and not found:
            now_s += timeout
        return found

    monkeypatch.setattr(loop, "time", lambda: now_s)
    monkeypatch.setattr(selector, "select", skip)


@dataclass
class Request:
    job: Analyse
    answer: asyncio.Future[Analysed | Failed] = field(
        default_factory=lambda: asyncio.get_running_loop().create_future()
    )

    @property
    def text(self) -> str:
        return (self.job.text or b"").decode()


class StubWorker(WorkerProcess):
    """Keeps requests until the test answers them."""

    def __init__(self, gpu: GpuUsed) -> None:
        super().__init__()
        self.used = gpu
        self.requests: list[Request] = []
        self.overlays: dict[str, bytes | None] = {}
        self.looks: list[LookAt] = []
        self.arrived = asyncio.Event()

    def overlay(self, path: Path, text: bytes | None) -> None:
        self.overlays[path.name] = text

    def look_at(self, look: LookAt) -> None:
        self.looks.append(look)

    async def analyse(self, job: Analyse) -> Analysed | Failed:
        request = Request(job)
        self.requests.append(request)
        self.arrived.set()
        return await request.answer

    async def next(self) -> Request:
        """The request that is waiting now, or the next one."""
        async with asyncio.timeout(60):
            while not self.requests:
                self.arrived.clear()
                await self.arrived.wait()
        return self.requests.pop(0)

    async def finish(
        self,
        *read: Path,
        elsewhere: dict[str, Path] | None = None,
        seconds: float = 0.0,
        findings: bool = True,
    ) -> str:
        """Answer a request and return its text; with ``findings`` even if none were asked for."""
        request = await self.next()
        looked = findings or request.job.findings
        report = FileReport(request.job.path, (), looked_for_findings=looked)
        request.answer.set_result(
            Analysed(report, self.used, frozenset(read), elsewhere or {}, seconds)
        )
        await asyncio.sleep(0)
        return request.text


class Setup:
    """Documents, their worker, and which became fresh."""

    def __init__(self, gpu: GpuUsed, folder: Path, set_aside_s: float = 3600.0) -> None:
        self.worker = StubWorker(gpu)
        self.fresh: list[str] = []
        self.folder = folder
        self.documents = Documents(
            self.worker,
            self.settings,
            on_analysed=lambda document: self.fresh.append(document.path.name),
            limits=Limits(
                dependents_pause_s=0.0,
                findings_pause_s=0.01,
                longest_text=1000,
                set_aside_s=set_aside_s,
            ),
        )

    async def settings(self, path: Path | None) -> Settings:
        return Settings()

    def uri(self, name: str) -> str:
        return (self.folder / name).as_uri()

    def open(self, name: str, text: str, language: str = "cuda-cpp") -> Document:
        self.documents.open(TextDocumentItem(self.uri(name), language, 1, text))
        found = self.documents.get(self.uri(name))
        assert found is not None
        return found

    def change(self, name: str, text: str) -> None:
        self.documents.change(self.uri(name), 2, [TextDocumentContentChangeWholeDocument(text)])

    def view(
        self, name: str, *, wait_s: float = 10.0, urgent: bool = False, complete: bool = False
    ) -> Awaitable[View | None]:
        return asyncio.ensure_future(
            self.documents.view(
                self.uri(name),
                wait_s=wait_s,
                stale_wait_s=wait_s,
                urgent=urgent,
                complete=complete,
            )
        )

    def look(
        self, document: Document, wish: Wish, *, wait_s: float = 10.0, patience_s: float = 0.0
    ) -> asyncio.Future[View | None]:
        return asyncio.ensure_future(
            self.documents.first_look(document, wish, wait_s=wait_s, patience_s=patience_s)
        )


@pytest.fixture(autouse=True)
async def _own_time(monkeypatch: pytest.MonkeyPatch) -> None:
    let_time_pass_when_idle(asyncio.get_running_loop(), monkeypatch)


@pytest.fixture
async def setup(gpu: GpuUsed, tmp_path: Path) -> Setup:
    return Setup(gpu, tmp_path)


async def settled() -> None:
    """Let everything run that can."""
    for _ in range(20):
        await asyncio.sleep(0)


async def idle(worker: StubWorker) -> bool:
    await settled()
    return not worker.requests


async def test_a_request_waits_for_the_analysis(setup: Setup) -> None:
    setup.open("a.cu", "one")
    view = setup.view("a.cu")
    await settled()
    assert await setup.worker.finish() == "one"
    found = await view
    assert found is not None
    assert found.fresh
    assert found.lines == ("one",)
    assert setup.fresh == ["a.cu"]
    assert await idle(setup.worker)


async def test_a_look_at_a_kernel_need_not_wait_for_its_file(
    setup: Setup, gpu: GpuUsed, saxpy: KernelReport
) -> None:
    document = setup.open("a.cu", "one\nother")
    wishes = [Wish(1, "one"), Wish(2)]
    looks = [setup.look(document, wish) for wish in wishes]
    await settled()
    path = setup.folder / "a.cu"
    assert setup.worker.looks == [LookAt(path, wish) for wish in wishes]
    setup.worker.on_early(EarlyKernel(setup.folder / "b.cu", wishes[0], saxpy, gpu))
    setup.worker.on_early(EarlyKernel(path, wishes[0], saxpy, gpu))
    await settled()
    assert [look.done() for look in looks] == [True, False]
    found = await looks[0]
    assert found is not None
    assert (found.report.kernels, found.complete, found.is_first_look) == ((saxpy,), False, True)
    assert found.analysis.lines == ("one", "other")
    assert document.analysis is None, "lenses wait for all kernels"
    await setup.worker.finish()
    assert await looks[1] is None, "the whole file is known"
    assert await setup.look(document, wishes[1]) is None
    assert document.looks == []
    setup.worker.on_early(EarlyKernel(path, wishes[0], saxpy, gpu))  # too late for anybody


async def test_a_look_at_a_kernel_ends_with_its_time_or_its_document(setup: Setup) -> None:
    document = setup.open("a.cu", "one")
    assert await setup.look(document, Wish(1), wait_s=1.0) is None
    look = setup.look(document, Wish(1))
    await settled()
    setup.documents.close(document.uri)
    assert await look is None


async def test_a_whole_analysis_that_ends_at_once_is_better_than_a_look(
    setup: Setup, gpu: GpuUsed, saxpy: KernelReport
) -> None:
    document = setup.open("a.cu", "one")
    wish = Wish(1)
    looks = [setup.look(document, wish, patience_s=patience_s) for patience_s in (0.0, 5.0)]
    await settled()
    setup.worker.on_early(EarlyKernel(setup.folder / "a.cu", wish, saxpy, gpu))
    await settled()
    assert [look.done() for look in looks] == [True, False]
    await setup.worker.finish()
    assert [await look is None for look in looks] == [False, True]


async def test_of_many_changes_the_last_is_analysed(setup: Setup) -> None:
    setup.open("a.cu", "0")
    await settled()
    for number in range(1, 30):
        setup.change("a.cu", str(number))
    assert await setup.worker.finish() == "0"
    assert setup.fresh == []
    assert await setup.worker.finish() == "29"
    await settled()
    assert setup.fresh == ["a.cu"]
    assert await idle(setup.worker)


async def test_after_a_long_analysis_a_change_waits_for_a_pause(setup: Setup) -> None:
    document = setup.open("a.cu", "0")
    await setup.worker.finish(seconds=3600.0)
    setup.change("a.cu", "1")
    assert await idle(setup.worker)
    assert document.timer is not None
    setup.view("a.cu", urgent=True)
    assert await setup.worker.finish() == "1"
    setup.change("a.cu", "2")
    assert await setup.worker.finish() == "2"


def waits(document: Document) -> bool:
    """Whether a change waits for a pause."""
    return document.timer is not None


async def test_the_first_change_after_a_first_analysis_is_tried_at_once(setup: Setup) -> None:
    """Most are read in a fraction of it; where one was not, the next waits for a pause."""
    document = setup.open("a.cu", "0")
    await setup.worker.finish(seconds=1.0)
    setup.change("a.cu", "1")
    assert not waits(document)
    assert await setup.worker.finish(seconds=0.9, findings=False) == "1"
    await setup.worker.finish(seconds=2.0)
    setup.change("a.cu", "2")
    assert waits(document)
    setup.view("a.cu", urgent=True)
    assert await setup.worker.finish(seconds=0.03, findings=False) == "2"
    await setup.worker.finish(seconds=2.0)
    setup.change("a.cu", "3")
    assert not waits(document), "a look for findings is no edit"


async def test_typing_does_not_put_off_the_analysis_for_ever(setup: Setup) -> None:
    setup.open("a.cu", "0")
    await setup.worker.finish(seconds=3600.0)
    async with asyncio.timeout(60):
        number = 0
        while not setup.worker.requests:
            number += 1
            setup.change("a.cu", str(number))
            await asyncio.sleep(0.02)
    assert setup.worker.requests[0].text != "0"


async def test_findings_follow_when_typing_pauses(setup: Setup) -> None:
    document = setup.open("a.cu", "0")
    first = await setup.worker.next()
    assert first.job.findings, "there is nothing to show before"
    first.answer.set_result(Analysed(FileReport(first.job.path, ()), setup.worker.used))
    await settled()
    setup.change("a.cu", "1")
    quick, patient = setup.view("a.cu"), setup.view("a.cu", complete=True)
    await settled()
    assert not setup.worker.requests[0].job.findings
    assert await setup.worker.finish(findings=False) == "1"
    found = await quick
    assert found is not None
    assert (found.fresh, found.complete) == (True, False)
    assert setup.fresh == ["a.cu", "a.cu"]
    assert await idle(setup.worker), "typing may go on"
    assert not document.complete

    request = await setup.worker.next()
    assert (request.text, request.job.findings) == ("1", True)
    request.answer.set_result(Analysed(FileReport(request.job.path, ()), setup.worker.used))
    found = await patient
    assert found is not None
    assert found.complete
    assert setup.fresh == ["a.cu", "a.cu", "a.cu"]
    assert await idle(setup.worker)


async def test_a_key_goes_before_findings(setup: Setup) -> None:
    setup.open("a.cu", "0")
    await setup.worker.finish()
    for text in ("1", "2", "3"):
        setup.change("a.cu", text)
        request = await setup.worker.next()
        assert (request.text, request.job.findings) == (text, False)
        report = FileReport(request.job.path, (), looked_for_findings=False)
        request.answer.set_result(Analysed(report, setup.worker.used))
        await settled()
    request = await setup.worker.next()
    assert (request.text, request.job.findings) == ("3", True)


async def test_who_needs_findings_at_once_gets_them(setup: Setup) -> None:
    setup.documents._limits = Limits(findings_pause_s=3600.0)
    setup.open("a.cu", "0")
    await setup.worker.finish()
    setup.change("a.cu", "1")
    await setup.worker.finish(findings=False)
    await settled()
    view = setup.view("a.cu", urgent=True, complete=True)
    request = await setup.worker.next()
    assert request.job.findings
    request.answer.set_result(Analysed(FileReport(request.job.path, ()), setup.worker.used))
    found = await view
    assert found is not None
    assert found.complete


async def test_findings_that_cannot_be_had_are_not_asked_for_again(setup: Setup) -> None:
    document = setup.open("a.cu", "0")
    await setup.worker.finish()
    setup.change("a.cu", "1")
    await setup.worker.finish(findings=False)
    request = await setup.worker.next()
    request.answer.set_exception(WorkerCrashError("ended"))
    await settled()
    assert document.complete
    assert await idle(setup.worker)
    found = await setup.view("a.cu", complete=True)
    assert found is not None
    assert not found.complete, "those there are belong to no text"


async def test_a_late_request_is_answered_from_the_last_analysis(setup: Setup) -> None:
    setup.open("a.cu", "x\ny")
    await setup.worker.finish()
    setup.documents.change(
        setup.uri("a.cu"),
        2,
        [TextDocumentContentChangePartial(Range(Position(0, 0), Position(0, 0)), "new\n")],
    )
    found = await setup.view("a.cu", wait_s=0.01)
    assert found is not None
    assert not found.fresh
    assert found.analysis.lines == ("x", "y")
    assert found.lines == ("new", "x", "y")
    assert found.line_map.to_old(2) == 1


async def test_without_any_analysis_a_request_gets_nothing_in_time(setup: Setup) -> None:
    setup.open("a.cu", "x")
    assert await setup.view("a.cu", wait_s=0.01) is None
    assert await setup.view("other.cu", wait_s=0.01) is None


async def test_an_urgent_request_goes_first(setup: Setup) -> None:
    for name in ("a.cu", "b.cu", "c.cu"):
        setup.open(name, name)
    await settled()
    view = setup.view("c.cu", urgent=True)
    await settled()
    order = [await setup.worker.finish() for _ in range(3)]
    assert order == ["a.cu", "c.cu", "b.cu"]
    assert await view is not None


async def test_an_urgent_request_for_what_is_under_way_has_it_done_once(setup: Setup) -> None:
    document = setup.open("a.cu", "one")
    await settled()
    view = setup.view("a.cu", urgent=True)
    await settled()
    assert await setup.worker.finish() == "one"
    assert await view is not None
    assert await idle(setup.worker)
    assert document.complete
    setup.change("a.cu", "two")
    assert await setup.worker.finish() == "two"


async def test_a_changed_document_goes_before_those_that_rest_on_it(setup: Setup) -> None:
    header = setup.folder / "h.cuh"
    header.write_text("h")
    setup.open("a.cu", "a")
    setup.open("h.cuh", "h")
    for _ in range(2):
        await setup.worker.finish(header)
    setup.change("a.cu", "busy")
    await settled()
    setup.change("h.cuh", "edited")
    assert [await setup.worker.finish(header) for _ in range(3)] == ["busy", "edited", "busy"]


async def test_a_closed_document_is_forgotten(setup: Setup) -> None:
    setup.open("a.cu", "one")
    await settled()
    view = setup.view("a.cu")
    await settled()
    setup.documents.close(setup.uri("a.cu"))
    assert await view is None
    await setup.worker.finish()
    await settled()
    assert setup.fresh == []
    assert setup.documents.all() == ()


async def test_opening_again_replaces(setup: Setup) -> None:
    setup.open("a.cu", "one")
    setup.open("a.cu", "two")
    assert await setup.worker.finish() == "two"
    assert await idle(setup.worker)


async def test_plain_sources_wait_for_no_worker(setup: Setup) -> None:
    setup.open("a.cpp", "int main() {}", "cpp")
    setup.open("a.txt", "__global__", "plaintext")
    setup.open("long.cu", "x" * 1001)
    for name in ("a.cpp", "a.txt", "long.cu"):
        assert await setup.view(name) is None
    assert await idle(setup.worker)


async def test_documents_are_analysed_again_with_what_they_rest_on(setup: Setup) -> None:
    header = setup.folder / "h.cuh"
    header.write_text("on disk")
    setup.open("a.cu", "a")
    setup.open("b.cu", "b")
    assert await setup.worker.finish(header) == "a"
    assert await setup.worker.finish() == "b"

    setup.open("h.cuh", "on disk")
    assert await setup.worker.finish() == "on disk"
    assert await idle(setup.worker), "its text is what was read before"
    setup.change("h.cuh", "edited")
    texts = {await setup.worker.finish(header), await setup.worker.finish(header)}
    assert texts == {"edited", "a"}
    assert setup.worker.overlays["h.cuh"] == b"edited"

    setup.documents.close(setup.uri("h.cuh"))
    assert setup.worker.overlays == {"a.cu": b"a", "b.cu": b"b", "h.cuh": None}
    assert await setup.worker.finish(header) == "a"
    setup.documents.files_changed([setup.folder / "sub" / ".." / "h.cuh"])
    assert await setup.worker.finish() == "a"
    assert await idle(setup.worker)


async def test_new_settings_analyse_all(setup: Setup) -> None:
    setup.open("a.cu", "a")
    setup.open("b.cu", "b")
    await setup.worker.finish()
    await setup.worker.finish()
    setup.documents.refresh()
    assert {await setup.worker.finish(), await setup.worker.finish()} == {"a", "b"}


async def test_a_document_with_another_program_is_analysed_again(setup: Setup) -> None:
    setup.open("a.cu", "a")
    setup.open("b.cu", "b")
    await setup.worker.finish()
    await setup.worker.finish()
    setup.worker.on_regrouped(frozenset({setup.folder / "b.cu", setup.folder / "closed.cu"}))
    assert await setup.worker.finish() == "b"
    assert await idle(setup.worker)
    assert setup.fresh == ["a.cu", "b.cu", "b.cu"]


async def test_kernels_elsewhere(setup: Setup) -> None:
    other = setup.folder / "k.cuh"
    setup.open("a.cu", "a")
    await setup.worker.finish(other, elsewhere={"k": other})
    view = await setup.view("a.cu")
    assert view is not None

    def ask(name: str) -> Callable[[], Awaitable[object]]:
        return lambda: setup.documents.elsewhere(view, name, wait_s=10.0)

    assert await ask("unknown")() is None
    first = asyncio.ensure_future(ask("k")())
    request = await setup.worker.next()
    assert request.job.path == other
    assert request.job.text is None
    request.answer.set_result(Analysed(FileReport(other, ()), setup.worker.used))
    found = await first
    assert found is not None
    assert await ask("k")() is found, "it is not analysed twice"

    setup.change("a.cu", "changed")
    await setup.worker.finish(other, elsewhere={"k": other})
    again = asyncio.ensure_future(ask("k")())
    await setup.worker.finish()
    newer = await again
    assert newer is not None
    assert newer is not found, "its launches may have changed"

    document = setup.open("k.cuh", "k")
    both = [await setup.worker.finish(other, elsewhere={"k": other}) for _ in range(2)]
    assert sorted(both) == ["changed", "k"]
    await settled()
    assert document.analysis is not None
    assert await ask("k")() is document.analysis


async def test_of_many_closed_files_the_last_are_kept(
    setup: Setup, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("roofline_lsp.server.documents.analysis_queue._MOST_CLOSED", 2)

    async def ask(name: str) -> bool:
        """Whether a file's report took an analysis."""
        task = asyncio.ensure_future(setup.documents.report_of_file(setup.uri(name), wait_s=10.0))
        await settled()
        analysed = bool(setup.worker.requests)
        if analysed:
            await setup.worker.finish()
        assert await task is not None
        return analysed

    assert [await ask(name) for name in ("a.cu", "b.cu", "b.cu", "a.cu")] == [
        True,
        True,
        False,
        False,
    ]
    assert [await ask(name) for name in ("c.cu", "b.cu", "a.cu")] == [True, False, True]


async def test_a_file_that_changes_meanwhile(setup: Setup) -> None:
    """What was read of it may be outdated, also where no earlier analysis told that it is read."""
    header, other = setup.folder / "h.cuh", setup.folder / "other.cuh"
    setup.open("a.cu", "a")
    begun = await setup.worker.next()
    setup.open("h.cuh", "// unsaved")
    setup.worker.requests.append(begun)
    assert await setup.worker.finish(header) == "a"
    texts = [await setup.worker.finish(header), await setup.worker.finish()]
    assert sorted(texts) == ["// unsaved", "a"]
    assert await idle(setup.worker)
    assert setup.fresh.count("a.cu") == 1, "the first analysis was overtaken"

    setup.change("a.cu", "b")
    begun = await setup.worker.next()
    setup.documents.files_changed([other])
    setup.worker.requests.append(begun)
    assert await setup.worker.finish(header) == "b"
    assert await idle(setup.worker), "it does not read the file that changed"


async def test_a_crash_settles_the_text_that_caused_it(setup: Setup) -> None:
    setup.open("a.cu", "fine")
    await setup.worker.finish()
    setup.change("a.cu", "crashes")
    request = await setup.worker.next()
    request.answer.set_exception(WorkerCrashError("ended"))
    found = await setup.view("a.cu")
    assert found is not None
    assert found.analysis.lines == ("fine",)
    assert await idle(setup.worker)
    setup.change("a.cu", "fine again")
    assert await setup.worker.finish() == "fine again"


async def test_a_failed_analysis_is_no_end(setup: Setup) -> None:
    setup.open("a.cu", "x")
    request = await setup.worker.next()
    request.answer.set_result(Failed("no such GPU", expected=True))
    assert await setup.view("a.cu") is None
    setup.change("a.cu", "y")
    assert await setup.worker.finish() == "y"


async def test_stopping_releases_those_who_wait(setup: Setup) -> None:
    setup.open("a.cu", "x")
    view = setup.view("a.cu")
    await settled()
    setup.documents.stop()
    assert await view is None


async def test_a_long_analysis_is_set_aside(gpu: GpuUsed, tmp_path: Path) -> None:
    """Two are under way at most, and never two of one document."""
    setup = Setup(gpu, tmp_path, set_aside_s=0.01)
    setup.open("long.cu", "long __global__")
    held = await setup.worker.next()
    setup.open("other.cu", "other __global__")
    setup.change("long.cu", "longer __global__")
    other = await setup.worker.next()
    assert (held.text, other.text) == ("long __global__", "other __global__")
    setup.open("third.cu", "third __global__")
    await asyncio.sleep(0.05)
    assert await idle(setup.worker)
    setup.worker.requests.append(other)
    await setup.worker.finish()
    third = await setup.worker.next()
    assert third.text == "third __global__"
    setup.worker.requests.append(held)
    await setup.worker.finish()
    assert (await setup.worker.next()).text == "longer __global__"
    setup.documents.stop()


async def test_settings_that_change_during_an_analysis(setup: Setup) -> None:
    """What was made with the former ones is shown meanwhile; nothing is held against it."""
    document = setup.open("a.cu", "one")
    former = await setup.worker.next()
    setup.documents.refresh()
    setup.worker.requests.insert(0, former)
    await setup.worker.finish()
    assert document.analysis is not None
    assert (document.fresh, document.good, document.saved) == (False, None, None)
    assert await setup.worker.finish() == "one"
    await asyncio.sleep(0)
    assert document.fresh
    assert document.good is document.saved is document.analysis is not None


async def test_another_gpu_is_asked_about_aside(setup: Setup) -> None:
    setup.open("a.cu", "one")
    first = await setup.worker.next()
    asked = asyncio.ensure_future(setup.documents.judged_for(setup.uri("a.cu"), "H100"))
    second = await setup.worker.next()
    assert (first.job.aside, second.job.aside) == (False, True)
    assert second.job.settings.gpu == "H100"
    asked.cancel()
