"""What a GPU reaches in benchmarks: measured on the machine that has it, kept, and looked up.

``benchmarks/`` holds the sources, for nvcc and hipcc.
"""

from roofline_hardware_db.ceilings.errors import MeasurementError
from roofline_hardware_db.ceilings.store import (
    FIGURES,
    Ceilings,
    load_ceilings,
    save_ceilings,
    store_path,
)

__all__ = [
    "FIGURES",
    "Ceilings",
    "MeasurementError",
    "load_ceilings",
    "save_ceilings",
    "store_path",
]
