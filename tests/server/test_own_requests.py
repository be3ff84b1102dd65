"""Requests and notifications that are this server's own, in sessions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from lsprotocol import types

from roofline_lsp.server.features import (
    compare,
    edit_profile,
    gpus,
    kernel_files,
    line_heat,
    report,
    settings_profiles,
)
from roofline_lsp.server.session.app import ANALYSED

SAXPY = "__global__ void saxpy(int n, float* y) {\n    y[i] = 1.0f;\n}\n"
MAIN = SAXPY + "int main() { saxpy<<<1, 2>>>(3, y); }\n"


async def ask(session: Any, method: str, **params: Any) -> Any:
    return await session.client.protocol.send_request_async(method, params)


def document(uri: str) -> dict[str, str]:
    return {"uri": uri}


async def test_inlay_hints_of_a_session(start_session: Any, profile: str) -> None:
    session = await start_session(profile)
    uri = session.open("main.cu", MAIN)
    where = types.Range(types.Position(0, 0), types.Position(9, 0))
    asked = types.InlayHintParams(types.TextDocumentIdentifier(uri), where)
    (hint,) = await session.client.text_document_inlay_hint_async(asked)
    assert (hint.position.line, hint.label) == (1, "100% DRAM")
    session.replace(uri, "int x;\n" + MAIN)
    (moved,) = await session.client.text_document_inlay_hint_async(asked)
    assert moved.position.line == 2


async def test_line_heat_of_a_session(start_session: Any) -> None:
    session = await start_session()
    uri = session.open("main.cu", MAIN)
    (heat,) = await ask(session, line_heat.METHOD, textDocument=document(uri))
    assert heat == {"line": 1, "share": 1, "resource": "DRAM", "kernel": "saxpy"}
    assert await ask(session, line_heat.METHOD, textDocument=document("file:///no.cu")) == []


async def test_actions_of_a_session(start_session: Any) -> None:
    session = await start_session(options={"clientCommands": ["roofline.showDetails"]})
    uri = session.open("main.cu", MAIN)
    row = types.Range(types.Position(0, 3), types.Position(0, 3))

    async def titles(context: types.CodeActionContext) -> list[str]:
        asked = types.CodeActionParams(types.TextDocumentIdentifier(uri), row, context)
        found = await session.client.text_document_code_action_async(asked)
        return [each.title for each in found if not each.title.startswith(("Suggest", "Show"))]

    (title,) = await titles(types.CodeActionContext([]))
    assert title.startswith("Roofline: Bandwidth-bound, 93% sure")
    automatic = types.CodeActionTriggerKind.Automatic
    assert await titles(types.CodeActionContext([], trigger_kind=automatic)) == []
    fixes = [types.CodeActionKind.SourceFixAll]
    assert await titles(types.CodeActionContext([], only=fixes)) == []


async def test_gpus_of_a_session(start_session: Any) -> None:
    session = await start_session(server="real", configuration={"gpu": "a100", "clock": "base"})
    await session.hover(session.open("main.cu", MAIN), 0, 17)
    found = await ask(session, gpus.METHOD, textDocument=document(session.uri("main.cu")))
    assert found.current == "A100 SXM4 40GB"
    assert found.clock == "base"
    known = {gpu.name: gpu for gpu in found.gpus}
    assert known[found.current].memory_bandwidth_gbs == 1555
    assert round(known[found.current].ridge.fp64 / known[found.current].ridge.fp32, 6) == 0.5
    without = await ask(session, gpus.METHOD)
    assert [gpu.name for gpu in without.gpus] == list(known)
    one = await ask(
        session, gpus.METHOD, textDocument=document(session.uri("a.cu")), only="current"
    )
    assert [gpu.name for gpu in one.gpus] == ["A100 SXM4 40GB"]


PROFILES = """
[profiles.small]
args = "16 2"
[profiles.big]
gpu = "Slow ALU"
notes = true
[profiles.big.kernels.saxpy]
n = "64Mi"
"""


async def test_profiles_of_the_settings_file_are_listed_and_chosen(
    start_session: Any, tmp_path: Path
) -> None:
    (tmp_path / "roofline.toml").write_text(PROFILES)
    session = await start_session(configuration={})
    uri = session.open("main.cu", MAIN)
    found = await ask(session, settings_profiles.METHOD, textDocument=document(uri))
    assert [(each.name, each.sets) for each in found.profiles] == [
        ("small", "args = 16 2"),
        ("big", "gpu = Slow ALU, notes = true, kernels"),
    ]
    assert found.current is None
    session.client.set_configuration({"roofline": {"settingsProfile": "big"}})
    session.client.workspace_did_change_configuration(types.DidChangeConfigurationParams(None))

    async def lens() -> str:
        return str((await session.titles(uri))[0]).split(",")[0]

    await session.until_answer(lens, "Compute-bound")
    without = await ask(session, settings_profiles.METHOD)
    assert (without.current, len(without.profiles)) == ("big", 2)


async def edit(session: Any, profile: str | None, *becomes: str) -> Any:
    names = ("name", "args", "sizes")
    wanted = dict(zip(names, becomes, strict=True)) if becomes else None
    return await ask(session, edit_profile.METHOD, profile=profile, becomes=wanted)


async def test_a_profile_is_added_and_the_file_made_where_there_is_none(
    start_session: Any, tmp_path: Path
) -> None:
    session = await start_session(configuration={})
    answer = await edit(session, None, "n = 4096", "4096 'a b'", "n = 4Ki, grid = 16\nsax*: k = 2")
    assert (answer.uri, answer.exists) == ((tmp_path / "roofline.toml").as_uri(), False)
    (tmp_path / "roofline.toml").write_text(answer.text)
    assert not hasattr(answer, "problem")
    session.client.workspace_did_change_watched_files(
        types.DidChangeWatchedFilesParams(
            [types.FileEvent(answer.uri, types.FileChangeType.Created)]
        )
    )
    found = await ask(session, settings_profiles.METHOD)
    (one,) = found.profiles
    assert (one.name, one.args, one.editable) == ("n = 4096", "4096 'a b'", True)
    assert one.sizes == "n = 4Ki, grid = (16, 1, 1)\nsax*: k = 2"


async def test_what_is_wrong_with_a_profile_is_told_by_field(
    start_session: Any, tmp_path: Path
) -> None:
    (tmp_path / "roofline.toml").write_text('settings-profile = "small"\n' + PROFILES)
    session = await start_session(configuration={})

    async def wrong(profile: str | None, *becomes: str) -> tuple[str, str]:
        problem = (await edit(session, profile, *becomes)).problem
        return problem.field, problem.message

    many = "a name has 1 to 60 characters that can be seen"
    assert await wrong(None, " ", "1", "") == ("name", many)
    assert await wrong(None, "big", "1", "") == ("name", "there is a set 'big' already")
    unread = "a shell cannot read this: no closing quotation"
    assert await wrong("big", "big", "'a", "") == ("args", unread)
    assert await wrong(None, "x", "", "") == ("args", "give arguments, or sizes below")
    field, message = await wrong("big", "big", "", "saxpy: n = many")
    assert (field, message.split(": ")[:2]) == ("sizes", ["'saxpy", "n = many'"])
    field, message = await wrong("big", "big", "", "large")
    assert (field, "not 'large'" in message) == ("sizes", True)
    field, message = await wrong("small")
    assert (field, "settings-profile" in message) == ("name", True)
    gone = await edit(session, "big")
    assert "[profiles.small]" in gone.text
    assert "big" not in gone.text


async def test_without_a_settings_file_there_are_no_profiles(start_session: Any) -> None:
    session = await start_session()
    found = await ask(session, settings_profiles.METHOD)
    assert (found.current, list(found.profiles)) == (None, [])


async def test_kernels_are_compared_for_gpus(start_session: Any) -> None:
    session = await start_session()
    uri = session.open("main.cu", MAIN)
    names = ["Slow ALU", "no such GPU", "RTX 3080"]
    slow, unknown, fast = await ask(session, compare.METHOD, textDocument=document(uri), gpus=names)
    assert slow["gpu"]["name"] == "Slow ALU"
    assert [k["prediction"]["class"] for k in slow["files"][0]["kernels"]] == ["CB"]
    assert unknown is None
    assert [k["prediction"]["class"] for k in fast["files"][0]["kernels"]] == ["BB"]
    assert await ask(
        session, compare.METHOD, textDocument=document("file:///no.cu"), gpus=names
    ) == [
        None,
        None,
        None,
    ]
    many = await ask(session, compare.METHOD, textDocument=document(uri), gpus=["RTX 3080"] * 20)
    assert len(many) == compare.MOST_GPUS


async def test_the_report_of_a_file_that_is_not_open(start_session: Any) -> None:
    session = await start_session()
    (session.folder / "closed.cu").write_text(MAIN)
    found = await ask(session, report.METHOD, textDocument=document(session.uri("closed.cu")))
    assert [kernel.base_name for kernel in found.files[0].kernels] == ["saxpy"]
    for uri in (session.uri("gone.cu"), "untitled:Untitled-1"):
        assert await ask(session, report.METHOD, textDocument=document(uri)) is None


async def test_a_client_that_asks_is_told_of_analyses(start_session: Any) -> None:
    told: list[tuple[str, int]] = []
    session = await start_session(options={"clientNotifications": [ANALYSED]})

    @session.client.feature(ANALYSED)  # type: ignore[untyped-decorator]
    def analysed(params: Any) -> None:
        told.append((params.uri, params.version))

    uri = session.open("main.cu", MAIN)
    await session.until(lambda: (uri, 1) in told)
    session.insert(uri, 0, 0, "\n")
    await session.until(lambda: (uri, 2) in told)


async def test_hints_are_asked_for_again_when_files_change(start_session: Any) -> None:
    session = await start_session()
    refreshed: list[None] = []

    @session.client.feature(types.WORKSPACE_INLAY_HINT_REFRESH)  # type: ignore[untyped-decorator]
    def refresh(_: None) -> None:
        refreshed.append(None)

    uri = session.open("main.cu", MAIN)
    where = types.Range(types.Position(0, 0), types.Position(9, 0))
    asked = types.InlayHintParams(types.TextDocumentIdentifier(uri), where)
    await session.client.text_document_inlay_hint_async(asked)
    session.client.set_configuration({"roofline": {"gpu": "Slow ALU"}})
    session.client.workspace_did_change_configuration(types.DidChangeConfigurationParams({}))
    await session.until(lambda: bool(refreshed))


async def test_the_kernel_files_of_a_session(start_session: Any) -> None:
    session = await start_session(server="command")
    for name, text in {
        "main.cu": MAIN,
        "inner/k.h": SAXPY,
        "inner/region.cpp": "void f() {\n#pragma omp target\n{}\n}\n",
        "plain.cpp": "int main() {}\n",
    }.items():
        path = session.folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    told = await ask(session, kernel_files.METHOD)
    names = ("main.cu", "inner/k.h", "inner/region.cpp")
    assert told.files == [session.uri(name) for name in names]
    assert told.problems == []
