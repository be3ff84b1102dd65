"""The memory system as a shared library, called by ctypes."""

from __future__ import annotations

import ctypes
import platform
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

import roofline_profiling
from tests.profiling.emulate.memory_oracle import LANES, Machine, Request, Traffic

COMPILER = shutil.which("g++")

NATIVE = Path(roofline_profiling.__file__).parent / "emulate" / "native"
SOURCES = ("coalescing.cpp", "shared_memory.cpp", "caches.cpp", "memory_system.cpp")
BUILDS = {"native": ["-march=native"]}
if platform.machine() in {"x86_64", "AMD64"}:
    BUILDS |= {"avx2": ["-march=native", "-mno-avx512f"], "portable": ["-march=x86-64"]}


def build(name: str, path: Path) -> Library:
    """Build the memory system with the flags of that name."""
    calls = Path(__file__).with_name("memory_system_calls.cpp")
    sources = [str(calls), *(str(NATIVE / source) for source in SOURCES)]
    flags = ["-std=c++17", "-O2", "-shared", "-fPIC", "-Wall", "-Wextra", "-Werror"]
    command = [str(COMPILER), *flags, *BUILDS[name], f"-I{NATIVE}", *sources, "-o", str(path)]
    subprocess.run(command, check=True)
    return Library(path)


class Library:
    """The memory system as built."""

    def __init__(self, path: Path) -> None:
        """Declare what the calls take and give."""
        self.calls = ctypes.CDLL(str(path))
        self.calls.make_system.restype = ctypes.c_void_p
        whole, long, pointer = ctypes.c_uint32, ctypes.c_uint64, ctypes.c_void_p
        self.calls.call_coalesce.argtypes = [whole, pointer, whole, pointer]
        self.calls.call_shared_passes.argtypes = [whole, pointer, whole, whole]
        self.calls.call_shared_passes.restype = whole
        self.calls.make_system.argtypes = [whole, long, long, whole, whole, whole]
        self.calls.begin_launch.argtypes = [pointer, long]
        self.calls.access.argtypes = [pointer, whole, whole, pointer, whole, whole, whole]
        self.calls.access.restype = whole
        self.calls.end_launch.argtypes = [pointer, pointer]
        self.calls.drop_system.argtypes = [pointer]

    def coalesce(self, request: Request) -> tuple[int, int]:
        """Sectors and lines, whatever the addresses of inactive lanes."""
        counted = [(ctypes.c_uint32 * 2)() for _ in range(2)]
        mask, width = mask_of(request.addresses), request.width
        self.calls.call_coalesce(mask, addresses_of(request), width, counted[0])
        self.calls.call_coalesce(mask, addresses_of(request, far=True), width, counted[1])
        assert list(counted[0]) == list(counted[1])
        return counted[0][0], counted[0][1]

    def shared_passes(self, offsets: Mapping[int, int], width: int, atomic: bool) -> int:
        """Passes of shared memory."""
        values = (ctypes.c_uint32 * LANES)(*([0xDEADBEEF] * LANES))
        for lane, at in offsets.items():
            values[lane] = at
        return int(self.calls.call_shared_passes(mask_of(offsets), values, width, atomic))


class System:
    """A memory system of a machine."""

    def __init__(self, library: Library, machine: Machine) -> None:
        """Make one, or say that it was refused."""
        self.calls = library.calls
        self.at = self.calls.make_system(
            machine.multiprocessors,
            machine.l1_bytes,
            machine.l2_bytes,
            machine.l2_ways,
            machine.dram_fetch_bytes,
            machine.fill_on_eviction,
        )
        if not self.at:
            raise ValueError("refused")

    def __del__(self) -> None:
        if self.at:
            self.calls.drop_system(self.at)

    def begin_launch(self, l1_bytes: int) -> None:
        """Caches cold."""
        self.calls.begin_launch(self.at, l1_bytes)

    def access(self, sm: int, request: Request) -> None:
        """One request."""
        done = self.calls.access(
            self.at,
            sm,
            mask_of(request.addresses),
            addresses_of(request),
            request.width,
            request.operation,
            request.bypass,
        )
        if not done:
            raise IndexError(sm)

    def end_launch(self) -> Traffic:
        """What the launch cost."""
        counted = (ctypes.c_uint64 * 7)()
        self.calls.end_launch(self.at, counted)
        return Traffic(*counted)


def mask_of(lanes: Mapping[int, int]) -> int:
    return sum(1 << lane for lane in lanes)


def addresses_of(request: Request, far: bool = False) -> ctypes.Array[ctypes.c_uint64]:
    """Of all lanes. Inactive ones continue what the first active lane begins, or are far away."""
    first, at = min(request.addresses.items(), default=(0, 0))
    start, step = (0xDEAD_BEEF_0000, 4099) if far else (at - first * request.width, request.width)
    values = (ctypes.c_uint64 * LANES)(*(start + lane * step for lane in range(LANES)))
    for lane, at in request.addresses.items():
        values[lane] = at
    return values
