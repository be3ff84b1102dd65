"""Models of OpenMP's runtime functions as host code calls them, outside parallel regions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from roofline_analysis.host.buffer_space import BufferSpace
from roofline_analysis.host.libraries.c import copy_contents
from roofline_analysis.host.state.arguments import Arguments, by_name, nothing
from roofline_analysis.host.state.memory import Storage
from roofline_analysis.host.state.operators import integer
from roofline_analysis.host.values import Pointer, Value
from roofline_core.algebra.symbolic import ZERO
from roofline_core.program.types import Type

_HOST_THREADS: Final = 16
"""Assumed for the processors of the host, which the source does not give."""

_SERIAL: Final[Mapping[str, int]] = {
    "omp_get_thread_num": 0,
    "omp_get_num_threads": 1,
    "omp_get_team_num": 0,
    "omp_get_num_teams": 1,
    "omp_in_parallel": 0,
    "omp_get_level": 0,
    "omp_is_initial_device": 1,
    "omp_get_default_device": 0,
    "omp_target_is_present": 1,
}
"""What is so wherever one thread of the host runs; the default device is the GPU."""


def _serial(args: Arguments) -> Value:
    return integer(_SERIAL[args.name])


def _devices(args: Arguments) -> Value:
    # The host's number is the one after the last device.
    return integer(args.interpreter.options.device_count)


def _processors(args: Arguments) -> Value:
    return args.unknown("it depends on the host's processors", "int", _HOST_THREADS)


def _time(args: Arguments) -> Value:
    return args.unknown("it depends on the time of the run", "double", 1.0)


def _allocate(args: Arguments) -> Value:
    return _memory(args, BufferSpace.DEVICE)


def _allocate_elsewhere(args: Arguments) -> Value:
    shared = args.name.endswith("shared")
    return _memory(args, BufferSpace.MANAGED if shared else BufferSpace.HOST)


def _memory(args: Arguments, space: BufferSpace) -> Pointer:
    origin = args.interpreter.origin(args.name, args.line)
    storage = Storage("", space, args.expr(0), None, origin)
    return Pointer(storage, ZERO, Type("void"), origin)


def _mapped(args: Arguments) -> Value:
    return args.value(0)


def _copy(args: Arguments) -> Value:
    copy_contents(args, 0, 1)
    return integer(0)


def _copy_part(args: Arguments) -> Value:
    storage = args.storage(0)
    if storage is not None:
        args.interpreter.forget_contents(storage)
    return integer(0)


MODELS: Final = by_name(
    {
        _serial: _SERIAL,
        _devices: "omp_get_num_devices omp_get_initial_device".split(),
        _processors: "omp_get_max_threads omp_get_num_procs omp_get_thread_limit".split(),
        _time: "omp_get_wtime omp_get_wtick".split(),
        nothing: (
            "omp_set_num_threads omp_set_dynamic omp_set_nested omp_set_default_device "
            "omp_set_schedule omp_set_max_active_levels omp_target_free omp_init_lock "
            "omp_destroy_lock omp_set_lock omp_unset_lock omp_target_associate_ptr "
            "omp_target_disassociate_ptr"
        ).split(),
        _allocate: "omp_target_alloc llvm_omp_target_alloc_device".split(),
        _allocate_elsewhere: (
            "omp_alloc llvm_omp_target_alloc_host llvm_omp_target_alloc_shared"
        ).split(),
        _mapped: ("omp_get_mapped_ptr",),
        _copy: ("omp_target_memcpy",),
        _copy_part: ("omp_target_memcpy_rect",),
    }
)
