"""GPU specifications: what the roofline and the occupancy of a kernel are computed from.

Each GPU is a TOML file with a source for every number; README.md describes the format.
"""

from roofline_hardware_db.errors import GpuDataError, UnknownGpuError
from roofline_hardware_db.host_link import HostLink
from roofline_hardware_db.instruction_rates import InstructionRates
from roofline_hardware_db.load import load_gpu_file
from roofline_hardware_db.lookup import find_gpu, gpu_names
from roofline_hardware_db.model import (
    Architecture,
    Gpu,
    MigProfile,
    OccupancyLimits,
    Peaks,
    Source,
    TensorRates,
)
from roofline_hardware_db.roofline import ClockKind, Roofline

__all__ = [
    "Architecture",
    "ClockKind",
    "Gpu",
    "GpuDataError",
    "HostLink",
    "InstructionRates",
    "MigProfile",
    "OccupancyLimits",
    "Peaks",
    "Roofline",
    "Source",
    "TensorRates",
    "UnknownGpuError",
    "find_gpu",
    "gpu_names",
    "load_gpu_file",
]
