"""Build files that were written to hang a reader, exhaust its memory or tell of its machine."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from roofline_analysis.report.report import FileReport
from roofline_core.settings import Settings
from roofline_lsp import analyze

from .texts import KERNEL

NESTED = "".join(f"foreach(i{n} RANGE 1000000000)\n" for n in range(5))
LIST = "1 2 3 4 5 6 7 8 9 10"
LOOPS = "".join(f"$(foreach {name},$(L)," for name in "abcdefgh") + "x" + ")" * 8
CMAKE = {
    "repeat": 'string(REPEAT "x" 2000000000 V)\n',
    "doubling": 'set(V "aaaaaaaaaa")\n' + 'set(V "${V}${V}")\n' * 40,
    "matching": f'string(REGEX MATCH "^(a+)+$" V "{"a" * 40}b")\n',
    "conditions": f'if("{"a" * 40}b" MATCHES "^(a|a)*$")\nendif()\n',
    "numbers": 'math(EXPR V "1 << 100000000000")\n',
    "files": 'file(GLOB_RECURSE V "/*")\n',
    "loops": NESTED + "set(V ${V}x)\n" + "endforeach()\n" * 5,
    "recursion": "function(f)\nf()\nf()\nendfunction()\nf()\ninclude(CMakeLists.txt)\n",
}
MAKE = {
    "doubling": "A0=aaaaaaaa\n" + "".join(f"A{n + 1}=$(A{n})$(A{n})\n" for n in range(40)),
    "doubling at once": "A40:=aaaaaaaaaa\n" + "A40:=$(A40)$(A40)\n" * 40,
    "loops": f"L={LIST}\nA40={LOOPS}\n",
    "calls": "f=$(call f,$(1)$(1))\nA40=$(call f,x)\n",
    "files": "A40=$(wildcard /*/*/*/*/*/*)\n",
    "brackets": "A40=" + "$(" * 20_000 + "\n",
    "recursion": "A40=$(A40)\ninclude Makefile\n",
}


def report_of(folder: Path, name: str, text: str) -> FileReport:
    (folder / ".git").mkdir()
    (folder / name).write_text(text)
    path = folder / "k.cu"
    path.write_text(KERNEL)
    return analyze(path.read_bytes(), path, Settings(gpu="RTX 3080", notes=True))


@pytest.mark.parametrize("name", CMAKE)
def test_build_files_that_ask_for_much(tmp_path: Path, name: str) -> None:
    started = time.process_time()
    text = f"project(x LANGUAGES CUDA)\n{CMAKE[name]}add_definitions(-DA=${{V}})\n"
    report = report_of(tmp_path, "CMakeLists.txt", text + "add_executable(k k.cu)\n")
    assert [kernel.base_name for kernel in report.kernels] == ["plain"]
    assert not [each for each in report.problems if "internal error" in each.message]
    assert time.process_time() - started < 5.0


@pytest.mark.parametrize("name", MAKE)
def test_makefiles_that_ask_for_much(tmp_path: Path, name: str) -> None:
    started = time.process_time()
    report = report_of(tmp_path, "Makefile", f"{MAKE[name]}k: k.cu\n\tnvcc -DX=$(A40) -o k k.cu\n")
    assert [kernel.base_name for kernel in report.kernels] == ["plain"]
    assert not [each for each in report.problems if "internal error" in each.message]
    assert time.process_time() - started < 5.0


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("Makefile", "k: k.cu\n\tnvcc -DGRID=$(MY_TOKEN) -o k k.cu\n"),
        ("Makefile", "G:=$(shell echo $$MY_TOKEN)\nk: k.cu\n\tnvcc -DGRID=$(G) -o k k.cu\n"),
        (
            "CMakeLists.txt",
            (
                "project(x LANGUAGES CUDA)\nadd_definitions(-DGRID=$ENV{MY_TOKEN})\n"
                "add_executable(k k.cu)\n"
            ),
        ),
    ],
)
def test_the_environment_is_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, text: str
) -> None:
    """What stands in it could be in a report, or sent; a number that the file has is known."""
    monkeypatch.setenv("MY_TOKEN", "4321")
    source = KERNEL + "int main() { float *p; plain<<<GRID, 256>>>(p, 7); }\n"
    (tmp_path / ".git").mkdir()
    path = tmp_path / "k.cu"
    path.write_text(source)

    def grid(build: str) -> int | None:
        (tmp_path / name).write_text(build)
        report = analyze(source.encode(), path, Settings(gpu="RTX 3080"))
        dims = report.kernels[0].launches[0].grid
        return dims[0] if dims is not None else None

    assert grid(text) != 4321
    known = text.replace("$ENV{MY_TOKEN}", "4321").replace("$(MY_TOKEN)", "4321")
    assert grid(known.replace("$(G)", "4321")) == 4321
