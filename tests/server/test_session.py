"""Whole sessions, with a fake analyser, for three kinds of clients."""

from __future__ import annotations

import asyncio
import os
import signal
from typing import Any

import pytest
from lsprotocol import types

from .conftest import PATIENCE_S

SAXPY = """\
// Größe 😀
__global__ void saxpy(int n, float a, float *x) {
    int i = blockIdx.x;
    x[i] = a * x[i];
}

int main() {
    /* 😀é */ saxpy<<<3907, 256>>>(1000000, 2.0f, x);
    return 0;
}
"""
NAME = (1, 16)
LINE = (3, 6)
NOTHING = (8, 6)

TITLE = "Bandwidth-bound, 93% sure | SP 0.25 flop/B (ridge 40) | 10.5 µs on RTX 3080"

ENCODINGS = {"vscode": "utf-16", "neovim": "utf-8", "emacs": "utf-32"}
LAUNCH_COLUMN = {"vscode": 14, "neovim": 17, "emacs": 13}
"""Of the ``s`` of ``saxpy`` on the launch line."""


async def test_a_session_of_each_client(start_session: Any, profile: str) -> None:
    session = await start_session(profile)
    assert session.result.capabilities.position_encoding == ENCODINGS[profile]
    uri = session.open("saxpy.cu", SAXPY)

    at_name = await session.hover(uri, *NAME)
    assert isinstance(at_name.contents, types.MarkupContent)
    markdown = profile != "emacs"
    assert at_name.contents.kind.value == ("markdown" if markdown else "plaintext")
    answer = at_name.contents.value.splitlines()[0]
    verdict = "**Bandwidth-bound**" if markdown else "Bandwidth-bound"
    assert answer == f"{verdict} on RTX 3080 (boost clock): SP 160× below its ridge, 93% sure"
    assert at_name.range == types.Range(types.Position(1, 16), types.Position(1, 21))

    column = LAUNCH_COLUMN[profile]
    at_launch = await session.hover(uri, 7, column)
    assert at_launch.contents == at_name.contents
    assert at_launch.range == types.Range(types.Position(7, column), types.Position(7, column + 5))
    beside = await session.hover(uri, 7, column - 2)
    assert beside.contents == at_name.contents
    assert beside.range is None

    line = await session.hover_text(uri, *LINE)
    assert "100% of the DRAM traffic" in line.splitlines()[0]
    assert "saxpy" in line.splitlines()[0]
    assert await session.hover(uri, *NOTHING) is None

    (lens,) = await session.lenses(uri)
    assert lens.range.start == types.Position(1, 0)
    assert lens.command.title == TITLE
    assert lens.command.command == ""

    session.insert(uri, 0, 0, "// above\n")
    (lens,) = await session.lenses(uri)
    assert lens.range.start.line == 2
    session.close(uri)
    assert await session.hover(uri, *NAME) is None
    await session.client.shutdown_session()
    assert session.client._server.returncode == 0


async def test_the_lens_runs_the_command_of_a_client_that_has_it(start_session: Any) -> None:
    session = await start_session(options={"clientCommands": ["roofline.showDetails"]})
    uri = session.open("saxpy.cu", SAXPY)
    (lens,) = await session.lenses(uri)
    assert lens.command.command == "roofline.showDetails"
    assert list(lens.command.arguments) == [uri, {"line": 1, "character": 16}]
    assert session.client.messages == []


async def test_an_edit_changes_what_is_said(start_session: Any, profile: str) -> None:
    session = await start_session(profile)
    uri = session.open("saxpy.cu", SAXPY)
    assert len(await session.lenses(uri)) == 1
    session.replace(uri, SAXPY + "__global__ void other(int n) {\n}\n")
    assert len(await session.lenses(uri)) == 2
    assert "other" not in (await session.hover_text(uri, 10, 18))
    assert (await session.hover_text(uri, 10, 18)).startswith(("**Band", "Band"))
    session.replace(uri, "int nothing;\n")
    assert await session.lenses(uri) == []
    assert await session.hover(uri, 0, 5) is None


async def test_broken_code_is_answered(start_session: Any) -> None:
    session = await start_session()
    uri = session.open("broken.cu", SAXPY[:60])
    await session.lenses(uri)
    session.replace(uri, "}}}} __global__ <<<>>> \x00 \ud800")
    assert await session.lenses(uri) == []
    session.replace(uri, SAXPY)
    assert len(await session.lenses(uri)) == 1


