"""Code that a missing macro leaves out, in whole sessions: hints, and fixes that define it."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types

SOURCE = """\
#define N 64
__global__ void always(float *x) { x[threadIdx.x] = 1.0f; }
#ifdef USE_FAST
  __global__ void sometimes(float *x) { x[threadIdx.x] = 2.0f; }
__global__ void seldom(float *x) { x[threadIdx.x] = 3.0f; }
#endif
#ifdef OTHER
__global__ void other(float *x) { x[threadIdx.x] = 4.0f; }
#endif
"""
FAST, SELDOM, OTHER = 3, 4, 7


async def hints(session: Any, uri: str) -> list[types.Diagnostic]:
    found = await session.pulled(uri)
    return [item for item in found if item.code == "excluded-code"]


async def actions(session: Any, uri: str, *rows: int, **context: Any) -> list[types.CodeAction]:
    where = types.Range(types.Position(min(rows), 4), types.Position(max(rows), 4))
    context.setdefault("only", [types.CodeActionKind.QuickFix])
    answer = await session.client.text_document_code_action_async(
        types.CodeActionParams(
            types.TextDocumentIdentifier(uri), where, types.CodeActionContext([], **context)
        )
    )
    return [each for each in answer or [] if each.title.startswith("Define ")]


def made(action: types.CodeAction, folder: Path) -> Path:
    """Make an action's edit on disk; the file that it changes."""
    assert action.edit is not None
    file = folder
    for change in action.edit.document_changes or []:
        if isinstance(change, types.CreateFile):
            assert change.options is not None
            assert change.options.ignore_if_exists
            (folder / change.uri.rpartition("/")[2]).touch()
            continue
        assert isinstance(change, types.TextDocumentEdit)
        file = folder / change.text_document.uri.rpartition("/")[2]
        assert file.as_uri() == change.text_document.uri
        lines = file.read_text().split("\n")
        for edit in sorted(change.edits, key=lambda each: each.range.start.line, reverse=True):
            assert isinstance(edit, types.TextEdit)
            assert edit.range.start == edit.range.end
            row, column = edit.range.start.line, edit.range.start.character
            lines[row] = lines[row][:column] + edit.new_text + lines[row][column:]
        file.write_text("\n".join(lines))
    return file


async def test_hints_stand_at_what_is_left_out(start_session: Any) -> None:
    session = await start_session(server="real")
    (session.folder / "k.cu").write_text(SOURCE)
    uri = session.open("k.cu", SOURCE)
    found = await hints(session, uri)
    assert [(each.range.start.line, each.range.start.character) for each in found] == [
        (FAST, 2),
        (SELDOM, 0),
        (OTHER, 0),
    ]
    assert {each.severity for each in found} == {types.DiagnosticSeverity.Hint}
    assert found[0].message == (
        "Kernel 'sometimes' is left out: it needs USE_FAST, which nothing defines"
    )
    # The sum of them is a note, which editors leave out.
    assert [each.code for each in await session.pulled(uri)] == ["excluded-code"] * 3
    session.insert(uri, 0, 0, "\n\n")
    assert [each.range.start.line for each in await hints(session, uri)] == [5, 6, 9]


@pytest.mark.parametrize(
    ("held", "after"),
    [
        (None, 'defines = ["USE_FAST"]\n'),
        ('gpu = "A100" # ours\n', 'gpu = "A100" # ours\ndefines = ["USE_FAST"]\n'),
        ('defines = [\n  "A", # é😀\n]\n', 'defines = [\n  "A", # é😀\n  "USE_FAST",\n]\n'),
    ],
)
async def test_a_quick_fix_defines_the_macro(
    start_session: Any, held: str | None, after: str
) -> None:
    session = await start_session(server="real")
    (session.folder / "k.cu").write_text(SOURCE)
    if held is not None:
        (session.folder / "roofline.toml").write_text(held)
    uri = session.open("k.cu", SOURCE)
    both = await actions(session, uri, FAST, SELDOM)
    (fix,) = both
    assert fix.title == "Define USE_FAST in roofline.toml"
    assert fix.kind == types.CodeActionKind.QuickFix.value
    assert [each.message.split("'")[1] for each in fix.diagnostics or ()] == [
        "sometimes",
        "seldom",
    ]
    file = made(fix, session.folder)
    assert file.read_text() == after
    session.client.workspace_did_change_watched_files(
        types.DidChangeWatchedFilesParams(
            [types.FileEvent(file.as_uri(), types.FileChangeType.Created)]
        )
    )

    async def left() -> list[int]:
        return [each.range.start.line for each in await hints(session, uri)]

    await session.until_answer(left, [OTHER])
    assert len(await session.lenses(uri)) == 3
    assert await actions(session, uri, FAST) == []


