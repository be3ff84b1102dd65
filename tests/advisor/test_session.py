"""Whole editor sessions with the real server, the real SDK and a fake endpoint."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any, Union

import pytest
import pytest_asyncio
from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pytest_lsp import ClientServerConfig, LanguageClient

from roofline_lsp.server.documents.places import path_of

from ..server.conftest import PATIENCE_S, SERVERS, Session, capabilities  # noqa: TID252 - of another folder
from .conftest import KEY
from .fake_api import FakeApi, fails, says
from .kernels import DIVISION, SOURCE, STORE, edit, suggestion

SUGGEST = "roofline.suggestOptimizations"
PROMPT = "roofline.showPrompt"
KERNEL = ["rows", 5]
NAME = (4, 18)
INSIDE = types.Range(types.Position(8, 4), types.Position(8, 4))

GOOD = {"suggestions": [suggestion("Multiply", DIVISION), suggestion("Store once", STORE)]}


class AdvisorSession(Session):
    """A session that notes what the server asks of the client."""

    def __init__(self, client: LanguageClient, folder: Path) -> None:
        super().__init__(client, folder)
        self.requests: list[types.ShowMessageRequestParams] = []
        self.applied: list[types.WorkspaceEdit] = []
        self.choice: str | None = None

        # lsprotocol takes every action that has a command for a bare command.
        convert = client.protocol._converter
        convert.register_structure_hook(
            types.Command | types.CodeAction,
            lambda value, _: convert.structure(value, types.CodeAction),
        )
        convert.register_structure_hook(
            Union[types.Command, types.CodeAction],  # noqa: UP007 - another type at run time
            lambda value, _: convert.structure(value, types.CodeAction),
        )

        @client.feature(types.WINDOW_SHOW_MESSAGE_REQUEST)  # type: ignore[untyped-decorator]
        def show(params: types.ShowMessageRequestParams) -> types.MessageActionItem | None:
            self.requests.append(params)
            return None if self.choice is None else types.MessageActionItem(self.choice)

        @client.feature(types.WORKSPACE_APPLY_EDIT)  # type: ignore[untyped-decorator]
        def apply(params: types.ApplyWorkspaceEditParams) -> types.ApplyWorkspaceEditResult:
            self.applied.append(params.edit)
            return types.ApplyWorkspaceEditResult(True)

    async def actions(self, uri: str, where: types.Range = INSIDE) -> list[types.CodeAction]:
        found = await self.client.text_document_code_action_async(
            types.CodeActionParams(
                types.TextDocumentIdentifier(uri), where, types.CodeActionContext([])
            )
        )
        return [each for each in found or [] if isinstance(each, types.CodeAction)]

    async def execute(self, command: str, *arguments: Any) -> Any:
        return await self.client.workspace_execute_command_async(
            types.ExecuteCommandParams(command, arguments)
        )

    @property
    def tokens(self) -> list[types.ProgressToken]:
        return list(self.client.progress_reports)

    @property
    def progress(self) -> list[Any]:
        return [each for reports in self.client.progress_reports.values() for each in reports]

    async def kernel_text(self, uri: str) -> str:
        return await self.hover_text(uri, *NAME) or ""

    def shown(self) -> list[str]:
        return [each.message for each in self.client.messages]


def parts(value: Any) -> str:
    """The kind and the words of a progress value."""
    words = getattr(value, "title", None) or getattr(value, "message", None) or ""
    return f"{value.kind} {words}".strip()


Start = Callable[..., Awaitable[AdvisorSession]]


@pytest_asyncio.fixture
async def start(tmp_path: Path, api: FakeApi) -> AsyncIterator[Start]:
    sessions: list[AdvisorSession] = []

    async def begin(*, enabled: bool = True, annotated: bool = True, **advisor: Any) -> Any:
        folder = tmp_path / "project"
        folder.mkdir(exist_ok=True)
        client = await ClientServerConfig(SERVERS["real"]).start()
        assert isinstance(client, LanguageClient)
        session = AdvisorSession(client, folder)
        sessions.append(session)
        can = capabilities("vscode")
        assert can.window is not None
        assert can.workspace is not None
        assert can.workspace.workspace_edit is not None
        can.window.work_done_progress = True
        can.window.show_document = types.ShowDocumentClientCapabilities(True)
        if not annotated:
            can.workspace.workspace_edit.change_annotation_support = None
        settings = {
            "enabled": enabled,
            "baseUrl": api.url,
            "model": "claude-test",
            "timeoutS": 10 * PATIENCE_S,
            "retries": 0,
            "rounds": 1,
            "compile": False,
            "askBelow": 0,
            "cacheDir": str(tmp_path / "replies"),
            **advisor,
        }
        session.result = await client.initialize_session(
            types.InitializeParams(
                capabilities=can,
                root_uri=folder.as_uri(),
                initialization_options={"advisor": settings},
            )
        )
        return session

    yield begin
    for session in sessions:
        process = session.client._server
        if process is not None and process.returncode is None:
            await asyncio.wait_for(session.client.shutdown_session(), PATIENCE_S)
        await session.client.stop()  # type: ignore[no-untyped-call]


async def opened(session: AdvisorSession, text: str = SOURCE) -> str:
    uri = session.open("rows.cu", text)
    assert await session.hover(uri, *NAME) is not None
    return uri


def applied(text: str, workspace: types.WorkspaceEdit) -> str:
    """What an editor makes of a text with an edit."""
    assert workspace.document_changes is not None
    (change,) = workspace.document_changes
    assert isinstance(change, types.TextDocumentEdit)
    lines = text.split("\n")
    for each in reversed(change.edits):
        assert isinstance(each, types.TextEdit | types.AnnotatedTextEdit)
        start, end = each.range.start, each.range.end
        joined = lines[start.line][: start.character] + each.new_text
        joined += lines[end.line][end.character :]
        lines[start.line : end.line + 1] = joined.split("\n")
    return "\n".join(lines)


async def test_from_action_to_edit(start: Start, api: FakeApi) -> None:
    api.default = says(GOOD)
    session = await start()
    session.choice = "Store once (1.1x)"
    uri = await opened(session)

    asking, showing = await session.actions(uri)
    assert asking.title == "Suggest optimizations for rows"
    assert showing.title == "Show what is sent to the model for rows"
    assert asking.kind == types.CodeActionKind.RefactorRewrite
    assert asking.command is not None
    assert asking.command.arguments is not None
    assert list(asking.command.arguments) == [uri, *KERNEL]
    assert (
        await session.actions(uri, types.Range(types.Position(17, 0), types.Position(17, 0))) == []
    )

    result = await session.execute(asking.command.command, *asking.command.arguments)
    titles = [each["title"] for each in result["suggestions"]]
    assert titles == ["Store once", "Multiply"]
    assert result["rejected"] == []
    assert result["suggestions"][0]["effect"].startswith("time ")

    await session.until(lambda: bool(session.applied))
    (request,) = session.requests
    assert [item.title for item in request.actions or ()] == [
        "Store once (1.1x)",
        "Multiply",
        "Not now",
    ]
    assert "2 suggestions for rows. The best, 'Store once'" in request.message
    (change,) = session.applied
    assert change.change_annotations is not None
    (note,) = change.change_annotations.values()
    assert note.needs_confirmation
    assert note.label == "Store once (1.1x)"
    assert note.description is not None
    assert "The static model: time " in note.description
    edited = applied(SOURCE, change)
    assert edited == SOURCE.replace(
        "            y[i] = s;\n        }\n", "        }\n        y[i] = s;\n"
    )

    told = [parts(value) for value in session.progress]
    assert told[0] == "begin Suggest optimizations for rows"
    assert "report asking claude-test" in told
    assert any(each.startswith("report the model writes, ") for each in told)
    assert "report checking 'Multiply'" in told
    assert told[-1] == "end"

    # They stay at hand as code actions while the text is the same.
    offered = [each for each in await session.actions(uri) if each.edit is not None]
    assert [each.title for each in offered] == ["Store once (1.1x)", "Multiply"]
    session.replace(uri, edited)
    assert len(await session.actions(uri)) == 2
    assert "**Bandwidth-bound**" in await session.kernel_text(uri)


async def test_the_same_question_again_is_answered_from_the_cache(
    start: Start, api: FakeApi
) -> None:
    api.default = says(GOOD)
    session = await start()
    uri = await opened(session)
    first = await session.execute(SUGGEST, uri, *KERNEL)
    again = await session.execute(SUGGEST, uri, *KERNEL)
    assert first["tokens"] == 1300
    assert again["tokens"] == 0
    assert again["suggestions"] == first["suggestions"]
    assert len(api.asked()) == 1


async def test_a_client_without_annotations_gets_plain_edits(start: Start, api: FakeApi) -> None:
    api.default = says(GOOD)
    session = await start(annotated=False)
    uri = await opened(session)
    await session.execute(SUGGEST, uri, *KERNEL)
    offered = [each for each in await session.actions(uri) if each.edit is not None]
    assert len(offered) == 2
    assert offered[0].edit is not None
    assert offered[0].edit.change_annotations is None
    assert "        y[i] = s;" in applied(SOURCE, offered[0].edit)


async def test_the_prompt_is_shown_and_nothing_is_sent(start: Start, api: FakeApi) -> None:
    session = await start(enabled=False)
    uri = await opened(session, SOURCE + "// only here\n")
    text = await session.execute(PROMPT, uri, *KERNEL)
    assert "The advisor is off: nothing is sent" in text
    assert api.url in text
    assert "// only here" in text
    assert "You judge GPU kernels" in text
    assert KEY not in text
    await session.until(lambda: bool(session.client.shown_documents))
    shown = path_of(session.client.shown_documents[0].uri)
    assert shown.read_text(encoding="utf-8") == text
    await session.client.shutdown_session()
    assert not shown.exists()
    assert api.requests == []


async def test_an_advisor_that_is_off_sends_nothing(start: Start, api: FakeApi) -> None:
    session = await start(enabled=False, askBelow=1.0)
    uri = await opened(session)
    first, second = [each.title for each in await session.actions(uri) if each.command][:2]
    assert first.startswith("Suggest optimizations for ")
    assert second.startswith("Show what would be sent to the model for ")
    assert await session.execute(SUGGEST, uri, *KERNEL) is None
    await session.until(lambda: bool(session.requests or session.shown()))
    (said,) = [*session.shown(), *(each.message for each in session.requests)]
    assert "set roofline.advisor.enabled" in said
    session.client.text_document_did_save(
        types.DidSaveTextDocumentParams(types.TextDocumentIdentifier(uri))
    )
    assert await session.hover(uri, *NAME) is not None
    assert api.requests == []


async def test_a_project_cannot_turn_the_advisor_on(start: Start, api: FakeApi) -> None:
    session = await start(enabled=False)
    (session.folder / "roofline.toml").write_text("[advisor]\nenabled = true\n")
    uri = await opened(session)
    assert await session.execute(SUGGEST, uri, *KERNEL) is None
    assert any("'advisor.enabled' cannot be set to true in a project" in m for m in session.shown())
    assert api.requests == []


async def test_a_project_can_forbid_it(start: Start, api: FakeApi) -> None:
    session = await start()
    (session.folder / "roofline.toml").write_text("[advisor]\nenabled = false\n")
    uri = await opened(session)
    assert await session.execute(SUGGEST, uri, *KERNEL) is None
    assert api.requests == []


async def test_a_failure_is_told_and_the_verdict_stands(start: Start, api: FakeApi) -> None:
    api.default = fails(401, "authentication_error")
    session = await start()
    uri = await opened(session)

    async def has_other_gpus() -> bool:
        return "MI300X" in await session.kernel_text(uri)

    # A hover does not wait long for these, so the first one may lack them.
    await session.until_answer(has_other_gpus, True)
    before = await session.kernel_text(uri)
    assert await session.execute(SUGGEST, uri, *KERNEL) is None
    (message,) = session.shown()
    assert message == (
        "roofline-lsp: no suggestions: the model's endpoint does not accept the key (401); check"
        " ANTHROPIC_API_KEY"
    )
    assert await session.kernel_text(uri) == before


async def test_what_fails_the_checks_is_counted_and_not_shown(start: Start, api: FakeApi) -> None:
    ghost = suggestion("Ghost", edit(4, 4, "float ghost;", "float real;"))
    api.default = says({"suggestions": [ghost, suggestion("Multiply", DIVISION)]})
    session = await start()
    uri = await opened(session)
    result = await session.execute(SUGGEST, uri, *KERNEL)
    assert [each["title"] for each in result["suggestions"]] == ["Multiply"]
    assert result["rejected"] == [
        {
            "title": "Ghost",
            "reason": "the lines that it quotes ('float ghost;') are not in the file",
        }
    ]
    await session.until(lambda: bool(session.requests))
    assert "1 suggestion for rows, 1 left out by the checks." in session.requests[0].message
    offered = [each.title for each in await session.actions(uri) if each.edit is not None]
    assert offered == ["Multiply"]


async def test_cancelling_ends_the_request(start: Start, api: FakeApi) -> None:
    api.default = api.stalls
    session = await start()
    uri = await opened(session)
    task = asyncio.ensure_future(session.execute(SUGGEST, uri, *KERNEL))
    await session.until(lambda: bool(api.asked()))
    session.client.window_work_done_progress_cancel(
        types.WorkDoneProgressCancelParams(session.tokens[0])
    )
    assert await asyncio.wait_for(task, PATIENCE_S) is None
    await session.until(api.dropped.is_set)
    assert parts(session.progress[-1]) == "end"
    assert session.shown() == []
    api.default = says(GOOD)
    assert len((await session.execute(SUGGEST, uri, *KERNEL))["suggestions"]) == 2


async def test_cancelling_the_request_ends_it_too(start: Start, api: FakeApi) -> None:
    api.default = api.stalls
    session = await start()
    uri = await opened(session)
    task = asyncio.ensure_future(session.execute(SUGGEST, uri, *KERNEL))
    await session.until(lambda: bool(api.asked()))
    (number,) = session.client.protocol._request_futures
    session.client.cancel_request(types.CancelParams(number))
    await session.until(api.dropped.is_set)
    with pytest.raises(JsonRpcException):
        await asyncio.wait_for(task, PATIENCE_S)


async def test_a_hung_endpoint_holds_nothing_up(start: Start, api: FakeApi) -> None:
    api.default = api.hangs
    session = await start(askBelow=1.0)
    uri = await opened(session)
    task = asyncio.ensure_future(session.execute(SUGGEST, uri, *KERNEL))
    await session.until(lambda: len(api.asked()) == 2)  # the class, unasked, and the suggestions
    for _ in range(20):
        assert await session.hover(uri, *NAME) is not None
        assert len(await session.lenses(uri)) == 1
        assert len(await session.actions(uri)) == 2
    session.replace(uri, SOURCE.replace("k < 64", "k < 32"))
    assert len(await session.lenses(uri)) == 1
    assert not task.done()
    session.client.window_work_done_progress_cancel(
        types.WorkDoneProgressCancelParams(session.tokens[0])
    )
    assert await asyncio.wait_for(task, PATIENCE_S) is None


async def test_an_unsure_verdict_has_the_model_asked(start: Start, api: FakeApi) -> None:
    api.default = says({"reason": "It multiplies a lot.", "class": "CB"})
    session = await start(askBelow=1.0, votes=3)
    uri = await opened(session)

    async def says_model() -> bool:
        return "Model" in await session.kernel_text(uri)

    await session.until_answer(says_model, True)
    text = await session.kernel_text(uri)
    assert "**Bandwidth-bound** on" in text.splitlines()[0]
    assert "**Model** (claude-test) disagrees: compute-bound, 3 of 3 votes. Both together: " in text
    assert "It multiplies a lot." in text
    assert len(api.asked()) == 3
    # Of another text nothing is known, and only saving asks.
    session.replace(uri, SOURCE.replace("k < 64", "k < 16"))
    assert not await says_model()
    assert len(api.asked()) == 3
    session.client.text_document_did_save(
        types.DidSaveTextDocumentParams(types.TextDocumentIdentifier(uri))
    )
    await session.until_answer(says_model, True)
    assert len(api.asked()) == 6


async def test_a_sure_verdict_has_nobody_asked(start: Start, api: FakeApi) -> None:
    session = await start(askBelow=0.7)
    uri = await opened(session)
    assert "**Bandwidth-bound**" in await session.kernel_text(uri)
    session.client.text_document_did_save(
        types.DidSaveTextDocumentParams(types.TextDocumentIdentifier(uri))
    )
    assert len(await session.actions(uri)) == 2
    assert api.requests == []


HOSTILE = "[run](command:evil) $(flame) \x1b[2J\u202eevil"
NO_MARKUP = re.compile(r"\[[^\]]*\]\(command|\$\(|[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]")


async def test_words_of_strangers_become_no_links(start: Start, api: FakeApi) -> None:
    """The model's, a file's name, a GPU's of the project's settings: in whatever shows them."""
    good = suggestion(HOSTILE, STORE) | {"why": HOSTILE, "expected_effect": HOSTILE}
    bad = suggestion(HOSTILE + "2", edit(4, 4, f"float {HOSTILE};", "float x;"))
    api.default = says({"suggestions": [good, bad]})
    session = await start()
    (session.folder / "roofline.toml").write_text(
        'gpu = "[gpu](command:evil) $(flame)"\n[advisor]\nmodel = "[m](command:evil)"\n'
    )
    uri = await opened(session)
    assert await session.execute(SUGGEST, uri, *KERNEL) is not None
    async with asyncio.timeout(PATIENCE_S):
        while not session.requests:  # noqa: ASYNC110
            await asyncio.sleep(0.02)
    titles = [action.title for action in await session.actions(uri)]
    asked = [item.title for each in session.requests for item in each.actions or []]
    messages = [*session.shown(), *(each.message for each in session.requests)]
    progress = [parts(each) for each in session.progress]
    hover = await session.kernel_text(uri)
    for text in (*titles, *asked, *messages, *progress, hover):
        assert NO_MARKUP.search(text) is None, text
    assert any("(command:evil)" in text for text in titles)
    assert any("(command:evil)" in text for text in messages)
    session.choice = asked[0]
    await session.execute(SUGGEST, uri, *KERNEL)
    async with asyncio.timeout(PATIENCE_S):
        while not session.applied:  # noqa: ASYNC110
            await asyncio.sleep(0.02)
