"""An input unpacked into a folder, so that it is checked as any other folder is.

What is unpacked is marked as a repository of its own: nothing of it may read what lies around it,
and no settings file of the folders above holds for it.
"""

from __future__ import annotations

import bz2
import contextlib
import gzip
import lzma
import shutil
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Final

from roofline_analysis.project.file_states import digest
from roofline_core.program.regular_files import NotRegularError, open_regular_file
from roofline_core.program.units import Problem
from roofline_core.settings import OWN_FILE
from roofline_lsp.batch.inputs.address import InputAddress, InputError, is_address, local_path
from roofline_lsp.batch.inputs.tables import take_rows
from roofline_lsp.batch.inputs.tree_writer import FullError, TreeWriter, UnpackLimits

_MARK: Final = ".git"
_MOST_HEADER_BYTES: Final = 1_000_000
"""The most bytes of a header of an archive's member, such as of its long name."""
_MOST_MEMBERS: Final = 2_000_000
"""The most members of an archive that are looked at."""
_NEEDED: Final = "needs fsspec: pip install 'roofline-lsp[distributed]'"
_DAMAGE: Final = (
    *(tarfile.TarError, zipfile.BadZipFile, zlib.error, lzma.LZMAError),
    *(OSError, EOFError, RuntimeError, NotImplementedError, ValueError, KeyError),
)
"""What reading of a damaged archive raises, or of one with a password."""


@dataclass(frozen=True, slots=True)
class UnpackedInput:
    """An input on disk."""

    folder: Path
    """All of it lies below."""
    roots: tuple[Path, ...]
    """The folders whose files belong together."""
    problems: tuple[Problem, ...]
    """What was left out."""


@contextlib.contextmanager
def unpacked(
    address: InputAddress, beside: Path, limits: UnpackLimits | None = None
) -> Iterator[UnpackedInput]:
    """An input, unpacked below ``beside`` as long as it is needed.

    The folder's name depends on the address alone. Raises InputError for what cannot be opened.
    """
    folder = beside / digest(address.text.encode())
    try:
        _remove(folder)
        folder.mkdir(parents=True, mode=0o700)
    except OSError as error:
        raise InputError(
            f"{address.text}: cannot be unpacked to {folder}: {error.strerror}"
        ) from None
    try:
        writer = TreeWriter(folder, limits or UnpackLimits())
        with contextlib.suppress(FullError):
            _fill(address, writer)
        writer.finish()
        yield UnpackedInput(folder, _marked(address, folder), tuple(writer.problems))
    finally:
        _remove(folder)


def _fill(address: InputAddress, writer: TreeWriter) -> None:
    if address.kind == "tree":
        _take_tree(address, writer)
        return
    with opened(address.target, address.text) as file:
        try:
            if address.kind == "zip":
                _take_zip(file, address.folder, writer)
            elif address.kind == "tar":
                _take_tar(file, address.folder, writer)
            else:
                take_rows(file, address, writer)
        except _DAMAGE as error:
            raise InputError(f"{address.text}: cannot be read: {error}") from None


def _marked(address: InputAddress, folder: Path) -> tuple[Path, ...]:
    """Mark what was unpacked; returns the folders whose files belong together."""
    columns = address.columns
    alone = columns is not None and (columns.path is None or columns.project is not None)
    roots = sorted(path for path in folder.iterdir() if path.is_dir()) if alone else [folder]
    for root in roots:
        (root / _MARK).mkdir(exist_ok=True)
    if not (folder / OWN_FILE).exists():
        (folder / OWN_FILE).touch()
    return tuple(roots)


def _remove(folder: Path) -> None:
    if folder.is_symlink():
        folder.unlink()
    elif folder.exists():
        shutil.rmtree(folder)
    with contextlib.suppress(OSError):  # it has others, or is not there
        folder.parent.rmdir()


