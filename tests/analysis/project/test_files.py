"""Which files are one program."""

from __future__ import annotations

from pathlib import Path

import pytest

from roofline_analysis.project.files import has_main, read_file, siblings
from roofline_analysis.project.programs import programs
from roofline_analysis.project.project import ProjectIndex

MAIN, PART = b"int main() { return 0; }", b"__global__ void k() {}"


def grouped(files: dict[str, bytes]) -> list[list[str]]:
    """Programs of files on an imagined disk, by names."""
    disk = {Path("/p") / name: text for name, text in files.items()}
    project = ProjectIndex(None, files=disk, reader=disk.get)
    found = programs(list(disk), project)
    return [[str(path.relative_to("/p")) for path in units] for units, _ in found]


def test_the_files_of_a_folder_are_one_program() -> None:
    assert grouped({"a.cu": MAIN, "b.cu": PART, "c.h": PART}) == [["a.cu", "b.cu", "c.h"]]
    assert grouped({}) == []


def test_headers_come_last() -> None:
    assert grouped({"c.cuh": PART, "a.cu": MAIN}) == [["a.cu", "c.cuh"]]


def test_folders_are_programs_of_their_own() -> None:
    files = {"x/main.cu": MAIN, "y/main.cu": MAIN, "y/k.cu": PART}
    assert grouped(files) == [["x/main.cu"], ["y/main.cu", "y/k.cu"]]


def test_a_folder_without_main_belongs_to_the_nearest_above_that_has_one() -> None:
    files = {"main.cu": MAIN, "src/k.cu": PART, "src/deep/l.cu": PART, "tool/main.cu": MAIN}
    assert grouped({**files, "tool/src/m.cu": PART}) == [
        ["main.cu", "src/deep/l.cu", "src/k.cu"],
        ["tool/main.cu", "tool/src/m.cu"],
    ]


def test_folders_without_any_main_stay_apart() -> None:
    assert grouped({"x/k.cu": PART, "y/l.cu": PART}) == [["x/k.cu"], ["y/l.cu"]]


def test_each_of_several_mains_is_a_program_with_what_has_none() -> None:
    files = {"a.cu": MAIN, "b.cu": MAIN, "k.cu": PART, "k.h": PART, "sub/l.cu": PART}
    assert grouped(files) == [
        ["a.cu", "k.cu", "sub/l.cu", "k.h"],
        ["b.cu", "k.cu", "sub/l.cu"],
    ]


def test_a_main_in_a_header_makes_no_program() -> None:
    assert grouped({"main.h": MAIN, "k.cu": PART}) == [["k.cu", "main.h"]]


def test_a_file_that_cannot_be_read_is_still_in_its_program() -> None:
    path = Path("/p/a.cu")
    project = ProjectIndex(None, files=[path], reader=lambda _: None)
    assert programs([path], project) == [([path], [path])]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (MAIN, True),
        (b"int main (int argc, char **argv) {", True),
        (b"int domain(int x);", False),
        (b"int main_loop(int x);", False),
        (b"", False),
        (b"\xff\xfe\x00main\x00(", False),
        (b"#ifdef UNIT_TEST\nint main() {}\n#endif", False),
        (b"# if defined(TEST) && X\n#ifndef Y\nint main() {}\n#endif\n#endif", False),
        (b"#ifdef TEST\n#endif\nint main() {}", True),
        (b"#ifdef OLD\nmain(c, v)\n#else\nint main(int c, char **v)\n#endif\n{}", True),
        (b"#define TEST 1\n#ifdef TEST\nint main() {}\n#endif", True),
        (b"#ifdef __CUDACC__\nint main() {}\n#endif", True),
        (b"#ifndef LIBRARY\nint main() {}\n#endif", True),
        (b"#endif\n#else\nint main() {}", True),
    ],
)
def test_has_main(text: bytes, expected: bool) -> None:
    assert has_main(text) is expected


def test_siblings_and_reading(tmp_path: Path) -> None:
    for name in ("a.cu", "b.cpp", "c.txt", "d.CU", "e.h"):
        (tmp_path / name).write_bytes(b"x")
    assert [path.name for path in siblings(tmp_path / "a.cu")] == ["b.cpp", "d.CU"]
    assert siblings(tmp_path / "none" / "a.cu") == ()
    assert read_file(tmp_path / "a.cu") == b"x"
    assert read_file(tmp_path / "missing.cu") is None
    assert read_file(tmp_path) is None
