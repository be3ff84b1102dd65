"""What the static model says of measured GPU kernels, on each of their GPUs, kept in a file.

A program is read once for all GPUs. What is kept is not computed again, so a run that was ended
goes on with the programs that are left.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from roofline_analysis.api.program import ProgramAnalysis, ProgramPlace
from roofline_analysis.api.targets import target_of
from roofline_analysis.report.report import Prediction
from roofline_analysis.verdict.analyse import Target
from roofline_core.program.errors import RooflineError
from roofline_core.program.precision import Precision
from roofline_core.settings import Settings
from roofline_study.dataset import MeasuredKernel
from roofline_study.judge import Inputs, judge_program
from roofline_study.programs import AnalysedProgram, ProgramAnalyser
from roofline_study.workers import in_processes

Tell = Callable[[int, int, str], None]


class KeptFeaturesError(RooflineError):
    """A file of kept features that cannot be used."""


@dataclass(frozen=True, slots=True)
class ModelledKernel:
    """What the model says of one measured launch on one GPU."""

    features: Mapping[str, float]
    """Empty where the model says nothing."""
    static_ns: float | None
    """The model's own time."""


def row_key(row: MeasuredKernel, gpu: str) -> str:
    """What a row is kept by: the launch, the macros and the GPU."""
    launch = [gpu, row.program, row.kernel, row.args, row.grid, row.block]
    return json.dumps([*launch, row.defines] if row.defines else launch)


def model_kernels(
    rows: Sequence[MeasuredKernel],
    sources: Path,
    settings: Settings,
    kept: Path,
    *,
    jobs: int,
    limit_s: float,
    tell: Tell,
) -> dict[str, ModelledKernel]:
    """What the model says of each row, by ``row_key``; rows without a GPU are on the settings' one.

    What was computed is added to the file ``kept``. Raises KeptFeaturesError.
    """
    found = _read(kept, settings)
    groups: dict[str, list[MeasuredKernel]] = {}
    for row in rows:
        if row_key(row, row.gpu or settings.gpu) not in found:
            groups.setdefault(row.program, []).append(row)
    items = list(groups.values())
    task = partial(_of_program, sources=sources, settings=settings)
    done_programs = in_processes(task, items, jobs=jobs, limit_s=limit_s)
    for count, done in enumerate(done_programs, 1):
        group = items[done.index]
        nothing = {row_key(row, row.gpu or settings.gpu): ModelledKernel({}, None) for row in group}
        made = {**nothing, **(done.result or {})}
        _append(kept, made, settings)
        found.update(made)
        tell(count, len(items), group[0].program)
    return found


def _of_program(
    rows: Sequence[MeasuredKernel], *, sources: Path, settings: Settings
) -> dict[str, ModelledKernel]:
    """The rows of one program. What goes wrong in reading it is raised."""
    analyser = ProgramAnalyser(_SharedLoads().load)
    found: dict[str, ModelledKernel] = {}
    for gpu in dict.fromkeys(row.gpu or settings.gpu for row in rows):
        here = replace(settings, gpu=gpu)
        target = target_of(here)
        chosen = [row for row in rows if (row.gpu or settings.gpu) == gpu]
        for judged in judge_program(chosen, inputs=Inputs(sources, here), analyser=analyser):
            if judged.prediction is not None:
                found[row_key(judged.row, gpu)] = ModelledKernel(
                    gpu_features(judged.prediction, target), judged.prediction.time_ns
                )
    return found


class _SharedLoads:
    """Reads a program for the first GPU that it is asked for on, and gives it for the others."""

    def __init__(self) -> None:
        self._read: dict[object, ProgramAnalysis] = {}

    def load(
        self,
        paths: Sequence[Path],
        settings: Settings,
        *,
        argv: Sequence[str] | None,
        profiled_names: Sequence[str],
        root: Path,
    ) -> AnalysedProgram:
        """The program on the settings' GPU; of equal files, flags, words and names read once."""
        words = None if argv is None else tuple(argv)
        key = (tuple(paths), settings.include_dirs, settings.defines, words, tuple(profiled_names))
        if key not in self._read:
            place = ProgramPlace(root=root)
            self._read[key] = ProgramAnalysis.load(
                paths, settings, argv=argv, profiled_names=profiled_names, place=place
            )
        first = self._read[key]
        return first if first.settings.gpu == settings.gpu else first.on(settings.gpu)


