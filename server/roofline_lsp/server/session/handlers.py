"""What the server does on each message."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import Any, Final

from lsprotocol import types

from roofline_core.program.regular_files import read_regular_file
from roofline_core.settings import OWN_FILE, SHARED_FILE
from roofline_lsp.formats.json import Json
from roofline_lsp.server.advice.actions import KIND, SHOW_PROMPT, SUGGEST
from roofline_lsp.server.documents.document_view import View
from roofline_lsp.server.documents.places import path_of
from roofline_lsp.server.features import (
    compare,
    compare_variants,
    edit_profile,
    explain,
    gpus,
    kernel_files,
    line_heat,
    report,
    settings_profiles,
)
from roofline_lsp.server.features.code_actions import (
    OPEN_PAGE,
    explain_actions,
    wants_quick_fixes,
)
from roofline_lsp.server.features.code_actions import code_actions as quick_fixes
from roofline_lsp.server.features.code_lens import DETAILS, SET_SIZES, code_lenses
from roofline_lsp.server.features.diagnostics import SOURCE, diagnostics
from roofline_lsp.server.features.excluded import SettingsFile, excluded_actions
from roofline_lsp.server.features.hover import hover
from roofline_lsp.server.features.inlay_hints import inlay_hints
from roofline_lsp.server.features.kernel_actions import kernel_actions
from roofline_lsp.server.features.profiles import (
    EMULATE,
    IMPORT,
    PROFILE,
    Said,
    import_profiles,
    profile_program,
)
from roofline_lsp.server.features.state_sizes import state_sizes
from roofline_lsp.server.session.advice_commands import code_actions as advice_actions
from roofline_lsp.server.session.advice_commands import show_prompt, suggest
from roofline_lsp.server.session.app import RooflineServer
from roofline_lsp.server.session.rule_commands import open_page
from roofline_profiling.store_path import store_path

WAIT_S = 10.0
"""How long a code lens or a diagnostic waits for an analysis."""


def register(server: RooflineServer) -> None:
    """Add all handlers."""
    _life(server)
    _documents(server)
    _settings(server)
    _features(server)
    _kernel_features(server)
    _code_actions(server)
    _own_requests(server)
    _advice(server)
    _commands(server)


def _life(server: RooflineServer) -> None:
    @server.feature(types.INITIALIZE)
    def initialize(ls: RooflineServer, params: types.InitializeParams) -> None:
        """Note what the client says of itself."""
        ls.begin(params)

    @server.feature(types.INITIALIZED)
    def initialized(ls: RooflineServer, _: types.InitializedParams) -> None:
        """Register for changes and ask for the client's settings."""
        ls.background(ls.register())
        ls.background(ls.configure())

    @server.feature(types.SHUTDOWN)
    def shutdown(ls: RooflineServer, _: None) -> None:
        """End the workers."""
        ls.end()


def _documents(server: RooflineServer) -> None:
    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    def opened(ls: RooflineServer, params: types.DidOpenTextDocumentParams) -> None:
        """Keep the document and have it analysed."""
        ls.documents.open(params.text_document)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def changed(ls: RooflineServer, params: types.DidChangeTextDocumentParams) -> None:
        """Apply the edits to the document."""
        document = params.text_document
        ls.documents.change(document.uri, document.version, params.content_changes)

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def closed(ls: RooflineServer, params: types.DidCloseTextDocumentParams) -> None:
        """Forget the document and what was kept for it."""
        ls.documents.close(params.text_document.uri)
        ls.forget(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    def saved(ls: RooflineServer, params: types.DidSaveTextDocumentParams) -> None:
        """Note the saved text, and that the file changed on disk for other documents."""
        if (document := ls.documents.get(params.text_document.uri)) is not None:
            document.note_saved()
            ls.background(ls.advice.look(document))
        _files_changed(ls, [path_of(params.text_document.uri)])

    @server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    def files_changed(ls: RooflineServer, params: types.DidChangeWatchedFilesParams) -> None:
        """Take in which files changed on disk."""
        _files_changed(ls, [path_of(event.uri) for event in params.changes])


def _files_changed(ls: RooflineServer, paths: list[Path]) -> None:
    if any(path.name in {OWN_FILE, SHARED_FILE} for path in paths):
        ls.background(ls.settings_changed())
    elif any(path.parts[-2:] == store_path(Path()).parts for path in paths):
        ls.documents.refresh()
    else:
        ls.documents.files_changed(paths)


def _settings(server: RooflineServer) -> None:
    @server.feature(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)
    def folders_changed(ls: RooflineServer, params: types.DidChangeWorkspaceFoldersParams) -> None:
        """Index the folders that were added to the workspace."""
        ls.background(ls.index([path_of(folder.uri) for folder in params.event.added]))

    @server.feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)
    def configured(ls: RooflineServer, params: types.DidChangeConfigurationParams) -> None:
        """Take in the client's new settings."""
        ls.background(ls.configure(params.settings))


