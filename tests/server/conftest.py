"""Sessions of a client with the server, and a kernel's report to render."""

from __future__ import annotations

import asyncio
import copy
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from lsprotocol import types
from pytest_lsp import ClientServerConfig, LanguageClient, client_capabilities

from roofline_analysis.report.report import (
    Evidence,
    GpuUsed,
    KernelReport,
    LaunchReport,
    LedgerLine,
    Limiter,
    Prediction,
    PredictionSource,
    Resource,
    TimeLimit,
    Verdict,
)
from roofline_core.program.precision import Precision
from roofline_core.program.units import Dialect, Span

HERE = Path(__file__).parent

PATIENCE_S = 180.0
"""How long a test waits for what must come: enough where ten programs share a processor."""

SERVERS = {
    "fake": [sys.executable, str(HERE / "fake_server.py")],
    "impatient": [sys.executable, str(HERE / "fake_server.py"), "4.0"],
    "command": [sys.executable, "-m", "roofline_lsp", "--stdio"],
    "real": [
        sys.executable,
        "-c",
        "from roofline_lsp.server.session.main import run_stdio; raise SystemExit(run_stdio())",
    ],
}


def text_of(found: types.Hover | None) -> str | None:
    """The text of a hover."""
    if found is None:
        return None
    assert isinstance(found.contents, types.MarkupContent)
    return found.contents.value


def capabilities(profile: str) -> types.ClientCapabilities:
    """What three kinds of clients can do."""
    if profile == "vscode":
        can = copy.deepcopy(client_capabilities("visual-studio-code"))
        assert can.general is not None
        assert can.text_document is not None
        assert can.workspace is not None
        can.general.position_encodings = [types.PositionEncodingKind.Utf16]
        can.text_document.diagnostic = types.DiagnosticClientCapabilities()
        can.workspace.inlay_hint = types.InlayHintWorkspaceClientCapabilities(True)
        can.workspace.diagnostics = types.DiagnosticWorkspaceClientCapabilities(True)
        return can
    if profile == "neovim":
        return copy.deepcopy(client_capabilities("neovim@v0.11"))
    can = copy.deepcopy(client_capabilities("emacs"))
    assert can.general is not None
    assert can.text_document is not None
    assert can.text_document.hover is not None
    can.general.position_encodings = [
        types.PositionEncodingKind.Utf32,
        types.PositionEncodingKind.Utf16,
    ]
    can.text_document.hover.content_format = [types.MarkupKind.PlainText]
    return can


class Session:
    """A client with its server and a folder."""

    def __init__(self, client: LanguageClient, folder: Path) -> None:
        self.client = client
        self.folder = folder
        self.refreshes = 0
        self.registrations: list[str] = []
        self.result: types.InitializeResult
        self._versions: dict[str, int] = {}

        @client.feature(types.WORKSPACE_CODE_LENS_REFRESH)  # type: ignore[untyped-decorator]
        def refresh(params: None) -> None:
            self.refreshes += 1

        @client.feature(types.CLIENT_REGISTER_CAPABILITY)  # type: ignore[untyped-decorator]
        def register(params: types.RegistrationParams) -> None:
            self.registrations += [entry.method for entry in params.registrations]

    def uri(self, name: str) -> str:
        return (self.folder / name).as_uri() if ":" not in name else name

    def open(self, name: str, text: str, language: str = "cuda-cpp") -> str:
        uri = self.uri(name)
        self._versions[uri] = 1
        self.client.text_document_did_open(
            types.DidOpenTextDocumentParams(types.TextDocumentItem(uri, language, 1, text))
        )
        return uri

    def change(self, uri: str, *changes: types.TextDocumentContentChangeEvent) -> None:
        self._versions[uri] += 1
        self.client.text_document_did_change(
            types.DidChangeTextDocumentParams(
                types.VersionedTextDocumentIdentifier(self._versions[uri], uri), changes
            )
        )

    def replace(self, uri: str, text: str) -> None:
        self.change(uri, types.TextDocumentContentChangeWholeDocument(text))

    def insert(self, uri: str, line: int, character: int, text: str) -> None:
        at = types.Position(line, character)
        self.change(uri, types.TextDocumentContentChangePartial(types.Range(at, at), text))

    def close(self, uri: str) -> None:
        self.client.text_document_did_close(
            types.DidCloseTextDocumentParams(types.TextDocumentIdentifier(uri))
        )

    async def quick_hover(self, uri: str, line: int, character: int) -> types.Hover | None:
        """What is shown at once, which may be a first look."""
        return await self.client.text_document_hover_async(
            types.HoverParams(types.TextDocumentIdentifier(uri), types.Position(line, character))
        )

    async def hover(self, uri: str, line: int, character: int) -> types.Hover | None:
        """What is shown, once it is more than a first look."""
        found = await self.quick_hover(uri, line, character)
        if (text_of(found) or "").startswith("A first look:"):
            await self.pulled(uri)
            found = await self.quick_hover(uri, line, character)
        return found

    async def hover_text(self, uri: str, line: int, character: int) -> str | None:
        return text_of(await self.hover(uri, line, character))

    async def lenses(self, uri: str) -> list[types.CodeLens]:
        found = await self.client.text_document_code_lens_async(
            types.CodeLensParams(types.TextDocumentIdentifier(uri))
        )
        return list(found or [])

    async def titles(self, uri: str) -> list[str]:
        return [lens.command.title for lens in await self.lenses(uri) if lens.command]

    async def pulled(self, uri: str) -> list[types.Diagnostic]:
        report = await self.client.text_document_diagnostic_async(
            types.DocumentDiagnosticParams(types.TextDocumentIdentifier(uri))
        )
        assert isinstance(report, types.RelatedFullDocumentDiagnosticReport)
        return list(report.items)

    async def until(self, condition: Callable[[], bool]) -> None:
        """Wait for something that the server brings about unasked."""
        async with asyncio.timeout(PATIENCE_S):
            while not condition():  # noqa: ASYNC110 - what is waited for gives no event
                await asyncio.sleep(0.01)

    async def until_answer(self, ask: Callable[[], Awaitable[Any]], wanted: Any) -> None:
        """Ask again until the answer is the wanted one."""
        async with asyncio.timeout(PATIENCE_S):
            while await ask() != wanted:  # noqa: ASYNC110
                await asyncio.sleep(0.05)


