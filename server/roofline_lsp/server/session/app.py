"""The language server: capabilities, handlers, and what the client is told unasked."""

from __future__ import annotations

import asyncio
import logging
import os
import sys
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lsprotocol import types
from pygls.capabilities import get_capability
from pygls.lsp.server import LanguageServer
from pygls.protocol import default_converter

from roofline_core.settings import OWN_FILE, SHARED_FILE, Layer, Settings
from roofline_lsp.formats.json import Json
from roofline_lsp.formats.markdown import MarkupStyle
from roofline_lsp.server.advice.process import AdviceProcess
from roofline_lsp.server.advice.session import SessionAdvice
from roofline_lsp.server.documents.document_view import Document
from roofline_lsp.server.documents.open_documents import Documents
from roofline_lsp.server.documents.places import (
    BUILD_FILE_GLOBS,
    DATA_SUFFIXES,
    WATCHED_SUFFIXES,
    path_of,
)
from roofline_lsp.server.features.diagnostics import diagnostics
from roofline_lsp.server.features.kernel_files import FindFiles, kernel_files
from roofline_lsp.server.features.profiles import TRUSTED
from roofline_lsp.server.session.protocol import Protocol
from roofline_lsp.server.session.settings import (
    CLIENT_COMMANDS,
    CLIENT_NOTIFICATIONS,
    SECTION,
    EditorSettings,
)
from roofline_lsp.server.worker.interface import AnalysisWorker
from roofline_lsp.server.worker.jobs import CheckGpu, Failed
from roofline_lsp.server.worker.process import WorkerCrashError
from roofline_profiling.store_path import store_path

if TYPE_CHECKING:
    from cattrs import Converter
    from pygls.server import ServerErrors  # there for type checkers alone

logger = logging.getLogger(__name__)

ANALYSED = "roofline/analysed"
"""Told a client that asked for it: a document's newest text, of a ``version``, was analysed."""

_CLIENT_ANSWERS_S = 5.0
_PARENT_POLL_S = 2.0


