"""What is known of a GPU and of its architecture.

Every field that can be unknown is None then, never 0. The names of the fields are the keys of the
TOML files; README.md describes the format. "SM" stands for the unit that runs a thread block: AMD
calls it a compute unit (CU).
"""

from collections.abc import Mapping
from dataclasses import field, fields

from roofline_core.program.precision import Precision
from roofline_core.program.records import record
from roofline_hardware_db.host_link import HostLink, pcie_link
from roofline_hardware_db.instruction_rates import InstructionRates
from roofline_hardware_db.names import slug_of
from roofline_hardware_db.roofline import ClockKind, Roofline

MIB = 1024 * 1024
OPERATIONS_PER_MULTIPLY_ADD = 2
SEGMENTS = ("data-centre", "workstation", "consumer", "laptop", "embedded")
"""What a GPU is sold for; ``segment`` is one of these."""


SHARED = "shared"
"""The value of ``host_memory`` where GPU and host have one memory."""


@record(frozen=True, slots=True)
class Source:
    """Where some numbers come from: a document, and the fields that it vouches for.

    A field is named as in the TOML file (``sm_count``, ``tensor_flops_per_clock_sm.fp16``); the
    name of a table (``tensor_flops_per_clock_sm``) stands for those in it that are not named apart.
    """

    fields: tuple[str, ...]
    document: str


@record(frozen=True, slots=True)
class OccupancyLimits:
    """What bounds the number of thread blocks resident on an SM.

    Registers are 32 bits wide (AMD: vector registers) and are handed to a warp in multiples of
    ``register_alloc_unit``. A block's shared memory is rounded up to ``shared_alloc_unit_bytes``
    after ``shared_reserved_bytes_per_block`` is added. Each of the ``subpartitions_per_sm``
    (warp schedulers, SIMDs) owns an equal part of the registers.
    """

    warps_per_sm: int
    threads_per_sm: int
    threads_per_block: int
    registers_per_sm: int
    registers_per_thread: int
    register_alloc_unit: int
    subpartitions_per_sm: int
    shared_bytes_per_sm: int
    shared_bytes_per_block: int
    shared_alloc_unit_bytes: int
    shared_reserved_bytes_per_block: int = field(metadata={"minimum": 0})
    blocks_per_sm: int | None = None
    registers_per_block: int | None = None


@record(frozen=True, slots=True)
class TensorRates:
    """Dense operations per clock per SM on tensor cores (AMD: matrix cores).

    A multiply-add counts as two, and no figure is for sparse matrices. Floating-point kinds
    accumulate in 32 bits (``fp64`` in 64), except ``fp16_acc16``.
    """

    fp64: float | None = None
    tf32: float | None = None
    bf16: float | None = None
    fp16: float | None = None
    fp16_acc16: float | None = None
    fp8: float | None = None
    int8: float | None = None


@record(frozen=True, slots=True)
class Peaks:
    """Peaks of a GPU as somebody gives them: its vendor, or a measurement on one machine.

    10^12 operations per second (a multiply-add counts as two), dense, and 10^9 bytes per second.
    What the vendor states is at the boost clock and only checks the rates.
    """

    fp64_tflops: float | None = None
    fp32_tflops: float | None = None
    fp16_tflops: float | None = None
    int32_tops: float | None = None
    tensor_fp16_tflops: float | None = None
    memory_bandwidth_gbs: float | None = None

    def gops(self) -> dict[Precision, float]:
        """The known peaks by precision, in 10^9 operations per second."""
        found = {
            Precision.SP: self.fp32_tflops,
            Precision.DP: self.fp64_tflops,
            Precision.HP: self.fp16_tflops,
            Precision.INT: self.int32_tops,
            Precision.TENSOR: self.tensor_fp16_tflops,
        }
        return {precision: peak * 1000 for precision, peak in found.items() if peak is not None}


@record(frozen=True, slots=True)
class MigProfile:
    """What one kind of slice of a partitioned GPU (NVIDIA MIG) has of the whole.

    ``memory_fraction`` is its share of the memory and of its bandwidth, ``l2_fraction`` of the L2
    cache.
    """

    sm_count: int
    memory_fraction: float
    l2_fraction: float