async def test_two_documents_do_not_mix(start_session: Any) -> None:
    session = await start_session()
    one = session.open("one.cu", SAXPY)
    two = session.open("two.cu", SAXPY.replace("saxpy", "triad") + "\n// PROBLEM\n")
    assert await session.hover(two, *NAME) is not None
    assert (await session.hover_text(one, *LINE)).splitlines()[0].endswith("of `saxpy`: 8 MB read")
    assert (await session.hover_text(two, *LINE)).splitlines()[0].endswith("of `triad`: 8 MB read")
    assert await session.pulled(one) == []
    assert len(await session.pulled(two)) == 1
    session.close(one)
    assert await session.hover(two, *NAME) is not None


async def test_a_kernel_of_an_included_file(start_session: Any) -> None:
    session = await start_session()
    (session.folder / "k.cuh").write_text(SAXPY.replace("saxpy", "axpy").replace("main", "f"))
    uri = session.open("main.cu", '#include "k.cuh"\nint main() { axpy<<<1, 2>>>(); }\n')
    assert (await session.hover_text(uri, 1, 14)).startswith("**Bandwidth-bound**")
    assert await session.hover(uri, 1, 4) is None
    # Unsaved text of the included file goes before what is on disk.
    header = session.open("k.cuh", "int empty;\n")
    await session.until_answer(lambda: session.hover(uri, 1, 14), None)
    session.close(header)
    await session.until_answer(
        lambda: session.hover_text(uri, 1, 14), await session.hover_text(uri, 1, 14)
    )


async def test_an_untitled_document(start_session: Any) -> None:
    session = await start_session()
    uri = session.open("untitled:Untitled-1", SAXPY)
    assert len(await session.lenses(uri)) == 1
    assert (await session.hover_text(uri, *NAME)).startswith("**Bandwidth-bound**")


SOURCES = [
    ("a b ü.cu", "cuda-cpp"),
    ("file:///C:/src/k.cu", "cuda-cpp"),
    ("file:///c%3A/src/k%20k.cu", "cpp"),
    ("k.cu", "cpp"),
    ("plain.h", "plaintext"),
    ("noext", "cuda"),
]
OTHERS = [
    ("notes.txt", "plaintext", SAXPY + "// CRASH"),
    ("plain.cpp", "cpp", "int main() { return 0; } // CRASH"),
    ("omp.c", "c", "#pragma omp parallel for\nfor (;;); // CRASH"),
]


async def test_sources_are_known_by_name_or_language(start_session: Any) -> None:
    session = await start_session()
    found = {
        name: len(await session.lenses(session.open(name, SAXPY, language)))
        for name, language in SOURCES
    }
    assert found == {name: 1 for name, _ in SOURCES}


async def test_other_files_are_not_analysed(start_session: Any) -> None:
    session = await start_session()
    for name, language, text in OTHERS:
        uri = session.open(name, text, language)
        assert await session.lenses(uri) == []
        assert await session.hover(uri, 0, 5) is None
    assert session.client.messages == []


async def test_diagnostics_are_pulled_or_pushed(start_session: Any, profile: str) -> None:
    session = await start_session(profile)
    uri = session.open("p.cu", SAXPY + "  int j; // PROBLEM\n")
    if profile == "emacs":
        await session.until(lambda: bool(session.client.diagnostics.get(uri)))
        found = session.client.diagnostics[uri]
    else:
        found = await session.pulled(uri)
        assert uri not in session.client.diagnostics
    (diagnostic,) = found
    assert diagnostic.message == "cannot read this"
    assert diagnostic.severity == types.DiagnosticSeverity.Information
    assert diagnostic.range == types.Range(types.Position(10, 2), types.Position(10, 19))
    if profile == "emacs":
        session.close(uri)
        await session.until(lambda: not session.client.diagnostics[uri])


async def test_another_gpu_changes_the_class(start_session: Any, profile: str) -> None:
    session = await start_session(profile, configuration={"gpu": "RTX 3080"})
    uri = session.open("saxpy.cu", SAXPY)
    assert (await session.titles(uri))[0].startswith("Bandwidth-bound")
    session.client.set_configuration({"roofline": {"gpu": "Slow ALU"}})
    session.client.workspace_did_change_configuration(
        types.DidChangeConfigurationParams({"roofline": {"gpu": "Slow ALU"}})
    )
    expected = "Compute-bound, 93% sure | SP 0.25 flop/B (ridge 0.01) | 10.5 µs on Slow ALU"
    await session.until_answer(lambda: session.titles(uri), [expected])
    assert "Compute-bound" in await session.hover_text(uri, *NAME)
    assert session.client.messages == []


async def test_the_client_is_asked_to_fetch_lenses_again(start_session: Any) -> None:
    session = await start_session("vscode")
    uri = session.open("saxpy.cu", SAXPY)
    assert (await session.titles(uri))[0].startswith("Bandwidth-bound")
    session.client.set_configuration({"roofline": {"gpu": "Slow ALU"}})
    session.client.workspace_did_change_configuration(types.DidChangeConfigurationParams(None))
    await session.until(lambda: session.refreshes > 0)

    async def compute_bound() -> bool:
        return str((await session.titles(uri))[0]).startswith("Compute-bound")

    # The first refresh may be for the configuration that the client had from the start.
    await session.until_answer(compute_bound, True)


