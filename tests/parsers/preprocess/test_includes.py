"""Headers: units of their own, spliced ones, guards, caches."""

from __future__ import annotations

import operator
from collections.abc import Callable
from pathlib import Path

import pytest

from roofline_parsers.preprocess import (
    MacroTable,
    PreprocessCache,
    PreprocessedFile,
    PreprocessOptions,
    preprocess,
)

Run = Callable[..., PreprocessedFile]


def test_header_is_a_unit(run: Run) -> None:
    files = {"/src/a.h": "#define N 4\nint a = N;\n"}
    result = run('#include "a.h"\nint b = N;\n', files)
    assert result.text == b"\nint b = 4;\n"
    (header,) = result.includes
    assert (header.path, header.text) == (Path("/src/a.h"), b"\nint a = 4;\n")
    assert header.source == files["/src/a.h"].encode()
    assert result.include_lines == (1,)
    assert header.macros[b"N"].path == Path("/src/a.h")


def test_macros_flow_both_ways_in_order(run: Run) -> None:
    files = {
        "/src/a.h": "x = N;\n#undef N\n#define N 2\n",
        "/src/b.h": "y = N;\n#undef N\n",
    }
    result = run('#define N 1\n#include "a.h"\nz = N;\n#include "b.h"\nw = N;\n', files)
    assert [unit.text for unit in result.includes] == [b"x = 1;\n\n\n", b"y = 2;\n\n"]
    assert result.text == b"\n\nz = 2;\n\nw = N;\n"
    assert result.include_lines == (2, 4)


def test_search_order(run: Run) -> None:
    files = {"/src/a.h": "src", "/one/a.h": "one", "/two/a.h": "two", "/two/b.h": "b"}
    folders = (Path("/one"), Path("/two"))
    source = '#include "a.h"\n#include <a.h>\n#include "b.h"\n#include <c.h>\n#include "../d.h"\n'
    result = run(source, files, include_dirs=folders)
    assert [str(unit.path) for unit in result.includes] == ["/src/a.h", "/one/a.h", "/two/b.h"]
    assert result.unresolved_includes == ("<c.h>", '"../d.h"')


def test_quotes_search_beside_the_including_file(run: Run) -> None:
    files = {"/src/sub/a.h": '#include "b.h"\n', "/src/sub/b.h": "b", "/b.h": "root"}
    result = run('#include "sub/a.h"\n#include "../b.h"\n', files)
    assert result.includes[0].includes[0].path == Path("/src/sub/b.h")
    assert result.includes[1].path == Path("/b.h")


def test_include_next(run: Run) -> None:
    files = {"/one/a.h": "#include_next <a.h>\n", "/two/a.h": "two"}
    result = run("#include <a.h>\n", files, include_dirs=(Path("/one"), Path("/two")))
    assert result.includes[0].includes[0].text == b"two"


@pytest.mark.parametrize(
    "line",
    [
        "#include HEADER",
        "#include SYSTEM",
        "#include STRING(a.h)",
        '#include "a.h" // comment',
        '#  include/* c */"a.h"',
        '#include \\\n "a.h"',
        '#import "a.h"',
    ],
)
def test_forms_of_the_directive(run: Run, line: str) -> None:
    macros = '#define HEADER "a.h"\n#define SYSTEM <a.h>\n#define STRING(x) S(x)\n#define S(x) #x\n'
    result = run(macros + line + "\n", {"/src/a.h": "int a;\n"}, include_dirs=(Path("/src"),))
    assert [unit.text for unit in result.includes] == [b"int a;\n"]
    assert result.problems == ()


@pytest.mark.parametrize(
    "line", ["#include", "#include <>", '#include ""', "#include NAME", "#include <a"]
)
def test_malformed(run: Run, line: str) -> None:
    result = run(f"{line}\nint x;\n")
    assert result.text == b"\nint x;\n"
    assert [problem.message for problem in result.problems] == ["#include without a header's name"]