class RooflineServer(LanguageServer):
    """State of one session: documents, settings, and what the client can do."""

    protocol: Protocol  # pyright: ignore[reportIncompatibleVariableOverride] - as made below

    def __init__(
        self,
        version: str,
        worker: AnalysisWorker,
        overrides: Layer | None,
        find_files: FindFiles | None = None,
        converter_factory: Callable[[], Converter] = default_converter,
    ) -> None:
        """``converter_factory`` makes what turns messages into objects and back."""
        super().__init__(
            "roofline-lsp",
            version,
            types.TextDocumentSyncKind.Incremental,
            protocol_cls=Protocol,
            converter_factory=converter_factory,
        )
        self.worker = worker
        self._find_files = find_files
        self.settings = EditorSettings(overrides, self._check, self._warn)
        self.documents = Documents(worker, self.settings.for_path, on_analysed=self._analysed)
        self.advice = SessionAdvice(self, self.settings.for_path, AdviceProcess(self._warn))
        self.style = MarkupStyle(markdown=False)
        self.client_commands: frozenset[str] = frozenset()
        self.trusted = False
        """Whether the client says that the person trusts the workspace."""
        self._client_notifications: frozenset[str] = frozenset()
        self._folders: list[Path] = []
        self._told_of_crash = False
        self._answered: dict[tuple[str, str], tuple[int, int]] = {}
        self._tasks: set[asyncio.Task[Any]] = set()
        worker.on_crash = self._crashed
        self.protocol.on_cancelled = self.advice.cancel

    # ---- Life

    def begin(self, params: types.InitializeParams) -> None:
        """Learn what the client can do and wants."""
        self.documents.encoding = self.workspace.position_encoding or "utf-16"
        formats = self.capability("text_document.hover.content_format") or ()
        self.style = MarkupStyle(markdown=next(iter(formats), None) == types.MarkupKind.Markdown)
        self._folders = _folders(params)
        self.settings.set_folder(self._folders[0] if self._folders else Path.cwd())
        options = params.initialization_options
        self.client_commands = _names(options, CLIENT_COMMANDS)
        self._client_notifications = _names(options, CLIENT_NOTIFICATIONS)
        self.trusted = isinstance(options, dict) and options.get(TRUSTED) is True
        self.settings.set_options(options)
        if params.process_id is not None:
            self.background(_end_with(params.process_id))

    def end(self) -> None:
        """Stop all work; the protocol's own shutdown follows."""
        for task in self._tasks:
            task.cancel()
        self.documents.stop()
        self.advice.stop()
        self.protocol.cancel_requests()
        self.worker.stop()

    def background(self, work: Awaitable[None]) -> None:
        """Do something that no request waits for."""
        task = asyncio.ensure_future(_logged(work))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def capability(self, name: str) -> Any:
        """A capability of the client by its dotted name, None where it is not given."""
        return get_capability(self.client_capabilities, name, None)

    def report_server_error(self, error: Exception, source: ServerErrors) -> None:
        """Log what went wrong instead of showing it: it is nothing that a person could mend."""
        logger.error("%s: %s", source.__name__, error)

    @property
    def folder(self) -> Path | None:
        """The workspace's first folder; None where the client opened files alone."""
        return self._folders[0] if self._folders else None

    def folder_of(self, path: Path) -> Path:
        """The innermost folder of the workspace with a file; the file's own where none has it."""
        around = [folder for folder in self._folders if folder in path.parents]
        return max(around, key=lambda folder: len(folder.parts), default=path.parent)

    # ---- Settings

    async def options(self) -> list[str]:
        """The settings that hold for the workspace's folder, as options of the command line."""
        settings = await self.settings.for_path((self.folder or Path.cwd()) / OWN_FILE)
        return ["--gpu", settings.gpu]

    async def register(self) -> None:
        """Ask to be told of changes to settings and to files, as far as the client can tell."""
        registrations = []
        if self.capability("workspace.did_change_configuration.dynamic_registration"):
            registrations.append(
                types.Registration(
                    "configuration",
                    types.WORKSPACE_DID_CHANGE_CONFIGURATION,
                    types.DidChangeConfigurationRegistrationOptions(section=SECTION),
                )
            )
        if self.capability("workspace.did_change_watched_files.dynamic_registration"):
            suffixes = ",".join(sorted(suffix[1:] for suffix in WATCHED_SUFFIXES | DATA_SUFFIXES))
            globs = (
                f"**/*.{{{suffixes}}}",
                f"**/{{{OWN_FILE},{SHARED_FILE}}}",
                *BUILD_FILE_GLOBS,
                f"**/{store_path(Path()).as_posix()}",
            )
            registrations.append(
                types.Registration(
                    "files",
                    types.WORKSPACE_DID_CHANGE_WATCHED_FILES,
                    types.DidChangeWatchedFilesRegistrationOptions(
                        [types.FileSystemWatcher(glob) for glob in globs]
                    ),
                )
            )
        if registrations:
            async with asyncio.timeout(_CLIENT_ANSWERS_S):
                await self.client_register_capability_async(types.RegistrationParams(registrations))

    async def configure(self, pushed: object = None) -> None:
        """Take the client's configuration, pulled if it can be, and analyse with it."""
        values = pushed.get(SECTION) if isinstance(pushed, dict) else None
        if self.capability("workspace.configuration"):
            items = [types.ConfigurationItem(section=SECTION)]
            async with asyncio.timeout(_CLIENT_ANSWERS_S):
                pulled = await self.workspace_configuration_async(types.ConfigurationParams(items))
            values = pulled[0] if pulled and pulled[0] is not None else values
        self.settings.set_configuration(values)
        await self.settings_changed()

    async def settings_changed(self) -> None:
        """Read settings files anew and analyse every document again."""
        self.settings.forget_files()
        self.documents.refresh()
        await self.index()

    async def index(self, added: Sequence[Path] = ()) -> None:
        """Have the workspace looked through for files that belong together."""
        self._folders += (folder for folder in added if folder not in self._folders)
        for folder in self._folders:
            if folder not in {Path.home(), folder.parent}:
                settings = await self.settings.for_path(folder / OWN_FILE)
                self.worker.index(folder, settings.exclude)

    async def kernel_files(self) -> Json:
        """The files of the workspace that hold kernels, as ``kernel_files`` tells them."""
        if self._find_files is None:
            return {"files": [], "problems": []}
        folders = [
            (folder, await self.settings.for_path(folder / OWN_FILE)) for folder in self._folders
        ]
        return await kernel_files(folders, self._find_files)

    async def _check(self, settings: Settings) -> str | None:
        try:
            answer = await self.worker.gpu(CheckGpu(0, settings))
        except WorkerCrashError:
            return None
        return answer.message if isinstance(answer, Failed) and answer.expected else None

    # ---- Telling the client

    def answered(self, document: Document, feature: str) -> None:
        """Note which analysis the client has seen through a feature."""
        self._answered[document.uri, feature] = (document.revision, document.settled)

    def forget(self, uri: str) -> None:
        """A document was closed: take back what was said about it."""
        for key in [key for key in self._answered if key[0] == uri]:
            del self._answered[key]
        self.advice.forget(uri)
        if not self.pulls_diagnostics:
            self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, []))

    @property
    def pulls_diagnostics(self) -> bool:
        """Whether the client asks for diagnostics, so that they are not sent unasked."""
        return self.capability("text_document.diagnostic") is not None

    def _analysed(self, document: Document) -> None:
        """Send what follows from an analysis, or have the client ask again."""
        if document.complete:
            self._completed(document)
        if self._outdated(document, types.TEXT_DOCUMENT_CODE_LENS) and self.capability(
            "workspace.code_lens.refresh_support"
        ):
            self.workspace_code_lens_refresh(None)
        if self._outdated(document, types.TEXT_DOCUMENT_INLAY_HINT) and self.capability(
            "workspace.inlay_hint.refresh_support"
        ):
            self.workspace_inlay_hint_refresh(None)
        if document.complete and ANALYSED in self._client_notifications:
            self.protocol.notify(ANALYSED, {"uri": document.uri, "version": document.version})

    def _completed(self, document: Document) -> None:
        if document.revision == document.saved_revision:
            self.background(self.advice.look(document))
        if not self.pulls_diagnostics:
            view = self.documents.newest(document)
            found = diagnostics(view, self.documents.encoding) if view is not None else []
            self.text_document_publish_diagnostics(
                types.PublishDiagnosticsParams(document.uri, found, document.version)
            )
        elif self._outdated(document, types.TEXT_DOCUMENT_DIAGNOSTIC) and self.capability(
            "workspace.diagnostics.refresh_support"
        ):
            self.workspace_diagnostic_refresh(None)

    def _outdated(self, document: Document, feature: str) -> bool:
        """Whether the client was answered about this very text from an older analysis.

        After a change of the text it asks again by itself.
        """
        seen = self._answered.pop((document.uri, feature), None)
        return seen is not None and seen[0] == document.revision and seen[1] != document.settled

    def _crashed(self, reason: str) -> None:
        if not self._told_of_crash:
            self._told_of_crash = True
            self._warn(
                f"The analysis process {reason}. It is started again; the file it was reading is "
                "left alone until it changes. This is a fault of roofline-lsp."
            )

    def show(self, message: str, kind: types.MessageType = types.MessageType.Info) -> None:
        """Show a message."""
        self.window_show_message(types.ShowMessageParams(kind, f"roofline-lsp: {message}"))

    def _warn(self, message: str) -> None:
        logger.debug("shown: %s", message)
        self.show(message, types.MessageType.Warning)