async def _view(
    ls: RooflineServer, uri: str, feature: str | None = None, *, complete: bool = False
) -> View | None:
    """The analysis of a document's present text, waited for; ``feature`` is what is answered."""
    view = await ls.documents.view(uri, wait_s=WAIT_S, stale_wait_s=WAIT_S, complete=complete)
    document = ls.documents.get(uri)
    if feature is not None and document is not None:
        ls.answered(document, feature)
    return view


def _features(server: RooflineServer) -> None:
    @server.feature(types.TEXT_DOCUMENT_HOVER)
    async def on_hover(ls: RooflineServer, params: types.HoverParams) -> types.Hover | None:
        """The hover at a position; None where nothing is known there."""
        return await hover(ls.documents, params, ls.style, ls.advice.opinion)

    @server.feature(types.TEXT_DOCUMENT_CODE_LENS)
    async def on_code_lens(
        ls: RooflineServer, params: types.CodeLensParams
    ) -> list[types.CodeLens]:
        """The lenses of a document; none where no analysis of it comes in time."""
        uri = params.text_document.uri
        view = await _view(ls, uri, types.TEXT_DOCUMENT_CODE_LENS)
        if view is None:
            return []
        can = ls.client_commands
        encoding = ls.documents.encoding
        return code_lenses(view, encoding, command=DETAILS in can, set_sizes=SET_SIZES in can)

    @server.feature(
        types.TEXT_DOCUMENT_DIAGNOSTIC,
        types.DiagnosticOptions(
            inter_file_dependencies=True, workspace_diagnostics=False, identifier=SOURCE
        ),
    )
    async def on_diagnostic(
        ls: RooflineServer, params: types.DocumentDiagnosticParams
    ) -> types.RelatedFullDocumentDiagnosticReport:
        """The diagnostics of a document, once its findings are complete."""
        uri = params.text_document.uri
        view = await _view(ls, uri, types.TEXT_DOCUMENT_DIAGNOSTIC, complete=True)
        found = diagnostics(view, ls.documents.encoding) if view is not None else []
        return types.RelatedFullDocumentDiagnosticReport(found)


def _kernel_features(server: RooflineServer) -> None:
    @server.feature(types.TEXT_DOCUMENT_INLAY_HINT)
    async def on_inlay_hint(
        ls: RooflineServer, params: types.InlayHintParams
    ) -> list[types.InlayHint]:
        """The hints in a range of lines; none where no analysis comes in time."""
        uri = params.text_document.uri
        view = await _view(ls, uri, types.TEXT_DOCUMENT_INLAY_HINT)
        if view is None:
            return []
        return inlay_hints(view, params.range, ls.style, ls.documents.encoding)