@pytest.mark.parametrize(
    "header",
    [
        "#pragma once\nint a;\n",
        "#ifndef A_H\n#define A_H\nint a;\n#endif\n",
        "// licence\n#ifndef A_H\n#define A_H\nint a;\n#endif // A_H\n",
        "#if !defined(A_H)\n#define A_H 1\n#ifdef N\n#else\nint a;\n#endif\n#endif\n",
    ],
)
def test_guards(run: Run, header: str) -> None:
    files = {"/src/a.h": header, "/src/b.h": '#include "a.h"\nint b;\n'}
    result = run('#include "b.h"\n#include "a.h"\n#include "./a.h"\n', files)
    assert [unit.path.name for unit in result.includes] == ["b.h"]
    assert [unit.path.name for unit in result.includes[0].includes] == ["a.h"]
    assert all(name[:1] != b" " for name in result.macros)


def test_no_guard_includes_again(run: Run) -> None:
    header = "#ifndef A_H\n#define A_H\nint a;\n#else\nint b;\n#endif\n"
    result = run('#include "a.h"\n#include "a.h"\n', {"/src/a.h": header})
    assert [unit.text.split() for unit in result.includes] == [[b"int", b"a;"], [b"int", b"b;"]]


def test_import_includes_once(run: Run) -> None:
    result = run('#import "a.h"\n#import "a.h"\n', {"/src/a.h": "int a;\n"})
    assert len(result.includes) == 1


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("void f() {", "}"),
        ("struct S {", "};"),
        ("namespace n { int y; ", "}"),
        ("int a[] = {", "};"),
        ("int a =", ";"),
        ("f(", ");"),
        ("// {\nconst char *s = \"}\" '{'; void f() { if (x) { /* } */", "}}"),
    ],
)
def test_spliced_inside_declarations(run: Run, before: str, after: str) -> None:
    header = "// one\n1, /* two\n three */ 2,\n#define N 3\nN\n"
    source = f'{before}\n#include "a.h"\n{after} N\n'
    result = run(source, {"/src/a.h": header})
    lines = result.text.decode().split("\n")
    number = before.count("\n") + 1
    assert lines[number].split() == ["1,", "2,", "3"]
    assert lines[number + 1] == f"{after} 3"
    assert number + 1 in result.changed_lines
    assert result.includes == ()


@pytest.mark.parametrize(
    "before",
    [
        'extern "C" {',
        "void f() { }",
        "int x;",
        "/* { */ // {",
        "char c = '{'; const char *s = \"{\";",
        "#if 0\n{\n#endif",
        "#define OPEN {",
    ],
)
def test_not_spliced_outside(run: Run, before: str) -> None:
    result = run(f'{before}\n#include "a.h"\n', {"/src/a.h": "int a;\n"})
    assert [unit.text for unit in result.includes] == [b"int a;\n"]


def test_spliced_headers_nest_and_use_guards(run: Run) -> None:
    files = {
        "/src/a.h": '#include "b.h"\nint a;\n#include "b.h"\n',
        "/src/b.h": "#pragma once\nint b;\n#include <missing>\n#pragma unroll 2\nfor (;;) {}\n",
    }
    result = run('void f() {\n#include "a.h"\n}\n#include "b.h"\n', files)
    line = result.text.decode().split("\n")[1]
    assert line.split() == "int b; [[unroll(2)]] for (;;) {} int a;".split()
    assert result.includes == ()
    assert result.unresolved_includes == ("<missing>",)


def test_spliced_raw_string_stays_on_the_line(run: Run) -> None:
    result = run('f(\n#include "a.h"\n);\n', {"/src/a.h": 'R"(a\n// b)"\n'})
    assert result.text == b'f(\nR"(a // b)" \n);\n'


def test_self_inclusion_ends(run: Run) -> None:
    result = run('#include "a.h"\nint x;\n', {"/src/a.h": '#include "a.h"\nint a;\n'})
    depth = 0
    unit = result
    while unit.includes:
        (unit,) = unit.includes
        depth += 1
    assert depth == 40
    assert "nest too deeply" in unit.problems[0].message


def test_inclusion_tree_is_bounded(run: Run) -> None:
    files = {"/src/a.h": '#include "b.h"\n#include "b.h"\n', "/src/b.h": '#include "a.h"\nN\n'}
    assert run('#include "a.h"\nint x;\n', files).text == b"\nint x;\n"
    files = {
        f"/src/{i}.h": f'#undef N\n#define N {i}\n#include "{i + 1}.h"\n#include "{i + 1}.h"\n'
        for i in range(30)
    }
    assert run('#include "0.h"\nint x;\n', files).text == b"\nint x;\n"