def gpu_features(prediction: Prediction, target: Target) -> dict[str, float]:
    """Amounts, what each takes at the GPU's peak in nanoseconds (``peak.``), and the GPU itself."""
    roofline, gpu = target.roofline, target.gpu
    moved = (prediction.dram_read_bytes or 0.0) + (prediction.dram_write_bytes or 0.0)
    found = {
        "model.time": prediction.time_ns or 0.0,
        "model.dram bytes": moved,
        "peak.dram": moved / roofline.bandwidth_gbs,
        "model.occupancy": 100.0 * (prediction.occupancy or 0.0),
        "gpu.bandwidth": roofline.bandwidth_gbs,
        "gpu.clock": roofline.clock_mhz,
        "gpu.units": float(gpu.sm_count),
        "gpu.cache": float(gpu.last_cache_bytes or 0.0),
    }
    for name, precision, amount in (
        ("sp", Precision.SP, prediction.sp_flops),
        ("dp", Precision.DP, prediction.dp_flops),
        ("int", Precision.INT, prediction.int_ops),
    ):
        operations = amount or 0.0
        peak = roofline.peaks_gops.get(precision) or 0.0
        found[f"model.{name}"] = operations
        found[f"peak.{name}"] = operations / peak if peak else 0.0
        found[f"gpu.{name} peak"] = peak
    found.update(_launch_features(prediction))
    return found


def _launch_features(prediction: Prediction) -> dict[str, float]:
    gx, gy, gz = prediction.grid or (1, 1, 1)
    bx, by, bz = prediction.block or (1, 1, 1)
    used, grounds, limit = prediction.utilisation, prediction.grounds, prediction.time_limit
    runs = [line.executions for line in prediction.ledger]
    return {
        "sizes.blocks": float(gx * gy * gz),
        "sizes.block threads": float(bx * by * bz),
        "sizes.threads": float(gx * gy * gz * bx * by * bz),
        "model.waves": used.waves if used is not None else 0.0,
        "model.limit time": limit.time_ns if limit is not None else 0.0,
        "model.line runs": sum(runs),
        "model.longest line": max(runs, default=0.0),
        "model.lines": float(len(runs)),
        "model.unknowns": float(len(prediction.unknowns)),
        "model.guessed sizes": float(grounds.guessed_sizes) if grounds is not None else 0.0,
        "model.reuse": grounds.reuse if grounds is not None else 0.0,
        "model.assumed share": 100.0 * grounds.assumed_share if grounds is not None else 0.0,
        "model.uncertain share": 100.0 * grounds.uncertain_share if grounds is not None else 0.0,
        "model.unseen share": 100.0 * grounds.unseen_share if grounds is not None else 0.0,
    }


def _machine(settings: Settings) -> list[str]:
    """What else than the row and the GPU decides what the model says."""
    return [settings.clock, settings.compiler]


def _read(path: Path, settings: Settings) -> dict[str, ModelledKernel]:
    """What the file keeps of the settings' clock and compiler. Raises KeptFeaturesError."""
    found: dict[str, ModelledKernel] = {}
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        return found
    except (OSError, UnicodeDecodeError) as error:
        raise KeptFeaturesError(f"{path}: cannot be read: {error}") from None
    for line in lines:
        try:
            record = json.loads(line)
            if record["machine"] != _machine(settings):
                continue
            found[record["row"]] = ModelledKernel(record["features"], record["static_ns"])
        except ValueError:
            continue  # torn off when a run was ended
        except (KeyError, TypeError):
            raise KeptFeaturesError(f"{path}: not a file of kept features; remove it") from None
    return found


def _append(path: Path, made: Mapping[str, ModelledKernel], settings: Settings) -> None:
    text = "".join(
        json.dumps(
            {
                "row": key,
                "machine": _machine(settings),
                "features": dict(each.features),
                "static_ns": each.static_ns,
            }
        )
        + "\n"
        for key, each in made.items()
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    held = path.read_bytes() if path.is_file() else b""
    torn = bool(held) and not held.endswith(b"\n")
    with path.open("a", encoding="utf-8") as file:
        file.write(("\n" if torn else "") + text)