StartSession = Callable[..., Awaitable[Session]]


@pytest_asyncio.fixture
async def start_session(tmp_path: Path) -> AsyncIterator[StartSession]:
    """Starts sessions that are ended after the test unless it ended them."""
    sessions: list[Session] = []

    async def start(
        profile: str = "vscode",
        *,
        server: str = "fake",
        options: Any = None,
        configuration: dict[str, Any] | None = None,
    ) -> Session:
        client = await ClientServerConfig(SERVERS[server]).start()
        assert isinstance(client, LanguageClient)
        if configuration is not None:
            client.set_configuration({"roofline": configuration})
        session = Session(client, tmp_path)
        sessions.append(session)
        session.result = await client.initialize_session(
            types.InitializeParams(
                capabilities=capabilities(profile),
                root_uri=tmp_path.as_uri(),
                initialization_options=options,
            )
        )
        return session

    yield start
    for session in sessions:
        process = session.client._server
        if process is not None and process.returncode is None:
            try:
                await asyncio.wait_for(session.client.shutdown_session(), PATIENCE_S)
            except BaseException:
                process.kill()
                raise
        await session.client.stop()  # type: ignore[no-untyped-call]


@pytest.fixture(params=["vscode", "neovim", "emacs"])
def profile(request: pytest.FixtureRequest) -> str:
    """A kind of client."""
    return str(request.param)


RTX = GpuUsed(
    name="NVIDIA GeForce RTX 3080",
    clock="boost",
    clock_mhz=1710.0,
    peaks_gops={Precision.SP: 29768.0, Precision.DP: 465.0, Precision.INT: 14884.0},
    bandwidth_gbs=760.3,
    ridges={Precision.SP: 39.15, Precision.DP: 0.6118, Precision.INT: 19.58},
)
SOURCE = Path("/src/main.cu")
SAXPY = Prediction(
    verdict=Verdict.BANDWIDTH_BOUND,
    confidence=0.93,
    source=PredictionSource.STATIC,
    limiting=Limiter.BANDWIDTH,
    sp_flops=2e6,
    dp_flops=0.0,
    hp_flops=0.0,
    int_ops=8.001e6,
    tensor_flops=0.0,
    dram_read_bytes=8e6,
    dram_write_bytes=4e6,
    time_ns=18_240.0,
    precision_verdicts={Precision.SP: Verdict.BANDWIDTH_BOUND},
    time_limit=TimeLimit(Resource.DRAM, 17_540.0, 12e6, "bytes", 760.3e9),
    evidence=(
        Evidence(SOURCE, 5, "single-precision operations", 2e6),
        Evidence(SOURCE, 5, "DRAM bytes read of 'x'", 4e6),
        Evidence(Path("/src/util.cuh"), 7, "loop trips", None),
    ),
    ledger=(
        LedgerLine(SOURCE, 4, int_ops=4e6, executions=1_000_192),
        LedgerLine(
            SOURCE,
            5,
            sp_flops=2e6,
            int_ops=4.001e6,
            dram_read_bytes=8e6,
            dram_write_bytes=4e6,
            executions=1e6,
            notes=("branch: taken by 99.9% of threads",),
        ),
    ),
    regime="fully utilised",
    occupancy=1.0,
)


@pytest.fixture
def gpu() -> GpuUsed:
    """An RTX 3080."""
    return RTX


@pytest.fixture
def saxpy() -> KernelReport:
    """A kernel with one launch, bandwidth-bound, on lines 3 to 7."""
    launch = LaunchReport(SOURCE, 12, (3907, 1, 1), (256, 1, 1), 0, True, (), (), SAXPY)
    return KernelReport(
        name="saxpy(int, float, const float *, float *)",
        base_name="saxpy",
        qualified_name="saxpy",
        dialect=Dialect.CUDA,
        path=SOURCE,
        span=Span(3, 0, 7, 1),
        name_span=Span(3, 16, 3, 21),
        launches=(launch,),
        prediction=SAXPY,
    )