def test_forced_includes(run: Run) -> None:
    files = {"/inc/config.h": "#define N 4\n"}
    options = {"forced_includes": (Path("/inc/config.h"), Path("/inc/none.h"))}
    result = run("N\n", files, **options)
    assert result.text == b"4\n"
    assert result.include_lines == (0,)
    assert result.unresolved_includes == ('"/inc/none.h"',)


def test_main_file_is_never_read(run: Run) -> None:
    result = run('#include "a.h"\n', {"/src/a.h": '#pragma once\n#include "main.cu"\nint a;\n'})
    assert result.includes[0].includes[0].source == b'#include "a.h"\n'


# ---- The cache


class Files:
    """A reader that counts."""

    def __init__(self, **files: str) -> None:
        self.files = {Path("/src", name + ".h"): text.encode() for name, text in files.items()}
        self.reads: list[str] = []

    def __call__(self, path: Path) -> bytes | None:
        self.reads.append(path.name)
        return self.files.get(path)

    def preprocess(
        self, source: str, cache: PreprocessCache, name: str = "main.cu"
    ) -> PreprocessedFile:
        options = PreprocessOptions(base=MacroTable())
        return preprocess(Path("/src", name), source.encode(), options, self, cache)


def test_same_context_is_shared() -> None:
    files, cache = Files(a="int a = N;\n#define K 2\n"), PreprocessCache()
    first = files.preprocess('#define N 1\n#define X 1\n#include "a.h"\nK\n', cache)
    second = files.preprocess('#define N 1\n#define X 2\n#include "a.h"\nK\n', cache, "b.cu")
    other = files.preprocess('#define N 2\n#include "a.h"\nK\n', cache, "c.cu")
    none = files.preprocess('#include "a.h"\nK\n', cache, "d.cu")
    assert first.includes[0] is second.includes[0]
    texts = [unit.includes[0].text for unit in (first, other, none)]
    assert texts == [b"int a = 1;\n\n", b"int a = 2;\n\n", b"int a = N;\n\n"]
    assert all(unit.text.endswith(b"2\n") for unit in (first, second, other, none))
    assert files.reads == ["a.h"]


def test_context_includes_what_macros_lead_to() -> None:
    files, cache = Files(a="int a = N;\n"), PreprocessCache()
    texts = [
        files.preprocess(
            f'#define N M(1)\n#define M(x) x+K\n#define K {k}\n#include "a.h"\n', cache
        )
        .includes[0]
        .text
        for k in (1, 2)
    ]
    assert texts == [b"int a = 1+1;\n", b"int a = 1+2;\n"]


def test_context_includes_nested_headers_and_their_guards() -> None:
    files = Files(a='#include "b.h"\nint a;\n', b="#ifndef B\n#define B\nint b = N;\n#endif\n")
    cache = PreprocessCache()
    with_b = files.preprocess('#define N 1\n#include "a.h"\n', cache)
    without = files.preprocess('#define N 1\n#include "b.h"\n#include "a.h"\n', cache)
    again = files.preprocess('#define N 2\n#include "a.h"\n', cache)
    assert len(with_b.includes[0].includes) == 1
    assert without.includes[1].includes == ()
    assert again.includes[0].includes[0].text == b"\n\nint b = 2;\n\n"
    assert b"B" in without.macros


FOLDERS = {
    Path("/one/a.h"): b"#include <b.h>\nint a;\n",
    Path("/two/c.h"): b"int c;\n",
    Path("/two/b.h"): b"int second;\n",
    Path("/three/b.h"): b"int third;\n",
}


def through(cache: PreprocessCache, *folders: str, closed: str = "") -> PreprocessedFile:
    def refusal(path: Path) -> str | None:
        return "is closed" if closed and path.is_relative_to(closed) else None

    dirs = tuple(map(Path, folders))
    options = PreprocessOptions(base=MacroTable(), include_dirs=dirs, refusal=refusal)
    source = b"#include <a.h>\n#include <c.h>\n"
    return preprocess(Path("/src/main.cu"), source, options, FOLDERS.get, cache)


def test_header_is_shared_through_whichever_folders_its_files_are_found() -> None:
    cache = PreprocessCache()
    first = through(cache, "/one", "/two")
    other_order = through(cache, "/two", "/one")
    more = through(cache, "/four", "/one", "/two", "/three")
    for unit in (other_order, more):
        assert all(map(operator.is_, unit.includes, first.includes))


