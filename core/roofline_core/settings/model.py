"""The options of one run, resolved."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from pathlib import Path
from typing import Literal, get_args

from roofline_core.program.records import record
from roofline_core.settings.advisor import AdvisorSettings
from roofline_core.settings.own_gpus import CeilingKind, OwnGpu

Clock = Literal["base", "boost"]

CLOCKS: tuple[Clock, ...] = get_args(Clock)
"""Every value of ``Settings.clock``."""

VerdictRuleName = Literal["compulsory", "study"]

VERDICT_RULES: tuple[VerdictRuleName, ...] = get_args(VerdictRuleName)
"""Every value of ``Settings.rule``."""

COMMON_GPUS = ("A100", "H100", "RTX 4090", "MI300X")
"""The GPUs that an editor's hover compares with unless it is told others."""


CompilerName = Literal["auto", "nvcc", "clang", "hipcc"]

COMPILERS: tuple[CompilerName, ...] = get_args(CompilerName)
"""Every value of ``Settings.compiler``."""


@record(frozen=True, slots=True)
class Settings:
    """What a person chose, defaults filled in. Resolved once and passed down."""

    gpu: str = "RTX 3080"
    """The GPU to judge kernels for, by a name the hardware database knows, or that of ``gpus``.

    ``auto``: the one of this machine, or the default if there is none.
    """
    clock: Clock = "boost"
    """The clock that the peaks are computed at: ``base`` or ``boost``."""
    rule: VerdictRuleName = "compulsory"
    """What decides the class.

    ``compulsory``: every pipe against compulsory DRAM traffic, in which what is written counts as
    written. ``study``: SP, DP and INT against the bytes that Nsight Compute counts while the kernel
    runs, as in the HPDC'25 study; written bytes that L2 still holds are not among them.
    """
    compiler: CompilerName = "auto"
    """Whose machine code is counted. ``auto``: clang's for OpenMP and for HIP on AMD's GPUs, else
    nvcc's."""
    fast_math: bool | None = None
    """Whether kernels are compiled for fast arithmetic, as by nvcc's ``-use_fast_math``.

    Divisions, roots and functions of single precision then take fewer operations. None: as build
    files say, each file by its own command.
    """
    args: tuple[str, ...] | None = None
    """The program's command-line arguments, its own name left out.

    None: not known, so values that come from the command line are unknown too. ``()``: run without
    any.
    """
    per_program_args: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """By glob pattern, as for ``per_file_ignores``, the arguments of programs with such a file.

    They go before ``args`` of the same origin; of several patterns the first that matches counts.
    """
    kernels: tuple[tuple[str, str], ...] = ()
    """By glob pattern of kernels' names, numbers that the source leaves open.

    The words are those of comments, ``n = 4096, grid = (256, 1, 1)``, and go before them. Of
    several patterns that match, the first that tells a number counts.
    """
    defines: tuple[str, ...] = ()
    """Macros to define before files are read: ``NAME`` (that is 1), ``NAME=VALUE``, ``F(x)=VALUE``.

    They go before those of build files.
    """
    include_dirs: tuple[Path, ...] = ()
    """Folders that ``#include`` is looked up in, after the including file's own."""
    compile_commands: Path | None = None
    """A ``compile_commands.json`` that tells each file's macros and include folders.

    None: those in the folders above a file, and in their ``build``, are looked at.
    """
    background_gbs: float = 0.0
    """Traffic of the machine besides the kernel, in 10^9 bytes per second, added to what is read.

    A property of a measuring machine, such as one whose display is refreshed from the GPU's memory;
    only for comparing predictions with its measurements.
    """
    background_period_ms: float = 0.0
    """How far apart its bursts are, in milliseconds: a display's frame. 0: it is steady."""
    exclude: tuple[str, ...] = ()
    """Files and folders to leave out when folders are walked, as glob patterns.

    A pattern with a slash is matched against the path below the walked folder, one without against
    each name.
    """
    advisor: AdvisorSettings = field(default_factory=AdvisorSettings)
    """The table ``[advisor]``: whether, and how, a language model is asked."""
    ceilings: CeilingKind = "spec"
    """What verdicts are judged by: ``spec``, the derived peaks, or ``measured`` ceilings.

    A ceiling that was not measured stays the derived one.
    """
    what_if: tuple[str, ...] | None = None
    """GPUs on which the class of each kernel is told, too.

    None: none in a batch, and four well-known ones in an editor's hover. ``()``: none at all.
    """
    gpus: tuple[OwnGpu, ...] = ()
    """GPUs of one's own, and overrides of those that the database knows (``[gpus.NAME]``)."""
    select: tuple[str, ...] = ()
    """The rules to apply: codes, their beginnings, names, or ``ALL``. Empty: all of them."""
    ignore: tuple[str, ...] = ()
    """The rules to leave out of them; ``ALL`` switches the rules off."""
    per_file_ignores: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """By glob pattern, as for ``exclude``, the rules to leave out in the files that it matches."""
    contracts: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """By glob pattern of kernels' names, what these shall be and cost.

    The words are those of comments: ``expect BB on A100``, ``budget dram_bytes <= 12*n``,
    ``assume n=4096``. A check holds the kernels to them.
    """
    notes: bool = True
    """Whether notes tell of each file what is not counted.

    Functions whose bodies are not known, kernels that need a macro which nothing defines, and build
    files that were read in part. An editor's default is False: hovers name the functions for the
    kernels that call them, and a hint stands at each kernel that is left out.
    """
    size_ranges: bool = True
    """Whether it is looked for the sizes at which classes change; no setting of a file.

    A sixth of the work of a check; formats that do not tell it leave it out.
    """
    settings_profile: str | None = field(default=None, compare=False)
    """The one of ``profiles`` to use. What it sets goes before what its file sets otherwise."""
    profiles: tuple[str, ...] = field(default=(), compare=False)
    """By name, settings to choose together, such as those of a large and of a small input.

    A profile may set all but ``advisor``. Here are the names of all of them.
    """
    from_project: frozenset[str] = field(default=frozenset(), compare=False)
    """The fields whose values are those of a project's file; no setting itself."""
    origins: Mapping[str, str] = field(default_factory=dict, compare=False)
    """Where each field that is set comes from, in the words of messages; no setting itself."""
    warnings: tuple[str, ...] = field(default=(), compare=False)
    """What a project's file sets in vain, since it is a person's own choice; no setting itself."""
