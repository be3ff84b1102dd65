"""Where a hover answers, where lenses stand, and what stays while code is broken."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types

SPLIT = """\
#include <cstdlib>
// Divides.
template <typename T, int N>
__global__ void
__launch_bounds__(256)
split(int n, int w, const T *x,
      T *y)
{
    __shared__ int part[256];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int r = i % w;
    int a = x[i];

    // a comment
    part[threadIdx.x] = a;
    __syncthreads();
    y[i] = r
           + a
           + N;
}

int main() {
    int n = 1 << 24;
    int *x, *y;
    cudaMalloc(&x, n * 4);
    cudaMalloc(&y, n * 4);
    split<int, 3>
        <<<n / 256,
           256>>>(n, 37, x, y);
    return 0;
}
"""


@pytest.fixture
def lines() -> list[str]:
    return list[str](SPLIT.splitlines())


async def test_a_kernel_answers_all_over_its_declaration_and_its_launch(
    start_session: Any, lines: list[str]
) -> None:
    session = await start_session(server="real", options={"whatIf": []})
    uri = session.open("split.cu", SPLIT)
    await session.pulled(uri)
    at_name = await session.hover_text(uri, 5, lines[5].index("split"))
    assert at_name.splitlines()[0].startswith(
        "**Bandwidth-bound** on RTX 3080 10GB (boost clock): INT "
    )
    assert at_name.splitlines()[1].startswith("**Time is set by ")
    for row, word in (
        (2, "template"),
        (2, "typename"),
        (3, "__global__"),
        (3, "void"),
        (4, "__launch_bounds__"),
        (5, "int w"),
        (6, "*y"),
        (7, "{"),
        (26, "split"),
        (26, "3>"),
        (27, "<<<"),
        (27, "n / 256"),
        (28, ">>>"),
        (28, "37"),
    ):
        assert await session.hover_text(uri, row, lines[row].index(word)) == at_name, (row, word)
    for row in (0, 1, 20, 21, 22, 29):
        assert await session.hover(uri, row, 1) is None, row
    (lens,) = await session.lenses(uri)
    assert lens.range.start == types.Position(2, 0)


async def test_every_line_of_a_body_answers(start_session: Any, lines: list[str]) -> None:
    session = await start_session(server="real", options={"whatIf": []})
    uri = session.open("split.cu", SPLIT)
    await session.pulled(uri)

    async def said(row: int) -> str:
        indent = len(lines[row]) - len(lines[row].lstrip())
        return str(await session.hover_text(uri, row, indent)).partition("\n")[0]

    shared = await said(8)
    assert shared.startswith(
        "No cost of `split` is charged to this line: `part` is charged where it is used: line 15 ("
    )
    assert await said(12) == "No operations and no bytes of `split` are on this line"
    assert await said(13) == "No operations and no bytes of `split` are on this line"
    assert await said(15) == (
        "A barrier of `split`: no operations and no bytes; what threads wait here is in the"
        " kernel's latency"
    )
    assert (await said(17)).startswith(
        "Part of the statement of line 17 of `split`; its cost is charged to line 17 ("
    )
    assert await said(19) == "No operations and no bytes of `split` are on this line"
    for row in range(8, 20):
        assert await said(row) != "None", row


async def test_a_use_in_a_later_line_of_a_statement_is_charged_where_the_statement_is(
    start_session: Any, lines: list[str]
) -> None:
    session = await start_session(server="real", options={"whatIf": []})
    uri = session.open("split.cu", SPLIT.replace("= r\n", "= N\n").replace("+ N;", "+ r;"))
    await session.pulled(uri)
    said = str(await session.hover_text(uri, 10, 8)).partition("\n")[0]
    assert said.startswith(
        "No cost of `split` is charged to this line: `r` is charged where it is used: line 17 ("
    )


async def test_findings_stand_in_the_hover_of_the_kernel_and_of_their_line(
    start_session: Any, lines: list[str]
) -> None:
    session = await start_session(server="real", options={"whatIf": []})
    more = SPLIT.replace("= x[i];", "= x[i] / w + (x[i] % w) % n + (x[i] + 7) / w;")
    uri = session.open("split.cu", more.replace("= i % w;", "= i % w + (i / w) % n;"))
    found = await session.pulled(uri)
    (division,) = [each for each in found if each.code == "RL205"]
    first, _, rest = division.message.partition(": ")
    assert re.fullmatch(r"\d\.\d\dx as fast \(\S+ µs -> \S+ µs\)", first)
    gained = first.partition(" (")[0].replace("x", "×")
    assert rest.startswith("'/ w', '% n', '% w': integer division by a number that the")
    kernel = await session.hover_text(uri, 3, 0)
    item = f"- **{gained}**: "
    assert kernel.split("\n\n")[1].startswith(item)
    assert "(lines 11, 12, RL205)" in kernel.split("\n\n")[1]
    for row in (10, 11):
        assert item in await session.hover_text(uri, row, 4), row
    (lens,) = await session.lenses(uri)
    assert lens.command.title.startswith("Bandwidth-bound, ")
    assert lens.command.title.endswith(f" | 1 finding, {gained.partition(' ')[0]}")


async def test_what_an_edit_did_is_told_until_it_is_saved(start_session: Any) -> None:
    session = await start_session(server="real", options={"whatIf": []})
    uri = session.open("split.cu", SPLIT)
    (before,) = await session.titles(uri)
    assert "since saved" not in before
    session.replace(uri, SPLIT.replace("n / 256,", "n / 512,"))
    (title,) = await session.titles(uri)
    (told,) = [part for part in title.split(" | ") if "since saved" in part]
    old, _, new = told.removesuffix(" since saved").partition(" -> ")
    assert old in before
    assert f" {new} on RTX 3080" in title
    assert told in (await session.hover_text(uri, 3, 0)).splitlines()[2]
    session.client.text_document_did_save(
        types.DidSaveTextDocumentParams(types.TextDocumentIdentifier(uri))
    )

    async def still_told() -> bool:
        return "since saved" in (await session.titles(uri))[0]

    await session.until_answer(still_told, False)


BROKEN = (
    ("    part[threadIdx.x] = a;\n", "    part[threadIdx.x] = a;\n    if (a\n", 16),
    ("           + N;\n}\n", "           + N;\n", 19),
    ("<<<n / 256,", "<<<n / 256, (", 28),
)


@pytest.mark.parametrize(("part", "broken", "line"), BROKEN)
async def test_while_code_is_broken_what_was_known_stays(
    start_session: Any, part: str, broken: str, line: int
) -> None:
    session = await start_session(server="real", options={"whatIf": []})
    uri = session.open("split.cu", SPLIT)
    (before,) = await session.titles(uri)
    everything = types.Range(types.Position(0, 0), types.Position(99, 0))

    async def hints() -> list[str]:
        asked = types.InlayHintParams(types.TextDocumentIdentifier(uri), everything)
        return [each.label for each in await session.client.text_document_inlay_hint_async(asked)]

    known = await hints()
    assert known
    session.replace(uri, SPLIT.replace(part, broken))
    (lens,) = await session.lenses(uri)
    assert lens.range.start == types.Position(2, 0)
    assert lens.command.title in (before, f"{before} | before the syntax error at line {line}")
    syntax = [each for each in await session.pulled(uri) if each.code == "broken-code"]
    assert [each.range.start.line + 1 for each in syntax] == [line]
    assert syntax[0].message.endswith("; what is shown of this file is from before this edit")
    assert [each.removesuffix(" before the error") for each in await hints()] == known
    said = await session.hover_text(uri, 3, 0)
    if lens.command.title != before:
        assert said.startswith(f"As before the syntax error at line {line}:\n\n**Bandwidth-bound**")
    session.replace(uri, SPLIT)
    await session.until_answer(lambda: session.titles(uri), [before])
    assert [each for each in await session.pulled(uri) if each.code == "broken-code"] == []


async def test_a_kernel_is_shown_before_the_first_analysis_of_its_file_ends(
    start_session: Any, tmp_path: Path
) -> None:
    session = await start_session()
    allowed = tmp_path / "allowed"
    one = "__global__ void one(float *x) {\n    *x = 1.0f;\n}\n"
    uri = session.open("two.cu", one + one.replace("one", "two") + f"// LOOK until {allowed}\n")
    both = [session.quick_hover(uri, row, 18) for row in (0, 3)]
    for hover in await asyncio.gather(*both):
        caveat, _, said = str(hover.contents.value).partition("\n\n")
        assert caveat.startswith("A first look:")
        assert said.startswith("**Bandwidth-bound**")
    allowed.touch()
    await session.pulled(uri)
    assert str(await session.hover_text(uri, 3, 18)).startswith("**Bandwidth-bound**")


async def test_kernels_say_that_the_first_analysis_is_under_way(
    start_session: Any, tmp_path: Path
) -> None:
    session = await start_session()
    allowed = tmp_path / "allowed"
    text = f"__global__ void slow(float *x) {{\n    *x = 1.0f;\n}}\n// STEADY until {allowed}\n"
    uri = session.open("slow.cu", text)
    assert "still running" in str(await session.hover_text(uri, 0, 18))
    assert await session.hover(uri, 1, 6) is None  # other servers may answer
    allowed.touch()
    await session.pulled(uri)
    assert str(await session.hover_text(uri, 0, 18)).startswith("**Bandwidth-bound**")
