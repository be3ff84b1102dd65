"""Whole sessions with the real analyser."""

from __future__ import annotations

import re
from typing import Any

from lsprotocol import types

POLYNOMIAL = """\
#include "constants.cuh"

// Größe 😀
__global__ void horner(int n, const double *x, double *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        double r = 0.0;
        for (int k = 0; k < DEGREE; k++) {
            r = r * x[i] + 1.5;
        }
        y[i] = r;
    }
}

int main() {
    const int n = 1 << 22;
    double *x, *y;
    cudaMalloc(&x, n * sizeof(double));
    cudaMalloc(&y, n * sizeof(double));
    /* é */ horner<<<(n + 255) / 256, 256>>>(n, x, y);
    return 0;
}
"""
CONSTANTS = "#define DEGREE 32\n"
NAME = (3, 18)
LAUNCH = (19, 14)
MULTIPLY = (8, 12)
DECLARATION = (16, 12)


async def complete(session: Any, uri: str, line: int, character: int, *, part: str) -> str:
    """What a hover shows when what it did not wait for is there."""
    text: str = ""
    for _ in range(50):
        text = await session.hover_text(uri, line, character)
        if part in text:
            return text
    raise AssertionError(text)


async def test_a_kernel_from_name_to_line(start_session: Any, profile: str) -> None:
    session = await start_session(profile, server="real")
    (session.folder / "constants.cuh").write_text(CONSTANTS)
    uri = session.open("horner.cu", POLYNOMIAL)
    at_name = await complete(session, uri, *NAME, part=" | ")
    assert at_name.replace("*", "").startswith("Compute-bound on RTX 3080 10GB (boost clock): ")
    assert "\n\nA100 BB | H100 BB | RTX 4090 CB | MI300X BB\n\n" in at_name
    assert ": DP 6.5× above its ridge, " in at_name
    assert "16384 blocks of 256 threads" in at_name
    assert "= 4194304 ← horner.cu:16" in at_name
    assert at_name.count("33.6 MB") >= 2
    assert await session.hover_text(uri, *LAUNCH) == at_name

    line = (await session.hover_text(uri, *MULTIPLY)).replace("*", "").replace("`", "")
    assert line.startswith("100% of the DP operations of horner: 268 Mflop")
    for place in ((0, 12), (13, 0)):
        assert await session.hover(uri, *place) is None

    (title,) = await session.titles(uri)
    assert title.startswith("Compute-bound, ")
    assert "DP 4 flop/B" in title
    assert title.endswith(" on RTX 3080 10GB: DP arithmetic, 134 M thread instructions")
    if profile != "emacs":
        assert await session.pulled(uri) == []


async def test_an_edit_and_a_header_change_the_class(start_session: Any) -> None:
    session = await start_session(server="real")
    header = session.folder / "constants.cuh"
    header.write_text(CONSTANTS)
    uri = session.open("horner.cu", POLYNOMIAL)
    assert (await session.titles(uri))[0].startswith("Compute-bound, ")
    session.replace(uri, POLYNOMIAL.replace("k < DEGREE", "k < 1"))
    assert (await session.titles(uri))[0].startswith("Bandwidth-bound, ")
    session.replace(uri, POLYNOMIAL)
    assert (await session.titles(uri))[0].startswith("Compute-bound, ")

    other = session.open("constants.cuh", "#define DEGREE 1\n")

    async def starts_with(start: str) -> bool:
        return str((await session.titles(uri))[0]).startswith(start)

    await session.until_answer(lambda: starts_with("Bandwidth-bound, "), True)
    session.close(other)
    await session.until_answer(lambda: starts_with("Compute-bound, "), True)

    # Changed outside of the editor, and nobody tells: seen with the next edit.
    header.write_text("#define DEGREE 2\n")
    session.insert(uri, 2, 0, "// ")
    assert (await session.titles(uri))[0].startswith("Bandwidth-bound, ")


async def test_another_gpu_changes_the_class(start_session: Any) -> None:
    session = await start_session(server="real", configuration={"gpu": "RTX 3080"})
    (session.folder / "constants.cuh").write_text(CONSTANTS)
    uri = session.open("horner.cu", POLYNOMIAL)
    assert (await session.titles(uri))[0].startswith("Compute-bound, ")
    session.client.set_configuration({"roofline": {"gpu": "A100 SXM4 40GB"}})
    session.client.workspace_did_change_configuration(types.DidChangeConfigurationParams(None))
    await session.until(lambda: session.refreshes > 0)
    (title,) = await session.titles(uri)
    assert title.startswith("Bandwidth-bound, ")
    assert " on A100 SXM4 40GB: DRAM, " in title
    assert (await session.hover_text(uri, *NAME)).startswith("**Bandwidth-bound** on A100")


async def test_an_unknown_gpu_is_told_with_what_is_meant(start_session: Any) -> None:
    session = await start_session(server="real", options={"gpu": "RTX 308"})
    (session.folder / "constants.cuh").write_text(CONSTANTS)
    uri = session.open("horner.cu", POLYNOMIAL)
    assert (await session.titles(uri))[0].endswith(
        " on RTX 3080 10GB: DP arithmetic, 134 M thread instructions"
    )
    (message,) = session.client.messages
    assert "initialization options: 'gpu': " in message.message
    assert "RTX 3080" in message.message


