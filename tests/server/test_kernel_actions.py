"""What the light bulb offers on a kernel: suggestions without a model, rules' pages, sizes."""

from __future__ import annotations

from typing import Any

from lsprotocol import types

RELAX = """\
__global__ void relax(int n, float h, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float v = x[i];
    for (int k = 0; k < 64; k++) v = v / h + v / 3.0f;
    y[i] = v;
}
int main(int argc, char **argv) {
    int n = atoi(argv[1]);
    float *x, *y;
    cudaMalloc(&x, n * 4);
    cudaMalloc(&y, n * 4);
    relax<<<(n + 255) / 256,
            256>>>(n, 0.5f, x, y);
}
"""
SUGGEST = "Suggest optimizations for relax"


async def offered(session: Any, uri: str, row: int, last: int | None = None) -> list[Any]:
    await session.pulled(uri)
    where = types.Range(types.Position(row, 0), types.Position(row if last is None else last, 1))
    asked = types.CodeActionParams(
        types.TextDocumentIdentifier(uri), where, types.CodeActionContext([])
    )
    found = await session.client.text_document_code_action_async(asked)
    return list(found or [])


async def test_suggestions_are_offered_all_over_a_kernel(start_session: Any) -> None:
    session = await start_session(server="real")
    uri = session.open("relax.cu", RELAX)
    for rows in ((0, 0), (3, 3), (2, 4), (6, 6), (12, 12), (13, 13)):
        titles = [each.title for each in await offered(session, uri, *rows)]
        assert SUGGEST in titles, rows
    assert SUGGEST not in [each.title for each in await offered(session, uri, 9)]


async def test_without_a_model_the_rules_suggest(start_session: Any) -> None:
    session = await start_session(server="real")
    asked: list[types.ShowMessageRequestParams] = []

    @session.client.feature(types.WINDOW_SHOW_MESSAGE_REQUEST)  # type: ignore[untyped-decorator]
    def ask(params: types.ShowMessageRequestParams) -> types.MessageActionItem:
        asked.append(params)
        assert params.actions is not None
        return params.actions[0]

    edits: list[types.ApplyWorkspaceEditParams] = []

    @session.client.feature(types.WORKSPACE_APPLY_EDIT)  # type: ignore[untyped-decorator]
    def apply(params: types.ApplyWorkspaceEditParams) -> types.ApplyWorkspaceEditResult:
        edits.append(params)
        return types.ApplyWorkspaceEditResult(True)

    uri = session.open("relax.cu", RELAX)
    await session.client.workspace_execute_command_async(
        types.ExecuteCommandParams("roofline.suggestOptimizations", [uri, "relax", 1])
    )
    await session.until(lambda: bool(edits))
    (question,) = asked
    assert question.message.startswith("roofline-lsp: 1 finding, ")
    assert "× as fast at the sizes assumed: divisions by " in question.message
    assert question.message.endswith("shows it.")
    choices = [each.title for each in question.actions or ()]
    title = choices[0]
    assert title.startswith("Multiply by the reciprocal (")
    assert title.endswith("×, RL204)")
    assert choices[-1] == "Not now"
    (change,) = list(edits[0].edit.document_changes or ())
    assert isinstance(change, types.TextDocumentEdit)
    assert change.text_document.uri == uri


async def test_what_nobody_is_told_unasked_is_suggested_to_who_asks(start_session: Any) -> None:
    session = await start_session(server="real")
    asked: list[types.ShowMessageRequestParams] = []

    @session.client.feature(types.WINDOW_SHOW_MESSAGE_REQUEST)  # type: ignore[untyped-decorator]
    def ask(params: types.ShowMessageRequestParams) -> None:
        asked.append(params)

    uri = session.open("relax.cu", RELAX.replace("relax", "relax_misaligned"))
    assert [each.code for each in await session.pulled(uri)] == []
    await session.client.workspace_execute_command_async(
        types.ExecuteCommandParams("roofline.suggestOptimizations", [uri, "relax_misaligned", 1])
    )
    await session.until(lambda: bool(asked))
    assert "divisions by " in asked[0].message
    assert asked[0].message.startswith("roofline-lsp: 1 finding, ")


async def test_a_rule_is_explained_at_its_finding(start_session: Any) -> None:
    session = await start_session(server="real")
    uri = session.open("relax.cu", RELAX)
    found = [each for each in await offered(session, uri, 4) if "Explain" in each.title]
    (explain,) = found
    assert explain.title == "Explain RL204 (division-by-constant)"
    await session.client.workspace_execute_command_async(
        types.ExecuteCommandParams("roofline.openRulePage", ["RL204"])
    )
    await session.until(lambda: bool(session.client.shown_documents))
    assert session.client.shown_documents[0].uri.endswith("/RL204.md")


async def test_sizes_are_stated_with_the_values_assumed(start_session: Any) -> None:
    session = await start_session(server="real")
    uri = session.open("relax.cu", RELAX)
    for row, above in ((0, 0), (12, 12), (13, 12)):
        found = [each for each in await offered(session, uri, row) if "State" in each.title]
        (action,) = found
        assert action.title == "State sizes here: n = 1048576"
        (change,) = action.edit.document_changes
        (edit,) = change.edits
        assert edit.range.start == edit.range.end == types.Position(above, 0)
        indent = "" if above == 0 else "    "
        assert edit.new_text == f"{indent}// roofline: n = 1048576\n"
    session.replace(uri, f"// roofline: n = 4096\n{RELAX}")
    assert [each for each in await offered(session, uri, 1) if "State" in each.title] == []
    (title,) = await session.titles(uri)
    assert "assumed" not in title
    kernel = RELAX.partition("int main")[0]
    session.replace(uri, kernel)
    (action,) = [each for each in await offered(session, uri, 0) if "State" in each.title]
    assert action.title.startswith("State sizes here: ")
    assert "grid = (4096, 1, 1), block = (256, 1, 1)" in action.title
    session.replace(uri, action.edit.document_changes[0].edits[0].new_text + kernel)
    (title,) = await session.titles(uri)
    assert "invented" not in title
    assert "assumed" not in title