@contextlib.contextmanager
def opened(target: str, told: str) -> Iterator[IO[bytes]]:
    """A file at a path or an address, for reading. Raises InputError that begins with ``told``."""
    local = local_path(target) if is_address(target) else target
    try:
        if local is not None:
            file: Any = open_regular_file(local)
        else:
            file = _fsspec(told).open(target, "rb").open()
    except NotRegularError:
        raise InputError(f"{told}: '{target}' is no regular file") from None
    except (OSError, ValueError, ImportError) as error:
        raise InputError(f"{told}: cannot be opened: {_reason(error)}") from None
    with file:
        yield file


def _take_zip(file: IO[bytes], below: str, writer: TreeWriter) -> None:
    with zipfile.ZipFile(file) as archive:
        for info in archive.infolist()[:_MOST_MEMBERS]:
            mode = info.external_attr >> 16
            if info.is_dir() or not _is_wanted(info.filename, below):
                continue
            if stat.S_IFMT(mode) not in (0, stat.S_IFREG):
                continue  # a link or a device
            try:
                with archive.open(info) as member:
                    writer.put(info.filename, member.read)
            except _DAMAGE as error:
                writer.leave_out(info.filename, f"cannot be unpacked: {error}")


class _BoundedInfo(tarfile.TarInfo):
    """A header of a member; one that says that a name follows of many bytes is damage."""

    @classmethod
    def frombuf(cls, buf: bytes | bytearray, encoding: str | None, errors: str) -> _BoundedInfo:
        """A header read. Raises tarfile.HeaderError."""
        found = super().frombuf(buf, encoding, errors)  # type: ignore[arg-type]
        if found.size > _MOST_HEADER_BYTES and not (found.isreg() or found.issparse()):
            raise tarfile.HeaderError("a header is too long")
        return found


def _take_tar(file: IO[bytes], below: str, writer: TreeWriter) -> None:
    """Members in the order of the archive, so that a compressed one is read once."""
    with tarfile.open(fileobj=_plain(file), mode="r|", tarinfo=_BoundedInfo) as archive:
        for count, info in enumerate(archive):
            if count >= _MOST_MEMBERS:
                return
            if info.isreg() and not info.issparse() and _is_wanted(info.name, below):
                member = archive.extractfile(info)
                assert member is not None
                writer.put(info.name, member.read)


def _plain(file: IO[bytes]) -> IO[bytes]:
    """What a compressed file holds; any other file itself."""
    start = file.read(6)
    file.seek(0)
    if start.startswith(b"\x1f\x8b"):
        return gzip.open(file, "rb")  # type: ignore[return-value]
    if start.startswith(b"BZh"):
        return bz2.open(file, "rb")
    if start.startswith((b"\xfd7zXZ\x00", b"]\x00\x00")):
        return lzma.open(file, "rb")
    return file


def _is_wanted(name: str, below: str) -> bool:
    return not below or name.removeprefix("./").startswith(f"{below}/") or name == below


def _take_tree(address: InputAddress, writer: TreeWriter) -> None:
    """All files below a URL."""
    fsspec = _fsspec(address.text)
    try:
        system, root = fsspec.url_to_fs(address.target)
        is_one = system.isfile(root)
        names = [root] if is_one else sorted(system.find(root))
    except (OSError, ValueError, ImportError, NotImplementedError) as error:
        raise InputError(f"{address.text}: cannot be opened: {_reason(error)}") from None
    if not names:
        raise InputError(f"{address.text}: there is no file")
    base = root.rstrip("/").rpartition("/")[0] if is_one else root.rstrip("/")
    for name in names[:_MOST_MEMBERS]:
        shown = name[len(base) :].lstrip("/") if name.startswith(base) else name
        try:
            with system.open(name, "rb") as file:
                writer.put(shown, file.read)
        except _DAMAGE as error:
            writer.leave_out(shown, f"cannot be read: {_reason(error)}")


def _fsspec(told: str) -> Any:
    try:
        import fsspec  # noqa: PLC0415 - for those who name a URL
    except ImportError:
        raise InputError(f"{told}: {_NEEDED}") from None
    return fsspec


def _reason(error: Exception) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error)
