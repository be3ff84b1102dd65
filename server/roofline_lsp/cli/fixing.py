"""``--fix`` and ``--diff``: the quick fixes of findings applied to files, or shown."""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from roofline_analysis.report.report import Edit, FileReport, Finding
from roofline_analysis.rules.source_text import applied
from roofline_core.program.errors import RooflineError
from roofline_core.program.units import Span
from roofline_core.text.units import counted
from roofline_lsp.cli.files import read_regular


class FixError(RooflineError):
    """Fixes that cannot be made."""


@dataclass(frozen=True, slots=True)
class Fixed:
    """What fixes make of files."""

    texts: tuple[tuple[Path, bytes, bytes], ...]
    """Of each file that changes: its path, its text and the new one."""
    made: tuple[Finding, ...]
    overlapping: int
    """Findings whose edits meet those of another; they are left."""
    inexact: int
    """Findings left because results may differ in their last bits."""


def fixed(files: Iterable[FileReport], *, inexact: bool) -> Fixed:
    """The fixes of all findings that do not meet one another, the largest gain first."""
    checked = list(files)
    own = {file.path for file in checked}
    wanted = [each for file in checked for each in file.all_findings() if each.fix is not None]
    wanted.sort(key=lambda each: -_gain(each))
    taken: dict[Path, list[Edit]] = {}
    made: list[Finding] = []
    overlapping = left = 0
    for finding in wanted:
        fix = finding.fix
        if fix is None or (not fix.exact and not inexact):
            left += 1
            continue
        if any(edit.path not in own for edit in fix.edits):
            continue
        if any(_meet(edit, other) for edit in fix.edits for other in taken.get(edit.path, ())):
            overlapping += 1
            continue
        made.append(finding)
        for edit in dict.fromkeys(fix.edits):
            taken.setdefault(edit.path, []).append(edit)
    texts = tuple(_changed(taken))
    return Fixed(texts, tuple(made), overlapping, left)


def write_fixes(found: Fixed) -> None:
    """Write the new texts. Raises FixError where a file cannot be written."""
    for asked, _, new in found.texts:
        path = Path(os.path.realpath(asked))
        beside = path.with_name(f".{path.name}.roofline-fix")
        try:
            beside.write_bytes(new)
            beside.chmod(path.stat().st_mode & 0o777)
            os.replace(beside, path)  # noqa: PTH105 - whole or not at all
        except OSError as error:
            beside.unlink(missing_ok=True)
            raise FixError(f"{path}: cannot be written: {error.strerror}") from None


def difference(found: Fixed) -> str:
    """What the fixes change, as a unified diff that ``git apply`` and ``patch -p1`` read."""
    lines: list[str] = []
    for path, old, new in found.texts:
        name = path.as_posix().lstrip("/")
        for line in difflib.unified_diff(_lines(old), _lines(new), f"a/{name}", f"b/{name}"):
            lines.append(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n")
    return "".join(lines)


def told(found: Fixed, *, applied_now: bool) -> Iterator[str]:
    """What was done and what was left, in sentences."""
    verb = "fixed" if applied_now else "would fix"
    files = counted(len(found.texts), "file")
    yield f"{verb} {counted(len(found.made), 'finding')} in {files}"
    if found.overlapping:
        yield f"{counted(found.overlapping, 'fix', 'fixes')} left that meet others: run it again"
    if found.inexact:
        fixes = counted(found.inexact, "fix", "fixes")
        yield f"{fixes} left after which results may differ in their last bits: --inexact-fixes"


def _gain(finding: Finding) -> float:
    effect = finding.effect
    return 0.0 if effect is None else effect.time_ns - effect.new_time_ns


def _meet(edit: Edit, other: Edit) -> bool:
    """Whether two edits of a file overlap; the same edit twice is one, for two findings."""
    if edit == other:
        return False
    first, second = sorted((edit.span, other.span), key=_begin)
    return _begin(second) < (first.end_line, first.end_column) or _begin(first) == _begin(second)


def _begin(span: Span) -> tuple[int, int]:
    return span.line, span.column


def _changed(taken: dict[Path, list[Edit]]) -> Iterator[tuple[Path, bytes, bytes]]:
    for path, edits in taken.items():
        old = read_regular(path)
        if old is None:
            continue
        new = applied(old, tuple(dict.fromkeys(edits)))
        if new != old:
            yield path, old, new


def _lines(text: bytes) -> Sequence[str]:
    return text.decode("utf-8", "surrogateescape").splitlines(keepends=True)