async def test_each_macro_has_a_fix_of_its_own(start_session: Any) -> None:
    session = await start_session(server="real")
    (session.folder / "pyproject.toml").write_text("[tool.roofline-lsp]\n[tool.x]\n")
    uri = session.open("k.cu", SOURCE)
    found = await actions(session, uri, 0, OTHER)
    assert [each.title for each in found] == [
        "Define USE_FAST in pyproject.toml",
        "Define OTHER in pyproject.toml",
    ]
    text = made(found[1], session.folder).read_text()
    assert text == '[tool.roofline-lsp]\ndefines = ["OTHER"]\n[tool.x]\n'
    assert await actions(session, uri, 1) == []
    assert await actions(session, uri, FAST, only=[types.CodeActionKind.Refactor]) == []


@pytest.mark.parametrize("kind", ["no creation", "no file", "broken", "editor decides"])
async def test_there_is_no_fix_that_could_not_be_made(start_session: Any, kind: str) -> None:
    profile = "emacs" if kind == "no creation" else "vscode"
    options = {"defines": ["A"]} if kind == "editor decides" else None
    session = await start_session(profile, server="real", options=options)
    if kind == "broken":
        (session.folder / "roofline.toml").write_text("defines = [\n")
    uri = session.open("untitled:k.cu" if kind == "no file" else "k.cu", SOURCE)
    assert await actions(session, uri, FAST) == []
    if kind == "no creation":
        (session.folder / "roofline.toml").write_text("")
        session.client.workspace_did_change_watched_files(
            types.DidChangeWatchedFilesParams(
                [
                    types.FileEvent(
                        (session.folder / "roofline.toml").as_uri(), types.FileChangeType.Created
                    )
                ]
            )
        )

        async def titles() -> list[str]:
            return [each.title for each in await actions(session, uri, FAST)]

        await session.until_answer(titles, ["Define USE_FAST in roofline.toml"])


async def test_a_changed_build_file_is_noticed(start_session: Any) -> None:
    session = await start_session(server="real")
    lists = session.folder / "CMakeLists.txt"
    lists.write_text("add_library(t k.cu)\n")
    uri = session.open("k.cu", SOURCE)
    assert len(await hints(session, uri)) == 3
    lists.write_text("add_library(t k.cu)\ntarget_compile_definitions(t PRIVATE USE_FAST)\n")
    session.client.workspace_did_change_watched_files(
        types.DidChangeWatchedFilesParams(
            [types.FileEvent(lists.as_uri(), types.FileChangeType.Changed)]
        )
    )

    async def left() -> int:
        return len(await hints(session, uri))

    await session.until_answer(left, 1)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs links and pipes")
@pytest.mark.parametrize("kind", ["of settings", "of no file", "to a device", "a pipe"])
async def test_no_fix_changes_what_a_settings_file_leads_to(
    start_session: Any, tmp_path_factory: pytest.TempPathFactory, kind: str
) -> None:
    """Not by a link out of the project, whether there is a file; nor is one waited for."""
    session = await start_session(server="real")
    outside = tmp_path_factory.mktemp("outside") / "held.toml"
    file = session.folder / "roofline.toml"
    if kind == "a pipe":
        os.mkfifo(file)
    elif kind == "to a device":
        file.symlink_to("/dev/zero")
    else:
        file.symlink_to(outside)
        if kind == "of settings":
            outside.write_text('gpu = "A100"\n')
    uri = session.open("k.cu", SOURCE)
    async with asyncio.timeout(60):
        assert len(await hints(session, uri)) == 3
        assert await actions(session, uri, FAST) == []