def _code_actions(server: RooflineServer) -> None:
    @server.feature(
        types.TEXT_DOCUMENT_CODE_ACTION,
        types.CodeActionOptions([types.CodeActionKind.QuickFix, KIND]),
    )
    async def on_code_action(
        ls: RooflineServer, params: types.CodeActionParams
    ) -> list[types.CodeAction]:
        """The actions for a range; fixes of findings only once all findings are known."""
        advice = await advice_actions(ls, params)
        view = await _view(ls, params.text_document.uri, complete=True)
        if view is None:
            return advice
        own = _on_kernel(ls, view, params)
        if not view.complete:
            return own + advice
        versioned = bool(ls.capability("workspace.workspace_edit.document_changes"))
        fixes = quick_fixes(view, params, ls.documents.encoding, versioned=versioned)
        if ls.capability("window.show_document.support"):
            fixes += explain_actions(view, params, ls.documents.encoding)
        fixes += await _defining(ls, view, params, versioned=versioned)
        sizes = state_sizes(view, params, ls.documents.encoding, versioned=versioned)
        return fixes + own + sizes + advice


async def _defining(
    ls: RooflineServer, view: View, params: types.CodeActionParams, *, versioned: bool
) -> list[types.CodeAction]:
    """The quick fixes that define a macro in the settings file."""
    if not view.report.excluded or not view.document.is_file or not wants_quick_fixes(params):
        return []
    file = await asyncio.to_thread(_settings_file, ls, view.document.path, "defines")
    operations = ls.capability("workspace.workspace_edit.resource_operations") or ()
    return excluded_actions(
        view,
        params.range,
        file,
        ls.documents.encoding,
        versioned=versioned,
        creates=types.ResourceOperationKind.Create in operations,
    )


_MOST_SETTINGS_BYTES: Final = 1_000_000


def _settings_file(ls: RooflineServer, source: Path, field: str) -> SettingsFile | None:
    path = ls.settings.file_for(source, ls.folder_of(source), field)
    if path is None or _leads_away(path):
        return None
    try:
        text = read_regular_file(path, _MOST_SETTINGS_BYTES)
        return SettingsFile(path, text.decode("utf-8-sig"))
    except FileNotFoundError:
        return SettingsFile(path, None)
    except (OSError, UnicodeDecodeError):
        return None


def _leads_away(path: Path) -> bool:
    """Whether a settings file is a link out of its folder, where an edit would change another."""
    return path.is_symlink() and Path(os.path.realpath(path)).parent != Path(
        os.path.realpath(path.parent)
    )


def _on_kernel(
    ls: RooflineServer, view: View, params: types.CodeActionParams
) -> list[types.CodeAction]:
    """The actions of a kernel, which are of no kind, for those who ask: no light bulb on each."""
    automatic = params.context.trigger_kind is types.CodeActionTriggerKind.Automatic
    if automatic or params.context.only:
        return []
    return kernel_actions(view, params.range, ls.client_commands, ls.documents.encoding)


