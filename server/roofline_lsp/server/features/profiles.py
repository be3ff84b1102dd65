"""Commands about measurements: a report imported, a program profiled or emulated when asked.

They run in a process of their own. The server never profiles or emulates unasked, and in a
workspace that the client does not say is trusted it refuses to: both run the workspace's programs.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from roofline_lsp.server.documents.places import path_of
from roofline_profiling.background import run_command

logger = logging.getLogger(__name__)

IMPORT = "roofline.importProfile"
"""Arguments: paths or URIs of reports. Answers with what was kept, as text."""
PROFILE = "roofline.profile"
"""Arguments: the program and its own arguments. Answers with the comparison, as text."""
EMULATE = "roofline.emulate"
"""Arguments: a program and its own, or a command that builds and runs it. Answers as PROFILE."""
TRUSTED = "workspaceTrusted"
"""The initialization option by which a client says that the person trusts the workspace."""

_PROGRESS = ("$ ", "profiling launch", "emulated launch", "compiling the executor")
"""What lines on standard error begin with that are no problems."""
IMPORT_LIMIT_S = 300.0
PROFILE_LIMIT_S = 1800.0


@dataclass(frozen=True, slots=True)
class Said:
    """What a command comes to."""

    text: str
    failed: bool


async def import_profiles(
    reports: Sequence[object], folder: Path | None, overrides: Sequence[str]
) -> Said:
    """Keep the measurements of reports beside the project in ``folder``.

    ``overrides`` are options of the command line, such as the GPU of editor settings.
    """
    if folder is None:
        return Said("open a folder to keep measurements in", failed=True)
    if not reports or not all(isinstance(each, str) and each for each in reports):
        return Said(f"{IMPORT} takes the path of a report", failed=True)
    paths = [_path(str(each), folder) for each in reports]
    argv = ["import", "--sources", str(folder), *overrides, "--", *map(str, paths)]
    return await _run(argv, folder, IMPORT_LIMIT_S)


async def profile_program(
    program: Sequence[object],
    folder: Path | None,
    overrides: Sequence[str],
    *,
    trusted: bool,
    command: str = PROFILE,
) -> Said:
    """Measure a program of a trusted workspace; ``command`` is ``PROFILE`` or ``EMULATE``."""
    modes = ["--profile", *(["--emulate"] if command == EMULATE else [])]
    if not trusted:
        what = "emulation" if command == EMULATE else "profiling"
        return Said(
            f"{what} runs programs of this workspace, which is not trusted; trust it, or run"
            f" roofline-lsp {' '.join(modes)} in a terminal",
            failed=True,
        )
    if folder is None:
        return Said("open a folder to profile a program of", failed=True)
    if not program or not all(isinstance(each, str) for each in program):
        return Said(f"{command} takes a program and its arguments", failed=True)
    argv = [*modes, "--sources", str(folder), *overrides, "--", *map(str, program)]
    return await _run(argv, folder, PROFILE_LIMIT_S)


def _path(text: str, folder: Path) -> Path:
    return path_of(text) if text.startswith("file:") else folder / text


async def _run(argv: Sequence[str], folder: Path, limit_s: float) -> Said:
    try:
        ended = await run_command(argv, folder, limit_s=limit_s)
    except TimeoutError:
        return Said(f"it took longer than {limit_s:g} s and was ended", failed=True)
    except OSError as error:
        return Said(f"it cannot be run: {error.strerror}", failed=True)
    problems = [line.removeprefix("roofline-lsp: ") for line in ended.err.splitlines()]
    told = [line for line in problems if line and not line.startswith(_PROGRESS)]
    if ended.code == 0:
        return Said(ended.out, failed=False)
    logger.warning("%s", "; ".join(told))
    return Said("\n".join((*told, ended.out)).strip(), failed=not ended.out)