def _names(options: object, key: str) -> frozenset[str]:
    """A list of names among the initialization options; none where there is no such list."""
    given = options.get(key) if isinstance(options, dict) else None
    return frozenset(map(str, given)) if isinstance(given, list) else frozenset()


def _folders(params: types.InitializeParams) -> list[Path]:
    """The folders of the workspace; none where the client opened files alone."""
    if params.workspace_folders:
        return [path_of(folder.uri) for folder in params.workspace_folders]
    if params.root_uri:
        return [path_of(params.root_uri)]
    return [Path(params.root_path)] if params.root_path else []


async def _logged(work: Awaitable[None]) -> None:
    try:
        await work
    except TimeoutError:
        logger.warning("the client does not answer a request")
    except Exception:
        logger.exception("background work failed")


async def _end_with(parent: int) -> None:
    """End this process when the client's is gone, even if something else keeps the pipe open.

    Only where a process can be looked at without touching it, which Windows' ``kill`` cannot; and
    only if it can be seen at all, which a client outside of this process' container cannot. There
    the pipe's end has to do.
    """
    while sys.platform != "win32" and _alive(parent):
        await asyncio.sleep(_PARENT_POLL_S)
        if not _alive(parent):
            logger.error("the client's process %d is gone", parent)
            # The thread that reads standard input cannot be interrupted.
            os._exit(1)


def _alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