async def test_a_settings_file_and_its_change(start_session: Any) -> None:
    session = await start_session()
    file = session.folder / "roofline.toml"
    file.write_text('gpu = "Slow ALU"\n')
    uri = session.open("saxpy.cu", SAXPY)
    assert (await session.titles(uri))[0].startswith("Compute-bound")
    file.write_text('gpu = "RTX 3080"\n')
    session.client.workspace_did_change_watched_files(
        types.DidChangeWatchedFilesParams(
            [types.FileEvent(file.as_uri(), types.FileChangeType.Changed)]
        )
    )
    await session.until_answer(lambda: session.titles(uri), [TITLE])


BAD_SETTINGS = [
    ({"gpuu": "RTX 3080"}, "there is no setting 'gpuu'; did you mean 'gpu'?"),
    ({"gpu": 3080}, "'gpu' must be a text that is not empty, not 3080"),
    ({"gpu": "RTX 9999"}, "'gpu': there is no GPU 'RTX 9999'; known are RTX 3080, Slow ALU"),
    ([], "must be an object with settings such as 'gpu'"),
]


@pytest.mark.parametrize(("bad", "told"), BAD_SETTINGS)
async def test_bad_initialization_options_are_told_once(
    start_session: Any, bad: Any, told: str
) -> None:
    session = await start_session(options=bad)
    uri = session.open("saxpy.cu", SAXPY)
    assert (await session.titles(uri))[0].startswith("Bandwidth-bound")
    session.open("other.cu", SAXPY)
    session.insert(uri, 0, 0, " ")
    assert len(await session.lenses(uri)) == 1
    (message,) = session.client.messages
    assert message.type == types.MessageType.Warning
    assert "initialization options" in message.message
    assert told in message.message


async def test_bad_settings_leave_the_last_good_ones(start_session: Any) -> None:
    session = await start_session(configuration={"gpu": "Slow ALU"})
    uri = session.open("saxpy.cu", SAXPY)
    await session.until_answer(
        lambda: session.titles(uri),
        ["Compute-bound, 93% sure | SP 0.25 flop/B (ridge 0.01) | 10.5 µs on Slow ALU"],
    )
    for bad in ({"gpu": "RTX 9999"}, {"clock": "turbo"}):
        count = len(session.client.messages)
        session.client.set_configuration({"roofline": bad})
        session.client.workspace_did_change_configuration(types.DidChangeConfigurationParams(None))
        await session.until(lambda count=count: len(session.client.messages) > count)
        assert (await session.titles(uri))[0].startswith("Compute-bound")
    messages = [message.message for message in session.client.messages]
    assert len(messages) == 2
    assert "editor settings 'roofline': 'gpu': there is no GPU 'RTX 9999'" in messages[0]
    assert "editor settings 'roofline': 'clock' must be 'base' or 'boost'" in messages[1]


async def test_a_crash_of_the_worker_is_told_once_and_mended(start_session: Any) -> None:
    session = await start_session()
    good = session.open("good.cu", SAXPY)
    assert len(await session.lenses(good)) == 1
    bad = session.open("bad.cu", SAXPY + "// CRASH\n")
    assert await session.lenses(bad) == []
    assert await session.hover(good, *NAME) is not None
    session.insert(bad, 0, 0, "//")
    assert await session.lenses(bad) == []
    assert len(session.client.messages) == 1
    assert "ended unexpectedly with code 3" in session.client.messages[0].message
    session.replace(bad, SAXPY)
    assert len(await session.lenses(bad)) == 1
    assert len(session.client.messages) == 1


async def test_an_endless_analysis_is_ended(start_session: Any) -> None:
    session = await start_session(server="impatient")
    bad = session.open("bad.cu", SAXPY + "// HANG\n")
    good = session.open("good.cu", SAXPY)
    assert len(await session.lenses(good)) == 1
    assert await session.lenses(bad) == []
    (message,) = session.client.messages
    assert "took longer than 4 s" in message.message


async def test_a_fault_in_the_analyser_is_logged(start_session: Any) -> None:
    session = await start_session()
    uri = session.open("bad.cu", SAXPY + "// BUG\n")
    assert await session.lenses(uri) == []
    assert session.client.messages == []
    assert any("ZeroDivisionError" in entry.message for entry in session.client.log_messages)