def _own_requests(server: RooflineServer) -> None:
    @server.feature(report.METHOD)
    async def on_report(ls: RooflineServer, params: Any) -> Json | None:
        """``roofline/report``: the document's report as JSON; None where it has none."""
        return await report.report(ls.documents, params.textDocument.uri)

    @server.feature(kernel_files.METHOD)
    async def on_kernel_files(ls: RooflineServer, _: Any) -> Json:
        """``roofline/kernelFiles``: the workspace's files with kernels."""
        return await ls.kernel_files()

    @server.feature(line_heat.METHOD)
    async def on_line_heat(ls: RooflineServer, params: Any) -> list[Json]:
        """``roofline/lineHeat``: each line's share in a kernel's work."""
        view = await _view(ls, params.textDocument.uri)
        return line_heat.line_heat(view) if view is not None else []

    @server.feature(gpus.METHOD)
    async def on_gpus(ls: RooflineServer, params: Any) -> Json:
        """``roofline/gpus``: the GPUs there are, or with ``only: current`` the one in use."""
        document = getattr(params, "textDocument", None)
        settings = await ls.settings.for_path(path_of(document.uri) if document else None)
        only_current = getattr(params, "only", None) == "current"
        return await asyncio.to_thread(gpus.gpus, settings, only_current=only_current)

    @server.feature(settings_profiles.METHOD)
    async def on_settings_profiles(ls: RooflineServer, params: Any) -> Json:
        """``roofline/settingsProfiles``: the profiles of the settings, and the one in use."""
        document = getattr(params, "textDocument", None)
        path = path_of(document.uri) if document else None
        settings = await ls.settings.for_path(path)
        own, _ = ls.settings.own_profiles(path)
        return settings_profiles.settings_profiles(settings, ls.settings.profiles_for(path), own)

    @server.feature(edit_profile.METHOD)
    async def on_edit_profile(ls: RooflineServer, params: Any) -> Json:
        """``roofline/editSettingsProfile``: change, add or delete a profile in the file."""
        document = getattr(params, "textDocument", None)
        path = path_of(document.uri) if document else None
        becomes = params.becomes
        written = becomes and edit_profile.Written(becomes.name, becomes.args, becomes.sizes)
        source = path or (ls.folder or Path.cwd()) / OWN_FILE
        file = await asyncio.to_thread(_settings_file, ls, source, "profiles")
        _, default = ls.settings.own_profiles(path)
        known = ls.settings.profiles_for(path)
        return edit_profile.edit_profile(file, known, default, params.profile, written)

    @server.feature(compare.METHOD)
    async def on_compare(ls: RooflineServer, params: Any) -> list[Json | None]:
        """``roofline/compareGpus``: the document's kernels on each of ``gpus``."""
        return await compare.compare(ls.documents, params.textDocument.uri, params.gpus)

    @server.feature(compare_variants.METHOD)
    async def on_compare_variants(ls: RooflineServer, params: Any) -> Json:
        """``roofline/compare``: variants of a kernel beside the first."""
        return await compare_variants.compare_variants(ls.documents, params.variants)

    @server.feature(explain.METHOD)
    async def on_explain(ls: RooflineServer, params: Any) -> Json | None:
        """``roofline/explain``: what is believed of the kernel at a position; None without one."""
        at = types.Position(params.position.line, params.position.character)
        return await explain.explain(ls.documents, params.textDocument.uri, at)


def _advice(server: RooflineServer) -> None:
    @server.command(SUGGEST)
    async def on_suggest(ls: RooflineServer, uri: str, kernel: str, line: int) -> Json | None:
        """The model's checked edits to a kernel; None without any."""
        return await suggest(ls, uri, kernel, line)

    @server.command(SHOW_PROMPT)
    async def on_show_prompt(ls: RooflineServer, uri: str, kernel: str, line: int) -> str | None:
        """The prompt that would be sent; None without a kernel there."""
        return await show_prompt(ls, uri, kernel, line)


def _commands(server: RooflineServer) -> None:
    @server.command(OPEN_PAGE)
    async def on_open_page(ls: RooflineServer, code: str) -> None:
        """Open the page of a rule."""
        await open_page(ls, code)

    @server.command(IMPORT)
    async def on_import(ls: RooflineServer, *reports: Any) -> str:
        """Import profilers' reports; what came of it, in words."""
        return _told(ls, await import_profiles(reports, ls.folder, await ls.options()))

    @server.command(PROFILE)
    async def on_profile(ls: RooflineServer, *program: Any) -> str:
        """Run a program under a profiler; what came of it, in words."""
        return _told(
            ls,
            await profile_program(program, ls.folder, await ls.options(), trusted=ls.trusted),
        )

    @server.command(EMULATE)
    async def on_emulate(ls: RooflineServer, *program: Any) -> str:
        """Run a program under the emulation; what came of it, in words."""
        options = await ls.options()
        return _told(
            ls,
            await profile_program(program, ls.folder, options, trusted=ls.trusted, command=EMULATE),
        )


def _told(ls: RooflineServer, said: Said) -> str:
    """Show the command's outcome and refresh measurements; returns the message."""
    kind = types.MessageType.Error if said.failed else types.MessageType.Info
    ls.window_show_message(types.ShowMessageParams(kind, f"roofline-lsp: {said.text}"))
    ls.documents.refresh()
    return said.text
