"""Reads GPU and architecture files. All input of the package happens here and in ``index``."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path

from roofline_hardware_db.errors import GpuDataError
from roofline_hardware_db.model import Architecture, Gpu, MigProfile, Source
from roofline_hardware_db.toml_table import BadValueError, Converter, parse_toml, read_table

DATA_FOLDER = Path(__file__).parent
GPU_FOLDER = DATA_FOLDER / "gpus"
ARCHITECTURE_FOLDER = DATA_FOLDER / "architectures"


def load_gpu_file(path: Path | str) -> Gpu:
    """The GPU that a TOML file describes, such as one of a person's own.

    Its ``architecture`` is the name of one in the database (``sm_86``), or the path of an
    architecture file, relative to the GPU's file and ending in ``.toml``. Sources are not asked
    for: ``validate`` does that. Raises GpuDataError, which lists all faults.
    """
    gpu, problems = read_gpu_file(Path(path))
    if gpu is None:
        raise GpuDataError(str(path), problems)
    return gpu


def read_gpu_file(path: Path) -> tuple[Gpu | None, tuple[str, ...]]:
    """As ``load_gpu_file``, but returns the faults; the GPU is None if there are any."""
    problems: list[str] = []

    def architecture(value: object) -> Architecture:
        """The architecture of that name, from the folder of the GPU's file."""
        return _architecture_named(value, path.parent)

    converters: dict[object, Converter] = {Architecture: architecture, **_GPU_CONVERTERS}
    try:
        gpu = read_table(Gpu, parse_toml(path), converters, problems)
    except GpuDataError as error:
        return None, error.problems
    if gpu is not None and not gpu.slug:
        return None, ("name: holds no more than a brand; add the model",)
    return gpu, tuple(problems)


@cache
def load_architecture_file(path: Path) -> Architecture:
    """The architecture that a TOML file describes; raises GpuDataError, which lists all faults."""
    problems: list[str] = []
    architecture = read_table(Architecture, parse_toml(path), _SOURCES, problems)
    if architecture is None:
        raise GpuDataError(str(path), problems)
    return architecture


def architecture_names() -> tuple[str, ...]:
    """The architectures of the database, in the order of their names."""
    return tuple(sorted(path.stem for path in ARCHITECTURE_FOLDER.glob("*.toml")))


def _architecture_named(value: object, folder: Path) -> Architecture:
    if not isinstance(value, str):
        raise BadValueError("must be a string such as sm_86 or gfx942")
    own_file = value.endswith(".toml")
    path = folder / value if own_file else ARCHITECTURE_FOLDER / f"{value}.toml"
    if not own_file and not path.is_file():
        known = ", ".join(architecture_names())
        raise BadValueError(f'"{value}" is unknown; choose among {known}, or name a .toml file')
    try:
        return load_architecture_file(path)
    except GpuDataError as error:
        raise BadValueError(str(error)) from error


def _read_sources(value: object) -> tuple[Source, ...]:
    """``{"sm_count, l2_mb" = "White paper, table 3"}``: fields on the left, document right."""
    if not isinstance(value, Mapping):
        raise BadValueError("must be a table that maps fields to a document")
    sources = []
    for names, document in value.items():
        if not isinstance(document, str) or not document.strip():
            raise BadValueError(f'"{names}" must name a document, as a string')
        sources.append(Source(tuple(name.strip() for name in names.split(",")), document))
    return tuple(sources)


def _read_texts(value: object) -> Mapping[str, str]:
    """``{l2_mb = "another source gives 80"}``: a remark for each field that needs one."""
    if not isinstance(value, Mapping):
        raise BadValueError("must be a table that maps fields to remarks")
    for name, text in value.items():
        if not isinstance(text, str) or not text.strip():
            raise BadValueError(f'"{name}" must have a remark, as a string')
    return dict(value)


def _read_profiles(value: object) -> Mapping[str, MigProfile]:
    """``{"1g.10gb" = {sm_count = 16, memory_fraction = 0.125, l2_fraction = 0.125}}``."""
    if not isinstance(value, Mapping):
        raise BadValueError("must be a table that maps profiles to what they have")
    problems: list[str] = []
    profiles = {}
    for name, table in value.items():
        if not isinstance(table, Mapping):
            raise BadValueError(f'"{name}" must be a table')
        profile = read_table(MigProfile, table, {}, problems, f"{name}.")
        if profile is not None:
            profiles[name] = profile
    if problems:
        raise BadValueError("; ".join(problems))
    return profiles


_SOURCES: Mapping[object, Converter] = {tuple[Source, ...]: _read_sources}
_GPU_CONVERTERS: Mapping[object, Converter] = {
    **_SOURCES,
    Mapping[str, str]: _read_texts,
    Mapping[str, MigProfile]: _read_profiles,
}
