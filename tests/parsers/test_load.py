from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from roofline_core.program.stages import measured
from roofline_core.program.units import Severity
from roofline_parsers.preprocess import PreprocessOptions
from roofline_parsers.reading.load import LoadCache, load_program

from .cuda.conftest import evaluated


def reader_of(files: dict[str, str]) -> Callable[[Path], bytes | None]:
    contents = {Path(name): text.encode() for name, text in files.items()}
    return contents.get


def test_a_program_is_its_files_and_their_headers() -> None:
    reader = reader_of(
        {
            "/p/main.cu": '#include "k.h"\nint main() { k<<<1, BLOCK>>>(p); }\n',
            "/p/k.cu": '#include "k.h"\n__global__ void k(real* p) { p[0] = (real)-1; }\n',
            "/p/k.h": "#define BLOCK 128\ntypedef double real;\n__global__ void k(real* p);\n",
        }
    )
    program = load_program([Path("/p/main.cu"), Path("/p/k.cu")], reader)
    assert [unit.path for unit in program.units] == [Path("/p/main.cu"), Path("/p/k.cu")]
    assert {unit.path for unit in program.all_units()} == {
        *(Path("/p/main.cu"), Path("/p/k.cu"), Path("/p/k.h"))
    }
    launch = evaluated(program.units[0].functions[0])
    assert launch.block.value == 128
    kernel = program.units[1].functions[0]
    assert evaluated(kernel).value.type.name == "real"
    assert program.units[0].macros["BLOCK"].strip() == "128"


def test_definitions_of_the_command_line() -> None:
    reader = reader_of({"/p/a.cu": "#ifdef use\n__global__ void k() {}\n#endif\n"})
    options = PreprocessOptions(defines=(("use", "1"),))
    assert load_program([Path("/p/a.cu")], reader, options).units[0].functions != ()
    assert load_program([Path("/p/a.cu")], reader).units[0].functions == ()


def test_a_missing_file_is_a_problem() -> None:
    (unit,) = load_program([Path("/p/none.cu")], lambda path: None).units
    (problem,) = unit.problems
    assert problem.severity is Severity.ERROR
    assert problem.message == "cannot read '/p/none.cu'"
    assert problem.path == Path("/p/none.cu")


def test_headers_are_shared_through_a_cache() -> None:
    files = {"/p/h.h": "struct S { int x; };\n"}
    for name in "ab":
        files[f"/p/{name}.cu"] = '#include "h.h"\nS s;\n'
    reader = reader_of(files)
    cache = LoadCache()
    first = load_program([Path("/p/a.cu")], reader, cache=cache)
    second = load_program([Path("/p/b.cu")], reader, cache=cache)
    assert first.units[0].includes[0] is second.units[0].includes[0]


def test_a_changed_header_is_read_again_once_the_cache_knows() -> None:
    files = {"/p/h.h": "#define N 1\n", "/p/a.cu": '#include "h.h"\nint x = N;\n'}
    cache = LoadCache()

    def value() -> object:
        program = load_program([Path("/p/a.cu")], reader_of(files), cache=cache)
        literal = program.units[0].globals[0].init
        return getattr(literal, "value", None)

    assert value() == 1
    files["/p/h.h"] = "#define N 2\n"
    cache.invalidate(Path("/p/h.h"))
    assert value() == 2


def test_edits_with_kept_trees() -> None:
    files = {"/p/a.cu": "__global__ void k() { f(1); }\n"}
    cache = LoadCache(keep_trees=True)
    for number in (1, 2, 3):
        files["/p/a.cu"] = f"__global__ void k() {{ f({number}); }}\n"
        program = load_program([Path("/p/a.cu")], reader_of(files), cache=cache)
        call = evaluated(program.units[0].functions[0])
        assert call.args[0].value == number


def test_what_the_newest_program_used_is_kept() -> None:
    files = {"/p/common.h": "struct S { int x; };\n", "/p/own.h": "struct T { int x; };\n"}
    files["/p/linked.cu"] = '#include "common.h"\nS s;\n'
    files["/p/a.cu"] = '#include "common.h"\n#include "own.h"\nS a;\n'
    files["/p/b.cu"] = '#include "common.h"\nS b;\n'
    cache = LoadCache()

    def counted(*names: str) -> dict[str, int]:
        with measured() as clock:
            load_program([Path("/p", name) for name in names], reader_of(files), cache=cache)
        return dict(clock.counts)

    counted("a.cu", "linked.cu")
    cache.keep_newest()
    found = counted("b.cu", "linked.cu")
    assert found == {"headers known before": 1, "files parsed": 1, "files known before": 1}
    cache.keep_newest()
    assert counted("a.cu") == {
        "headers known before": 1,
        "headers preprocessed": 1,
        "files parsed": 2,
    }


def test_a_header_is_kept_in_the_contexts_of_the_newest_program() -> None:
    files = {"/p/inner.h": "using Inner = REAL;\n"}
    files["/p/common.h"] = '#include "inner.h"\nREAL x;\n'
    for real in ("float", "double"):
        files[f"/p/{real}.cu"] = f'#define REAL {real}\n#include "common.h"\nREAL y;\n'
    cache = LoadCache()

    def counted(name: str) -> dict[str, int]:
        with measured() as clock:
            load_program([Path("/p", name)], reader_of(files), cache=cache)
        return {what: number for what, number in clock.counts.items() if what.startswith("headers")}

    assert counted("float.cu") == counted("double.cu") == {"headers preprocessed": 2}
    cache.units.clear()  # the files are read again, the headers are known in both contexts
    assert counted("float.cu") == counted("double.cu") == {"headers known before": 1}
    cache.keep_newest()
    cache.units.clear()
    assert counted("double.cu") == {"headers known before": 1}
    assert counted("float.cu") == {"headers preprocessed": 2}


@pytest.mark.parametrize("keep_trees", [False, True])
def test_a_text_of_the_program_goes_before_what_was_read_of_it_as_a_header(
    keep_trees: bool,
) -> None:
    """Nobody told the cache: the program's own texts tell it."""
    main, header = Path("/p/main.cu"), Path("/p/k.h")
    texts = {main: b'#include "k.h"\nint main() {}\n', header: b"int before;\n"}
    cache = LoadCache(keep_trees=keep_trees)

    def names() -> list[str]:
        program = load_program([main, header], texts.get, cache=cache)
        found = [unit for unit in program.all_units() if unit.path == header]
        return [each.name for unit in found for each in unit.globals]

    assert names() == ["before", "before"], "as main.cu's header and by itself"
    texts[header] = b"int after;\n"
    assert names() == ["after", "after"]
    del texts[header]
    assert names() == []
    texts[header] = b"int again;\n"
    assert names() == ["again", "again"]


def test_other_files_stay_as_they_were_read() -> None:
    """A header that is typed in costs the files that include it, and no other."""
    files = {"main.cu": '#include "k.h"\n#include "far.h"\n', "own.cu": "int own;\n"}
    texts = {Path("/p") / name: text.encode() for name, text in files.items()}
    header, far = Path("/p/k.h"), Path("/p/far.h")
    texts |= {header: b"int before;\n", far: b"int far;\n"}
    cache = LoadCache(keep_trees=True)
    paths = [path for path in texts if path != far]
    before = load_program(paths, texts.get, cache=cache)
    texts[header] = b"int after;\n"
    after = load_program(paths, texts.get, cache=cache)
    same = {now.path.name: was is now for was, now in zip(before.units, after.units, strict=True)}
    assert same == {"main.cu": False, "own.cu": True, "k.h": False}
    assert before.units[0].includes[1] is after.units[0].includes[1]
