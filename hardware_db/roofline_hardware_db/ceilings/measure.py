"""Compiles and runs the benchmarks, which takes a compiler and a GPU."""

from __future__ import annotations

import datetime as dt
import math
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from roofline_hardware_db import Gpu
from roofline_hardware_db.ceilings.errors import MeasurementError
from roofline_hardware_db.ceilings.store import FIGURES, Ceilings
from roofline_hardware_db.names import words_of

SOURCE = Path(__file__).parent / "benchmarks" / "ceilings.cu"
LONGEST_COMPILATION_S = 300.0
LONGEST_RUN_S = 120.0

_COMPILERS = {
    "NVIDIA": ("nvcc", ("CUDA_HOME", "CUDA_PATH"), "-arch={}"),
    "AMD": ("hipcc", ("ROCM_PATH", "HIP_PATH"), "--offload-arch={}"),
}
"""By vendor: the compiler, what may tell its folder, and how it is told the architecture."""


def measure(gpu: Gpu, environment: Mapping[str, str] = os.environ) -> Ceilings:
    """What this GPU, the first one of this machine, reaches. Takes a minute.

    Raises MeasurementError where there is no compiler or no such GPU, or if a step fails.
    """
    compiler, option = _compiler(gpu, environment)
    with tempfile.TemporaryDirectory(prefix="roofline-lsp-") as folder:
        program = Path(folder) / "ceilings"
        language = ("-x", "hip") if gpu.vendor == "AMD" else ()
        options = ("-O3", "-std=c++17", option, *language)
        command = (compiler, *options, str(SOURCE), "-o", str(program))
        _run(command, LONGEST_COMPILATION_S, "compiling the benchmarks")
        printed = _run((str(program),), LONGEST_RUN_S, "running the benchmarks")
    device, figures = _figures(printed)
    if not _is_called(gpu, device):
        raise MeasurementError(
            f"the first GPU of this machine is '{device}', not {gpu.name}; name the one to measure:"
            " `roofline-lsp gpus --measure NAME`"
        )
    day = dt.datetime.now(tz=dt.UTC).date().isoformat()
    return Ceilings(figures, device, _version(compiler), day)


def _compiler(gpu: Gpu, environment: Mapping[str, str]) -> tuple[str, str]:
    """The compiler for a GPU, and the option that names its architecture."""
    known = _COMPILERS.get(gpu.vendor)
    if known is None:
        raise MeasurementError(
            f"{gpu.name} cannot be measured: the benchmarks are CUDA and HIP; put what it reaches"
            f" into roofline.toml under [gpus.'{gpu.name}'.measured]"
        )
    name, variables, option = known
    folders = [f"{environment[v]}/bin" for v in variables if environment.get(v)]
    path = os.pathsep.join((environment.get("PATH", ""), *folders))
    found = shutil.which(name, path=path)
    if found is None:
        raise MeasurementError(
            f"{gpu.name} cannot be measured: there is no {name} on the PATH"
            f" nor under {' or '.join(f'${variable}' for variable in variables)}"
        )
    return found, option.format(gpu.architecture.name)


def _version(compiler: str) -> str:
    """The line in which a compiler tells its version: ``Cuda compilation tools, release 13.0``."""
    lines = _run((compiler, "--version"), LONGEST_RUN_S, "asking the compiler its version")
    telling = [line.strip() for line in lines.splitlines() if re.search("release|version", line)]
    return telling[0] if telling else Path(compiler).name


def _run(command: Sequence[str], longest_s: float, what: str) -> str:
    """What a program prints. Raises MeasurementError with what it complained of last."""
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=longest_s,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise MeasurementError(f"{what} took longer than {longest_s:.0f} s") from error
    except OSError as error:
        raise MeasurementError(f"{what} failed: {command[0]}: {error.strerror}") from error
    if done.returncode != 0:
        said = (done.stderr or done.stdout).decode(errors="replace").strip().splitlines()
        why = said[-1] if said else f"it ended with code {done.returncode}"
        raise MeasurementError(f"{what} failed: {why}")
    return done.stdout.decode(errors="replace")


def _figures(printed: str) -> tuple[str, dict[str, float]]:
    """The device's name and the figures that the benchmarks print, one a line."""
    words = [line.partition(" ") for line in printed.splitlines()]
    said = {name: rest.strip() for name, _, rest in words}
    figures: dict[str, float] = {}
    for name in FIGURES:
        try:
            value = float(said.get(name, "nan"))
        except ValueError:
            value = math.nan
        if 0 < value < math.inf:
            figures[name] = value
    if "device" not in said or "memory_bandwidth_gbs" not in figures:
        raise MeasurementError("the benchmarks printed no figures")
    return said["device"], figures


def _is_called(gpu: Gpu, device: str) -> bool:
    """Whether this may be the GPU's name; runtimes leave memory sizes out."""
    names = (gpu.name, *gpu.aliases, *gpu.default_for)
    return _model(device) in {_model(name) for name in names}


def _model(name: str) -> tuple[str, ...]:
    return tuple(word for word in words_of(name) if not word.endswith("gb"))