async def test_a_hover_during_a_long_analysis_uses_the_last_one(start_session: Any) -> None:
    session = await start_session()
    uri = session.open("saxpy.cu", SAXPY)
    assert len(await session.lenses(uri)) == 1
    session.insert(uri, 0, 0, "// SLOW\n")
    text = await session.hover_text(uri, LINE[0] + 1, LINE[1])
    assert "100% of the DRAM traffic" in text
    assert await session.hover(uri, NOTHING[0] + 1, NOTHING[1]) is None
    assert (await session.lenses(uri))[0].range.start.line == 2


async def test_only_the_last_of_many_edits_counts(start_session: Any) -> None:
    session = await start_session()
    uri = session.open("saxpy.cu", "// SLOW\n" + SAXPY)
    for number in range(20):
        session.insert(uri, 0, 0, f"// edit {number}\n")
    (lens,) = await session.lenses(uri)
    assert lens.range.start.line == 22


async def test_a_cancelled_request_does_no_harm(start_session: Any) -> None:
    session = await start_session()
    uri = session.open("saxpy.cu", SAXPY + "// SLOW\n")
    request = asyncio.ensure_future(
        session.client.protocol.send_request_async(
            types.TEXT_DOCUMENT_CODE_LENS,
            types.CodeLensParams(types.TextDocumentIdentifier(uri)),
            msg_id="to-cancel",
        )
    )
    await asyncio.sleep(0)
    session.client.cancel_request(types.CancelParams("to-cancel"))
    with pytest.raises(Exception, match="cancel"):
        await request
    assert len(await session.lenses(uri)) == 1


async def test_a_long_file_is_left_out_with_a_word_in_the_log(start_session: Any) -> None:
    session = await start_session()
    uri = session.open("long.cu", SAXPY + "// " + "x" * 2_000_000)
    assert await session.lenses(uri) == []
    assert session.client.messages == []
    assert any("long.cu is not analysed" in log.message for log in session.client.log_messages)


async def test_prints_do_not_reach_the_client(start_session: Any) -> None:
    session = await start_session()
    uri = session.open("noisy.cu", SAXPY + "// PRINT\n")
    assert len(await session.lenses(uri)) == 1
    assert session.client.error is None


async def test_the_report_of_a_document(start_session: Any) -> None:
    session = await start_session()
    uri = session.open("saxpy.cu", SAXPY)
    request = session.client.protocol.send_request_async(
        "roofline/report", {"textDocument": {"uri": uri}}
    )
    report = await request
    assert report.gpu.name == "RTX 3080"
    assert report.files[0].kernels[0].base_name == "saxpy"


async def test_changes_of_unknown_documents_are_ignored(start_session: Any) -> None:
    session = await start_session()
    uri = session.open("saxpy.cu", SAXPY)
    session.close(uri)
    session.close(uri)
    session.insert(uri, 0, 0, "x")
    assert await session.lenses(uri) == []
    assert len(await session.lenses(session.open("saxpy.cu", SAXPY))) == 1


async def test_exit_without_shutdown_is_an_error(start_session: Any) -> None:
    session = await start_session()
    uri = session.open("saxpy.cu", SAXPY)
    assert len(await session.lenses(uri)) == 1
    session.client.exit(None)
    assert await asyncio.wait_for(session.client._server.wait(), PATIENCE_S) == 1


async def test_the_server_ends_with_its_input(start_session: Any) -> None:
    session = await start_session()
    session.open("saxpy.cu", SAXPY + "// HANG\n")
    session.client._server.stdin.close()
    assert await asyncio.wait_for(session.client._server.wait(), PATIENCE_S) == 1


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs POSIX signals")
async def test_the_worker_ends_with_the_server(start_session: Any) -> None:
    session = await start_session()
    session.open("saxpy.cu", SAXPY + "// HANG\n")
    process = session.client._server
    worker = await _child(process.pid)
    os.kill(process.pid, signal.SIGKILL)
    await process.wait()
    await session.until(lambda: not _runs(worker))


async def _child(parent: int) -> int:
    """The one child of a process, once it is there."""
    async with asyncio.timeout(PATIENCE_S):
        while True:
            for status in _statuses():
                if status.get("PPid") == str(parent):
                    return int(status["Pid"])
            await asyncio.sleep(0.02)


def _statuses() -> list[dict[str, str]]:
    found = []
    for folder in os.listdir("/proc"):  # noqa: PTH208
        if folder.isdigit():
            try:
                with open(f"/proc/{folder}/status") as file:  # noqa: PTH123
                    found.append(dict(line.rstrip("\n").split(":\t", 1) for line in file))
            except OSError:
                continue
    return found


def _runs(process: int) -> bool:
    return any(
        status["Pid"] == str(process) and not status["State"].startswith("Z")
        for status in _statuses()
    )
