"""Archives, URLs and tables of strangers: what is unpacked stays in its folder."""

from __future__ import annotations

import io
import os
import stat
import tarfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roofline_analysis.project.readable import Readable
from roofline_lsp.batch.inputs.address import (
    InputAddress,
    InputError,
    TableColumns,
    is_address,
    local_path,
    read_address,
)
from roofline_lsp.batch.inputs.tree_writer import FullError, TreeWriter, UnpackLimits
from roofline_lsp.batch.inputs.unpacking import UnpackedInput, unpacked

HOSTILE = (
    *("../out.cu", "a/../../out.cu", "/out.cu", "..\\out.cu", "C:\\out.cu", "c:/out.cu"),
    *("a//b.cu", "a/./b.cu", "a\n.cu", "x" * 300 + ".cu", "/".join("d" * 70), "", "."),
)


def tree_of(folder: Path) -> dict[str, bytes]:
    """The files below a folder, but for the marks of an unpacked input."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and path.name != "roofline.toml"
    }


def put(writer: TreeWriter, name: str, text: bytes = b"x") -> None:
    writer.put(name, lambda most: text[:most])


@contextmanager
def opened(address: str, beside: Path, **limits: int) -> Iterator[UnpackedInput]:
    with unpacked(read_address(address), beside / "beside", UnpackLimits(**limits)) as found:
        yield found


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("zip:///d/a.zip", InputAddress("zip:///d/a.zip", "zip", "/d/a.zip")),
        ("zip://::a.zip", InputAddress("zip://::a.zip", "zip", "a.zip")),
        ("TAR://src/::s3://b/a", InputAddress("TAR://src/::s3://b/a", "tar", "s3://b/a", "src")),
        ("s3://b/c", InputAddress("s3://b/c", "tree", "s3://b/c")),
        (
            "parquet://t.parquet?text=a&path=b%26c&project=d&suffix=.cl",
            InputAddress(
                "parquet://t.parquet?text=a&path=b%26c&project=d&suffix=.cl",
                *("parquet", "t.parquet", ""),
                TableColumns("a", "b&c", "d", ".cl"),
            ),
        ),
    ],
)
def test_addresses(text: str, wanted: InputAddress) -> None:
    assert read_address(text) == wanted


@pytest.mark.parametrize("text", ["src", "./zip:", "C:\\src", "a/b::c", "src/**/*.cu", "-"])
def test_paths_are_no_addresses(text: str) -> None:
    assert not is_address(text)


def test_local_addresses_are_paths() -> None:
    assert local_path("file:///d/a") == "/d/a"
    assert local_path("local://d/a") == "d/a"
    assert local_path("s3://d/a") is None
    assert local_path("file::zip://a") is None


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("parquet://t", "which column has the sources"),
        ("parquet://t?path=p", "add text=COLUMN"),
        ("parquet://t?text=a&project=p", "project=COLUMN needs path=COLUMN"),
        ("parquet://t?tekst=a", "there is no part 'tekst'; did you mean 'text'"),
        ("zip://", "names no archive"),
    ],
)
def test_wrong_addresses_are_told(text: str, told: str) -> None:
    with pytest.raises(InputError, match=told.replace("?", r"\?")):
        read_address(text)


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_name_is_left_out_and_told(tmp_path: Path, name: str) -> None:
    writer = TreeWriter(tmp_path / "in", UnpackLimits())
    put(writer, name)
    assert [*tmp_path.rglob("*")] == []
    (problem,) = writer.problems
    assert problem.message.endswith(", not unpacked")
    assert problem.path is not None
    assert (tmp_path / "in") in (problem.path, *problem.path.parents)
    assert ".." not in problem.path.parts


@given(st.lists(st.text(st.characters(codec="utf-8") | st.sampled_from("./\\:\0"), max_size=20)))
def test_no_name_leads_out(names: list[str]) -> None:
    with unpacked_nothing() as folder:
        writer = TreeWriter(folder / "in", UnpackLimits())
        for name in names:
            put(writer, name)
        assert {path.name for path in folder.iterdir()} <= {"in"}


@contextmanager
def unpacked_nothing() -> Iterator[Path]:
    import tempfile

    with tempfile.TemporaryDirectory() as name:
        yield Path(name)


def test_limits_end_the_unpacking(tmp_path: Path) -> None:
    writer = TreeWriter(tmp_path, UnpackLimits(files=2, total_bytes=100, file_bytes=40))
    put(writer, "a.cu", b"x" * 41)
    put(writer, "b.cu", b"x" * 40)
    put(writer, "c.cu", b"x" * 40)
    with pytest.raises(FullError):
        put(writer, "d.cu", b"x")
    assert sorted(tree_of(tmp_path)) == ["b.cu", "c.cu"]
    told = [problem.message for problem in writer.problems]
    assert told == [
        "only 2 files were unpacked; split it into several inputs",
        "more than the limit of 0 MB, not unpacked",
    ]
    writer = TreeWriter(tmp_path / "more", UnpackLimits(total_bytes=60))
    put(writer, "a.cu", b"x" * 40)
    with pytest.raises(FullError):
        put(writer, "b.cu", b"x" * 40)
    assert writer.problems[0].message.startswith("only 0 MB were unpacked")


def test_few_of_many_problems_are_named(tmp_path: Path) -> None:
    writer = TreeWriter(tmp_path, UnpackLimits())
    for number in range(150):
        put(writer, f"../{number}")
    writer.finish()
    assert len(writer.problems) == 101
    assert writer.problems[-1].message == "50 further files not unpacked"


def test_a_second_file_of_a_name_and_hidden_ones_are_left_out(tmp_path: Path) -> None:
    writer = TreeWriter(tmp_path, UnpackLimits())
    for name in ("a.cu", "a.cu", "a.cu/b.cu", ".git/config", "d/.env", "d/.gitignore"):
        put(writer, name)
    assert sorted(tree_of(tmp_path)) == ["a.cu", "d/.gitignore"]
    assert [problem.message for problem in writer.problems] == [
        "there is a file in its place already, not unpacked",
        "there is a file in its place already, not unpacked",
    ]


def link(name: str, target: str) -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.linkname = tarfile.SYMTYPE, target
    return info


def test_links_and_devices_of_a_tar_lead_nowhere(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.cu").write_text("secret")
    with tarfile.open(tmp_path / "a.tar.xz", "w:xz") as archive:
        archive.addfile(link("way", str(outside)))
        text = tarfile.TarInfo("way/in.cu")
        text.size = 1
        archive.addfile(text, io.BytesIO(b"y"))
        hard = link("hard.cu", str(outside / "secret.cu"))
        hard.type = tarfile.LNKTYPE
        archive.addfile(hard)
        device = tarfile.TarInfo("device.cu")
        device.type = tarfile.CHRTYPE
        archive.addfile(device)
    with opened(f"tar://{tmp_path / 'a.tar.xz'}", tmp_path) as there:
        assert tree_of(there.folder) == {"way/in.cu": b"y"}
        assert not any(path.is_symlink() for path in there.folder.rglob("*"))
    assert [*outside.iterdir()] == [outside / "secret.cu"]
    assert not there.folder.exists()


def test_links_of_a_zip_lead_nowhere(tmp_path: Path) -> None:
    info = zipfile.ZipInfo("way.cu")
    info.external_attr = (stat.S_IFLNK | 0o777) << 16
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr(info, "/etc/passwd")
        archive.writestr("../../out.cu", "x")
        archive.writestr("in.cu", "y")
    with opened(f"zip://{tmp_path / 'a.zip'}", tmp_path) as there:
        assert tree_of(there.folder) == {"in.cu": b"y"}
        assert [problem.message for problem in there.problems] == [
            "its name leads out of the archive, not unpacked"
        ]


def test_what_is_unpacked_reads_nothing_around_it(tmp_path: Path) -> None:
    """Not even sources of the repository in which it is unpacked."""
    (tmp_path / ".git").mkdir()
    (tmp_path / "secret.cuh").write_text("secret")
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("src/in.cu", "y")
        archive.writestr("src/h.cuh", "y")
    with opened(f"zip://{tmp_path / 'a.zip'}", tmp_path) as there:
        readable = Readable([there.folder / "src" / "in.cu"], there.folder)
        assert readable(there.folder / "src" / "h.cuh") is None
        assert readable(there.folder / "../../secret.cuh") is not None
        assert stat.S_IMODE(there.folder.stat().st_mode) == 0o700


@pytest.mark.parametrize("kind", ["zip", "tar"])
def test_a_bomb_is_cut(tmp_path: Path, kind: str) -> None:
    path = tmp_path / f"a.{kind}"
    large = bytes(30_000_000)
    if kind == "zip":
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for number in range(3):
                archive.writestr(f"{number}.cu", large)
            archive.writestr("in.cu", "y")
    else:
        with tarfile.open(path, "w:gz") as packed:
            for name in ("0.cu", "1.cu", "2.cu", "in.cu"):
                info = tarfile.TarInfo(name)
                info.size = 1 if name == "in.cu" else len(large)
                packed.addfile(info, io.BytesIO(large))
    assert path.stat().st_size < 1_000_000
    with opened(f"{kind}://{path}", tmp_path) as there:
        assert list(tree_of(there.folder)) == ["in.cu"]
        assert [problem.message for problem in there.problems] == [
            "more than the limit of 16 MB, not unpacked"
        ] * 3


def test_a_long_header_of_a_tar_is_damage(tmp_path: Path) -> None:
    """What it announces would be read into memory as a name."""
    info = tarfile.TarInfo("././@LongLink")
    info.type, info.size = tarfile.GNUTYPE_LONGNAME, 5_000_000_000
    (tmp_path / "a.tar").write_bytes(info.tobuf(tarfile.GNU_FORMAT) + b"x" * 2048)
    with (
        pytest.raises(InputError, match="cannot be read"),
        opened(f"tar://{tmp_path / 'a.tar'}", tmp_path),
    ):
        pass


def test_a_device_is_no_archive(tmp_path: Path) -> None:
    with (
        pytest.raises(InputError, match="'/dev/zero' is no regular file"),
        opened("zip:///dev/zero", tmp_path),
    ):
        pass
    os.mkfifo(tmp_path / "pipe")
    with (
        pytest.raises(InputError, match="is no regular file"),
        opened(f"tar://{tmp_path / 'pipe'}", tmp_path),
    ):
        pass


def test_a_link_in_the_place_of_the_folder_is_not_followed(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "mine").touch()
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("in.cu", "y")
    address = f"zip://{tmp_path / 'a.zip'}"
    with opened(address, tmp_path) as there:
        folder = there.folder
    folder.parent.mkdir()
    folder.symlink_to(outside)
    with opened(address, tmp_path) as there:
        assert there.folder == folder
        assert not folder.is_symlink()
    assert [*outside.iterdir()] == [outside / "mine"]


def test_a_table_without_the_column_is_told(tmp_path: Path) -> None:
    arrow = pytest.importorskip("pyarrow", reason="the extra `distributed` is not installed")
    from pyarrow import parquet

    file = tmp_path / "t.parquet"
    parquet.write_table(arrow.table({"code": ["x"], "size": [1]}), file)
    for query, told in (
        ("text=kode", "there is no column 'kode'; there are code, size"),
        ("text=size", "column 'size' has values that are no texts"),
    ):
        with (
            pytest.raises(InputError, match=told),
            opened(f"parquet://{file}?{query}", tmp_path),
        ):
            pass
    file.write_bytes(b"PAR1 damage PAR1")
    with (
        pytest.raises(InputError, match="cannot be read"),
        opened(f"parquet://{file}?text=code", tmp_path),
    ):
        pass


def test_names_of_rows_stay_in_the_folder(tmp_path: Path) -> None:
    arrow = pytest.importorskip("pyarrow", reason="the extra `distributed` is not installed")
    from pyarrow import parquet

    file = tmp_path / "t.parquet"
    rows = {"code": ["a", "b", "c"], "repo": ["../..", "x/../y", "z"], "path": ["a", "b", "../c"]}
    parquet.write_table(arrow.table(rows), file)
    with opened(f"parquet://{file}?text=code&path=path&project=repo", tmp_path) as there:
        assert tree_of(there.folder) == {"x%2F..%2Fy/b": b"b"}
        assert [problem.message for problem in there.problems] == [
            "its name leads out of the archive, not unpacked"
        ]
