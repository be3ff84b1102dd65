from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from roofline_core.program.units import Severity
from roofline_lsp.cli.files import MAX_FILE_BYTES, Collected, collect, read_regular

KERNEL = b"__global__ void k() {}\n"


def gate(text: bytes) -> bool:
    return b"__global__" in text


def collected(*patterns: Path | str, exclude: tuple[str, ...] = ()) -> Collected:
    return collect([str(pattern) for pattern in patterns], exclude=exclude, gate=gate)


def messages(found: Collected) -> list[str]:
    return [problem.message for problem in found.problems]


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name in ("b.cu", "a.hpp", "deep/c.CUH", "deep/er/d.inl", "build/x.cu", ".git/y.cu"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(KERNEL)
    (tmp_path / "main.cpp").write_bytes(b"int main() {}\n")
    (tmp_path / "plain.h").write_bytes(b"int x;\n")
    (tmp_path / "kernel.py").write_bytes(KERNEL)
    return tmp_path


def test_folders_are_walked_for_sources_that_hold_kernels(tree: Path) -> None:
    found = collected(tree)
    names = [path.relative_to(tree).as_posix() for path in found.files]
    assert names == ["a.hpp", "b.cu", "deep/c.CUH", "deep/er/d.inl"]
    assert found.problems == []


def test_a_named_file_is_taken_whatever_it_is(tree: Path) -> None:
    found = collected(tree / "kernel.py", tree / "plain.h")
    assert found.files == [tree / "kernel.py", tree / "plain.h"]


def test_a_file_is_taken_once_by_whatever_names(tree: Path) -> None:
    (tree / "link.cu").symlink_to(tree / "b.cu")
    found = collected(tree / "deep" / ".." / "b.cu", tree / "link.cu", tree / "deep", tree)
    names = [os.path.normpath(path.relative_to(tree)) for path in found.files]
    assert names == ["b.cu", "deep/c.CUH", "deep/er/d.inl", "a.hpp"]


def test_glob_patterns_are_expanded(tree: Path) -> None:
    assert collected(f"{tree}/*.cu").files == [tree / "b.cu"]
    assert collected(f"{tree}/**/*.inl").files == [tree / "deep" / "er" / "d.inl"]
    assert messages(collected(f"{tree}/*.cl")) == [f"no file matches '{tree}/*.cl'"]


def test_a_name_with_brackets_is_no_pattern_where_it_exists(tree: Path) -> None:
    path = tree / "k[1].cu"
    path.write_bytes(KERNEL)
    assert collected(path).files == [path]


@pytest.mark.parametrize(
    ("pattern", "left"),
    [
        ("b.cu", ["a.hpp", "deep/c.CUH", "deep/er/d.inl"]),
        ("deep", ["a.hpp", "b.cu"]),
        ("deep/", ["a.hpp", "b.cu"]),
        ("deep/er", ["a.hpp", "b.cu", "deep/c.CUH"]),
        ("./deep/er", ["a.hpp", "b.cu", "deep/c.CUH"]),
        ("deep/*", ["a.hpp", "b.cu"]),
        ("*.inl", ["a.hpp", "b.cu", "deep/c.CUH"]),
        ("er/*", ["a.hpp", "b.cu", "deep/c.CUH", "deep/er/d.inl"]),
    ],
)
def test_exclusion(tree: Path, pattern: str, left: list[str]) -> None:
    found = collected(tree, exclude=(pattern,))
    assert [path.relative_to(tree).as_posix() for path in found.files] == left


def test_missing_paths_name_the_nearest(tree: Path) -> None:
    found = collected(tree / "main.cp", tree / "nowhere" / "else" / "k.cu")
    assert found.files == []
    assert messages(found) == [
        "no such file or folder; did you mean 'main.cpp'?",
        f"no such file or folder; the folder '{tree}' exists, what is below it does not",
    ]


def test_a_folder_without_kernels_is_told(tree: Path) -> None:
    folder = tree / "host"
    folder.mkdir()
    (folder / "main.cpp").write_bytes(b"int main() {}\n")
    assert messages(collected(folder)) == ["no GPU kernel in 1 source file"]


def test_a_large_file_is_refused_without_being_read(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tree / "deep" / "large.cu"
    with path.open("wb") as file:
        file.truncate(50_000_000)
    read: list[Path] = []
    real = Path.read_bytes

    def reading(self: Path) -> bytes:
        read.append(self)
        return real(self)

    monkeypatch.setattr(Path, "read_bytes", reading)
    expected = "50.0 MB, more than the limit of 16 MB, not read"
    assert messages(collected(path)) == [expected]
    assert messages(collected(tree / "deep")) == [expected]
    assert path not in read
    assert read_regular(path) is None


def test_a_file_at_the_limit_is_read(tree: Path) -> None:
    path = tree / "limit.cu"
    path.write_bytes(KERNEL + b" " * (MAX_FILE_BYTES - len(KERNEL)))
    assert collected(path).files == [path]
    with path.open("ab") as file:
        file.write(b" ")
    assert collected(path).files == []


def test_pipes_sockets_and_devices_are_not_opened(tree: Path) -> None:
    pipe = tree / "pipe.cu"
    os.mkfifo(pipe)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tree / "socket.cu"))
        found = collected(pipe, "/dev/zero", tree / "socket.cu")
        assert messages(found) == ["not a regular file, not read"] * 3
        assert [problem.path for problem in collected(tree).problems] == [pipe, tree / "socket.cu"]
    assert read_regular(pipe) is None