@record(frozen=True, slots=True)
class Architecture:
    """What all GPUs of one compute capability (``sm_86``) or LLVM target (``gfx942``) share.

    Intel's are called after the device families of its offline compiler (``dg2``, ``pvc``).
    ``generation`` is the marketing name (``Ampere``). ``warp_size`` is the number of threads that
    run in step (AMD: of a wavefront), ``sector_bytes`` the least that the L2 cache reads from
    memory at a time.
    """

    name: str
    vendor: str
    title: str
    generation: str
    warp_size: int
    sector_bytes: int
    instructions_per_clock_sm: InstructionRates
    occupancy: OccupancyLimits
    sources: tuple[Source, ...] = ()

    @property
    def compute_capability(self) -> str | None:
        """``8.6`` for ``sm_86``; None for GPUs that are not NVIDIA's."""
        digits = self.name.removeprefix("sm_")
        return f"{digits[:-1]}.{digits[-1]}" if digits != self.name else None


@record(frozen=True, slots=True)
class Gpu:
    """One GPU that a program can run on: a product, or one of the devices on a board of several.

    ``memory_gb`` is the capacity as marketed, ``l2_mb`` and ``l3_mb`` (AMD Infinity Cache) count
    2^20 bytes, ``memory_bandwidth_gbs`` 10^9 bytes per second. ``aliases`` are names that tools
    report for this GPU, ``default_for`` names that several GPUs share and that mean this one when
    nothing else is said. ``instructions_per_clock_sm`` holds only what differs from the
    architecture; ``rates`` is the result.

    ``pcie_generation`` (4, 1.1) and ``pcie_lanes`` are of the bus to the host; where that is
    NVLink-C2C, ``c2c_bandwidth_gbs`` is what it carries in each direction. ``host_memory`` is
    ``shared`` where the memory of the host is the GPU's own, as on a Jetson: no bus lies between.

    ``pci_ids`` are ``vendor:device`` or, where revisions tell products apart (AMD),
    ``vendor:device:revision``, in lower-case hexadecimal. ``devices_per_board`` counts the devices
    of a board whose figures this entry gives for one of them. ``disputed`` says of a field what
    another source gives, ``exceptions`` of a stated peak why the derived one differs, ``mig`` has
    the slices of a partitioned GPU by the name of their profile, ``ceilings`` what was measured.
    """

    name: str
    vendor: str
    architecture: Architecture
    sm_count: int
    boost_clock_mhz: float
    memory_bandwidth_gbs: float
    aliases: tuple[str, ...] = ()
    default_for: tuple[str, ...] = ()
    base_clock_mhz: float | None = None
    tensor_clock_mhz: float | None = None
    memory_gb: float | None = None
    memory_type: str | None = None
    l2_mb: float | None = None
    l3_mb: float | None = None
    pcie_generation: float | None = None
    pcie_lanes: int | None = None
    c2c_bandwidth_gbs: float | None = None
    host_memory: str | None = None
    segment: str | None = None
    devices_per_board: int | None = None
    pci_ids: tuple[str, ...] = ()
    instructions_per_clock_sm: InstructionRates = InstructionRates()
    tensor_flops_per_clock_sm: TensorRates = TensorRates()
    stated: Peaks = Peaks()
    ceilings: Peaks = Peaks()
    mig: Mapping[str, MigProfile] = field(default_factory=dict)
    disputed: Mapping[str, str] = field(default_factory=dict)
    exceptions: Mapping[str, str] = field(default_factory=dict)
    sources: tuple[Source, ...] = ()

    def __hash__(self) -> int:
        """By name; tables of remarks and slices cannot be hashed."""
        return hash(self.name)

    @property
    def slug(self) -> str:
        """The short name that settings and files use, such as ``rtx-3080-10gb``."""
        return slug_of(self.name)

    @property
    def rates(self) -> InstructionRates:
        """The architecture's rates with this GPU's own ones in their place."""
        return self.architecture.instructions_per_clock_sm.overridden_by(
            self.instructions_per_clock_sm
        )

    @property
    def l2_bytes(self) -> float | None:
        """Capacity of the L2 cache in bytes."""
        return None if self.l2_mb is None else self.l2_mb * MIB

    @property
    def l3_bytes(self) -> float | None:
        """Capacity of the cache between L2 and DRAM in bytes; None where there is none."""
        return None if self.l3_mb is None else self.l3_mb * MIB

    @property
    def last_cache_bytes(self) -> float | None:
        """Capacity of the last cache before DRAM in bytes."""
        return self.l2_bytes if self.l3_bytes is None else self.l3_bytes

    @property
    def host_link(self) -> HostLink | None:
        """The bus to the host's memory; None where it is not known or there is none."""
        if self.shares_host_memory:
            return None
        if self.c2c_bandwidth_gbs is not None:
            return HostLink("NVLink-C2C", self.c2c_bandwidth_gbs)
        if self.pcie_generation is None or self.pcie_lanes is None:
            return None
        return pcie_link(self.pcie_generation, self.pcie_lanes)

    @property
    def check_bits_share(self) -> float:
        """Bytes of check bits that DRAM moves for each byte, as error correction is set by default.

        NVIDIA's data-centre GPUs with GDDR memory keep them in that memory, where its counters see
        them: a sector for eight. HBM has memory of its own for them, and others have none.
        Measured: launches of one program move 1.12 to 1.17 times the bytes on an A10 that they move
        on an RTX 3080 (quartile and median), 1.18 to 1.23 times on a K40c against a GTX 980.
        """
        gddr = self.memory_type is not None and self.memory_type.startswith("GDDR")
        return 1 / 8 if gddr and self.vendor == "NVIDIA" and self.segment == "data-centre" else 0.0

    @property
    def has_hbm(self) -> bool:
        """Whether its memory is stacked (HBM)."""
        return self.memory_type is not None and self.memory_type.startswith("HBM")

    @property
    def shares_host_memory(self) -> bool:
        """Whether GPU and host have one memory."""
        return self.host_memory == SHARED

    def source_of(self, field_name: str) -> str | None:
        """The document that vouches for a number of this GPU's file, or None."""
        documents = {name: source.document for source in self.sources for name in source.fields}
        return documents.get(field_name) or documents.get(field_name.partition(".")[0])

    def roofline(self, clock: ClockKind, *, measured: bool = False) -> Roofline:
        """The roofline at the base or the boost clock.

        Peaks are rate x SMs x clock x 2: a multiply-add counts as two operations, integer ones
        included (the convention of the HPDC'25 paper and of NVIDIA's INT32 figures). The tensor
        peak is dense FP16 with FP32 accumulation, at the tensor clock where that is lower. Where
        no base clock is published the boost clock is used, and the result says so. With
        ``measured``, the ceilings that are known take the place of derived peaks and bandwidth.
        """
        clock_mhz = self.base_clock_mhz if clock is ClockKind.BASE else self.boost_clock_mhz
        if clock_mhz is None:
            clock, clock_mhz = ClockKind.BOOST, self.boost_clock_mhz
        rates = self.rates
        per_clock_sm = {
            Precision.SP: _operations(rates.fp32),
            Precision.DP: _operations(rates.fp64),
            Precision.HP: _operations(rates.fp16),
            Precision.INT: _operations(rates.int32),
            Precision.TENSOR: self.tensor_flops_per_clock_sm.fp16,
        }
        peaks_gops = {
            precision: operations * self.sm_count * self._clock_of(precision, clock_mhz) / 1000
            for precision, operations in per_clock_sm.items()
            if operations is not None
        }
        bandwidth_gbs = self.memory_bandwidth_gbs
        if measured:
            peaks_gops |= self.ceilings.gops()
            bandwidth_gbs = self.ceilings.memory_bandwidth_gbs or bandwidth_gbs
        return Roofline(clock, clock_mhz, peaks_gops, bandwidth_gbs)

    def tensor_peaks_tflops(self, clock: ClockKind) -> dict[str, float]:
        """Dense peaks on tensor cores by type (``tf32``, ``fp16``, ...), in 10^12 per second."""
        clock_mhz = self.roofline(clock).clock_mhz
        scale = self.sm_count * self._clock_of(Precision.TENSOR, clock_mhz) / 1_000_000
        rates = self.tensor_flops_per_clock_sm
        return {
            entry.name: rate * scale
            for entry in fields(rates)
            if (rate := getattr(rates, entry.name)) is not None
        }

    def _clock_of(self, precision: Precision, clock_mhz: float) -> float:
        """Tensor cores may run slower than the rest of the chip (H100: 1830 against 1980 MHz)."""
        if precision is Precision.TENSOR and self.tensor_clock_mhz is not None:
            return min(clock_mhz, self.tensor_clock_mhz)
        return clock_mhz


def _operations(rate: float | None) -> float | None:
    """Operations per clock of so many multiply-adds per clock."""
    return None if rate is None else rate * OPERATIONS_PER_MULTIPLY_ADD