def test_header_that_finds_another_file_is_not_shared() -> None:
    cache = PreprocessCache()
    first = through(cache, "/one", "/two")
    second = through(cache, "/one", "/three", "/two")
    texts = [unit.includes[0].includes[0].text for unit in (first, second)]
    assert texts == [b"int second;\n", b"int third;\n"]
    assert second.includes[1] is first.includes[1]


def test_header_of_which_a_file_is_refused_is_not_shared() -> None:
    cache = PreprocessCache()
    through(cache, "/one", "/two")
    a, *_ = through(cache, "/one", "/two", closed="/two").includes
    assert a.includes == ()
    assert [problem.message for problem in a.problems] == ["<b.h> is closed"]
    again = through(cache, "/one", "/two").includes[0]
    assert again.includes[0].text == b"int second;\n"


def test_reused_header_repeats_its_effects() -> None:
    files, cache = Files(a="#pragma once\n#undef N\n#define K 3\n"), PreprocessCache()
    for name in ("a.cu", "b.cu"):
        unit = files.preprocess('#define N 1\n#include "a.h"\n#include "a.h"\nN K\n', cache, name)
        assert unit.text == b"\n\n\nN 3\n"
        assert len(unit.includes) == 1


def test_invalidation() -> None:
    files, cache = Files(a='#include "b.h"\n', b="int b;\n", c="int c;\n"), PreprocessCache()
    source = '#include "a.h"\n#include "c.h"\n#include "new.h"\n'
    before = files.preprocess(source, cache)
    files.files[Path("/src/b.h")] = b"int changed;\n"
    files.files[Path("/src/new.h")] = b"int new_one;\n"
    assert files.preprocess(source, cache).includes[0] is before.includes[0]
    cache.invalidate(Path("/src/b.h"))
    cache.invalidate(Path("/src/../src/new.h"))
    after = files.preprocess(source, cache)
    assert after.includes[0].includes[0].text == b"int changed;\n"
    assert after.includes[1] is before.includes[1]
    assert after.includes[2].text == b"int new_one;\n"
    cache.clear()
    assert files.preprocess(source, cache).includes[1] is not before.includes[1]


def test_unsaved_main_file_does_not_reach_the_cache() -> None:
    files, cache = Files(a='#pragma once\n#include "main.cu"\n'), PreprocessCache()
    files.preprocess('#include "a.h"\nint one;\n', cache)
    second = files.preprocess('#include "a.h"\nint two;\n', cache)
    assert b"two" in second.includes[0].includes[0].text


@pytest.mark.parametrize("path", ["main.cu", "sub/main.cu", "./sub/../main.cu", "/src/main.cu"])
@pytest.mark.parametrize("name", ["__FILE__", "SELF"])
def test_a_file_includes_itself_however_it_was_named(path: str, name: str) -> None:
    """``__FILE__`` is as the file was named, which leads elsewhere from its own folder."""
    text = (
        f"#define SELF __FILE__\n#ifndef ONCE\n#define ONCE\n#include {name}\n"
        "#else\nint second;\n#endif\n"
    )
    result = preprocess(Path(path), text.encode(), PreprocessOptions(), lambda _: None)
    (again,) = result.includes
    assert b"int second;" in again.text
    assert b"int second;" not in result.text
    assert result.unresolved_includes == ()


@pytest.mark.parametrize("define", ["", "#define TEXT(x) #x\n#define FOLDER_OF FOLDER\n"])
def test_an_include_by_macros_of_a_build_is_looked_for_beside_the_file(
    run: Run, define: str
) -> None:
    files = {"/src/types.h": "typedef int real;\n"}
    result = run(f"{define}#include TEXT(FOLDER/types.h)\nreal x;\n", files)
    assert [unit.path for unit in result.includes] == [Path("/src/types.h")]
    assert (result.problems, result.unresolved_includes) == ((), ())
    missing = run(f"{define}#include TEXT(FOLDER/other.h)\n", files)
    assert missing.unresolved_includes == ('"other.h"',)


def test_an_include_of_macros_without_a_file_has_no_header(run: Run) -> None:
    (problem,) = run("#include NOTHING\n").problems
    assert problem.message == "#include without a header's name"