def test_loops_of_links_end(tree: Path) -> None:
    (tree / "deep" / "up").symlink_to(tree)
    assert len(collected(tree).files) == 4
    loop = tree / "loop.cu"
    loop.symlink_to(loop)
    (message,) = messages(collected(loop))
    assert message.startswith("cannot be read: ")
    dangling = tree / "dangling.cu"
    dangling.symlink_to(tree / "gone.cu")
    assert messages(collected(dangling)) == ["cannot be read: No such file or directory"]


def test_a_file_without_permission_is_told(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.open

    def refusing(path: Path, flags: int) -> int:
        if Path(path).name == "b.cu":
            raise PermissionError(13, "Permission denied", str(path))
        return real(path, flags)

    monkeypatch.setattr(os, "open", refusing)
    found = collected(tree)
    assert messages(found) == ["cannot be read: Permission denied"]
    assert found.problems[0].path == tree / "b.cu"
    assert len(found.files) == 3


def test_a_folder_without_permission_is_told(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.scandir

    def refusing(path: str) -> object:
        if str(path).endswith("deep"):
            raise PermissionError(13, "Permission denied", str(path))
        return real(path)

    monkeypatch.setattr("roofline_lsp.cli.files.os.scandir", refusing)
    found = collected(tree)
    assert messages(found) == ["cannot be read: Permission denied"]
    assert len(found.files) == 2


def test_text_in_other_encodings(tree: Path) -> None:
    latin = tree / "latin.cu"
    latin.write_bytes(b"// x\n// caf\xe9\n" + KERNEL)
    found = collected(latin)
    assert found.files == [latin]
    (problem,) = found.problems
    assert (problem.severity, problem.line) == (Severity.WARNING, 2)
    assert problem.message == "not UTF-8: byte 0xe9 in column 7; save the file as UTF-8"
    wide = tree / "wide.cu"
    wide.write_text("__global__", encoding="utf-16")
    assert messages(collected(wide)) == ["UTF-16 text, not read; save the file as UTF-8"]
    wide.write_text("__global__", encoding="utf-32")
    assert messages(collected(wide)) == ["UTF-32 text, not read; save the file as UTF-8"]
    blob = tree / "blob.cu"
    blob.write_bytes(b"\x7fELF\0\0")
    assert messages(collected(blob)) == ["binary data (a zero byte at offset 4), not read"]
    assert read_regular(blob) is None
