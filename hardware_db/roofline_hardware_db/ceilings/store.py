"""The file of measured ceilings, one for each person: JSON, by the name of the GPU."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from roofline_hardware_db import Gpu, Peaks
from roofline_hardware_db.ceilings.errors import MeasurementError

FIGURES = (
    "memory_bandwidth_gbs",
    "fp64_tflops",
    "fp32_tflops",
    "fp16_tflops",
    "int32_tops",
    "tensor_fp16_tflops",
)
"""What is measured, as the fields of ``Peaks`` are called; a multiply-add counts as two."""

FOLDER_VARIABLE = "ROOFLINE_LSP_CONFIG_DIR"
"""Where the file lies, if this is set in the environment."""


@dataclass(frozen=True, slots=True)
class Ceilings:
    """What one GPU reached."""

    figures: Mapping[str, float]
    """By the names of ``FIGURES``; what was not measured is absent."""
    device: str
    """What the GPU's runtime calls it."""
    compiler: str
    """The version line of the compiler."""
    day: str
    """``2026-11-21``."""

    def peaks(self) -> Peaks:
        """The figures as the database holds them."""
        return Peaks(**self.figures)


def store_path(environment: Mapping[str, str] = os.environ) -> Path:
    """``ceilings.json`` in the folder of this program's settings for the present person."""
    given = environment.get(FOLDER_VARIABLE)
    if given:
        return Path(given) / "ceilings.json"
    base = environment.get("XDG_CONFIG_HOME") or environment.get("APPDATA")
    folder = Path(base) if base else Path.home() / ".config"
    return folder / "roofline-lsp" / "ceilings.json"


def load_ceilings(gpu: Gpu, path: Path | None = None) -> Ceilings | None:
    """What this GPU reached, or None if it was not measured. Raises MeasurementError."""
    path = store_path() if path is None else path
    entry = _read(path).get(gpu.name)
    if entry is None:
        return None
    try:
        figures = {name: float(entry[name]) for name in FIGURES if name in entry}
        if not all(0 < value < math.inf for value in figures.values()):
            raise ValueError("a figure is not above 0")
        return Ceilings(figures, entry["device"], entry["compiler"], entry["day"])
    except (KeyError, TypeError, ValueError) as error:
        raise _broken(path, f"{gpu.name}: {error!r}") from error


def save_ceilings(gpu: Gpu, measured: Ceilings, path: Path | None = None) -> Path:
    """Put a measurement in place of the last one of this GPU. Raises MeasurementError."""
    path = store_path() if path is None else path
    content = dict(_read(path))
    content[gpu.name] = {
        **measured.figures,
        "device": measured.device,
        "compiler": measured.compiler,
        "day": measured.day,
    }
    part = path.with_name(f"{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        part.write_text(json.dumps(content, indent=1, sort_keys=True) + "\n", encoding="utf-8")
        part.replace(path)
    except OSError as error:
        raise MeasurementError(f"{path}: cannot be written: {error.strerror}") from error
    return path


def _read(path: Path) -> dict[str, dict[str, Any]]:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise MeasurementError(f"{path}: cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise _broken(path, str(error)) from error
    if not isinstance(content, dict) or not all(isinstance(v, dict) for v in content.values()):
        raise _broken(path, "it must be an object of objects")
    return content


def _broken(path: Path, why: str) -> MeasurementError:
    return MeasurementError(
        f"{path}: cannot be used ({why}); remove it, and measure with `roofline-lsp gpus --measure`"
    )