async def test_a_kernel_launched_from_another_file(start_session: Any) -> None:
    session = await start_session(server="real")
    (session.folder / "constants.cuh").write_text(CONSTANTS)
    kernel, host = POLYNOMIAL.split("int main")
    (session.folder / "kernel.cuh").write_text(kernel)
    uri = session.open("main.cu", '#include "kernel.cuh"\nint main' + host)
    text = await session.hover_text(uri, 6, 14)
    assert text.startswith("**Compute-bound**")
    assert await session.lenses(uri) == []


async def test_an_untitled_document(start_session: Any) -> None:
    session = await start_session(server="real")
    source = POLYNOMIAL.replace('#include "constants.cuh"', "#define DEGREE 32")
    uri = session.open("untitled:Untitled-1", source)
    assert (await session.hover_text(uri, *NAME)).startswith("**Compute-bound**")
    assert len(await session.lenses(uri)) == 1


async def test_broken_code(start_session: Any) -> None:
    session = await start_session(server="real")
    uri = session.open("broken.cu", POLYNOMIAL)
    for cut in range(40, len(POLYNOMIAL), 60):
        session.replace(uri, POLYNOMIAL[:cut])
        await session.lenses(uri)
        await session.pulled(uri)
        await session.hover(uri, *MULTIPLY)
    session.replace(uri, "}}}} __global__ <<<>>> template < \x00 \ud800 #if /*")
    assert await session.lenses(uri) == []
    errors = [log.message for log in session.client.log_messages if "not analysed" in log.message]
    assert errors == []


SCALE = """\
__global__ void scale(int n, int rounds, float *x) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float v = x[i];
    for (int k = 0; k < rounds; k++) v = v * v + 1.0f;
    x[i] = v;
}
int main(int argc, char **argv) {
    int rounds = argc > 1 ? atoi(argv[1]) : 8;
    float *x;
    cudaMalloc(&x, 4 << 22);
    scale<<<(1 << 22) / 256, 256>>>(1 << 22, rounds, x);
}
"""


async def test_the_size_at_which_the_class_changes(start_session: Any) -> None:
    session = await start_session("vscode", server="real", options={"whatIf": ["A100"]})
    uri = session.open("scale.cu", SCALE)
    text = await complete(session, uri, 0, 18, part="A100")
    assert re.search(r"\n\nA100 BB · CB from rounds >= \d+\n\n", text)


async def test_no_other_gpu_where_none_is_wanted(start_session: Any) -> None:
    session = await start_session("vscode", server="real", options={"whatIf": []})
    uri = session.open("scale.cu", SCALE)
    assert "A100" not in await session.hover_text(uri, 0, 18)


TWO = """\
__global__ void once(float *x) { int i = blockIdx.x * 256 + threadIdx.x; x[i] = x[i] * 2.0f; }
__global__ void other(float *x) { x[0] = 1.0f; }
void go(float *x) { once<<<4096, 256>>>(x); other<<<1, 1>>>(x); }
"""


async def test_variants_of_a_kernel_are_compared(start_session: Any) -> None:
    """Of the text in the editor with one that a client hands over, and with another kernel."""
    session = await start_session(server="real")
    uri = session.open("two.cu", TWO)
    document = {"uri": uri}

    async def compared(*variants: dict[str, Any]) -> Any:
        asked = {"variants": list(variants)}
        return await session.client.protocol.send_request_async("roofline/compare", asked)

    at = {"textDocument": document, "position": {"line": 0, "character": 20}}
    before = {"textDocument": document, "text": TWO.replace("* 2.0f", ""), "label": "HEAD"}
    found = await compared(before, at)
    assert getattr(found, "problem", None) is None, found.problem
    assert found.title == "Comparison of once"
    rows = [" ".join(line.split()) for line in found.markdown.splitlines()]
    assert "| | `HEAD` | `two.cu` |" in rows
    # A multiplication in each of 4096 * 256 threads.
    assert "| SP operations | 0 | 1.05 M |" in rows
    other = {"textDocument": document, "position": {"line": 1, "character": 20}}
    assert "| kernel | once | other |" in " ".join((await compared(at, other)).markdown.split())
    session.replace(uri, TWO.replace("* 2.0f", "* 2.0f + 1.0f"))
    changed = [" ".join(row.split()) for row in (await compared(before, at)).markdown.split("\n")]
    assert "| SP operations | 0 | 2.1 M |" in changed
    assert (await compared(at)).problem == "from 2 to 8 variants are compared"
    none = {"textDocument": document, "text": "int x;"}
    assert "no kernel is defined in this file" in (await compared(at, none)).problem
    assert await session.hover_text(uri, 0, 18)


async def test_a_kernel_is_explained_at_its_name_in_its_body_and_at_its_launch(
    start_session: Any,
) -> None:
    session = await start_session(server="real")
    (session.folder / "constants.cuh").write_text(CONSTANTS)
    uri = session.open("horner.cu", POLYNOMIAL)

    async def explained(line: int, character: int) -> Any:
        params = {
            "textDocument": {"uri": uri},
            "position": {"line": line, "character": character},
        }
        return await session.client.protocol.send_request_async("roofline/explain", params)

    texts = [await explained(*at) for at in (NAME, MULTIPLY, LAUNCH)]
    assert {found.title for found in texts} == {"Explanation of horner"}
    assert len({found.text for found in texts}) == 1
    lines = texts[0].text.splitlines()
    assert "     n = 4194304  written in the source at horner.cu:16" in lines
    assert [line[2] for line in lines if re.match(r"  \d  ", line)] == [*"12345678"]
    assert any(re.match(r" +8 +unrolled, 32 runs +4.19 M ", line) for line in lines)
    assert await explained(*DECLARATION) is None
