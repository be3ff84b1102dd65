"""Noting the library calls that the host execution meets."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from roofline_analysis.host.effects.gpu_library_names import Library, library_of, runs_kernels
from roofline_analysis.host.libraries.gpu.algorithms import cub_work, rocprim_work, thrust_work
from roofline_analysis.host.libraries.gpu.blas import blas_work
from roofline_analysis.host.libraries.gpu.copies import copy_work
from roofline_analysis.host.libraries.gpu.transforms import fft_work, random_work
from roofline_analysis.host.library_call import LibraryCall, LibraryWork
from roofline_analysis.host.state.arguments import Arguments
from roofline_analysis.host.state.interpreter_state import HostInterpreter
from roofline_analysis.host.state.memory import HostPlace
from roofline_analysis.host.values import HostUnknown
from roofline_core.algebra.symbolic import Symbol
from roofline_core.program.expressions import Call, Name

_MAX_PER_SITE: Final = 8
"""Calls with different sizes that are kept of one place in the source."""
_MAX_CALLS: Final = 256
"""Calls with different sizes that are kept."""


def _solver(args: Arguments, name: str) -> LibraryWork:
    return LibraryWork(
        "sparse or dense solver", missing="its sizes are in descriptors or not modelled"
    )


_READERS: Final[dict[Library, Callable[[Arguments, str], LibraryWork | None]]] = {
    Library.THRUST: thrust_work,
    Library.CUB: cub_work,
    Library.ROCPRIM: rocprim_work,
    Library.BLAS: blas_work,
    Library.FFT: fft_work,
    Library.RANDOM: random_work,
    Library.SPARSE: _solver,
    Library.COPY: copy_work,
}


def observe(
    interpreter: HostInterpreter, node: Call, callee: Name, args: Sequence[HostPlace]
) -> None:
    """Keep a call of a GPU library unless one like it was met before; leave any other alone."""
    library = library_of(callee.name)
    if library is None:
        return
    interpreter.reached.add(id(node))
    name = callee.name.removeprefix("::")
    short = name.rpartition("::")[2]
    work = _READERS[library](
        Arguments(interpreter, short, args, node.line, callee.template_args), name
    )
    if work is None:
        return
    if runs_kernels(name):
        interpreter.count_launch()
    known = [
        call for call in interpreter.library_calls if call.line == node.line and call.name == name
    ]
    known = [call for call in known if call.path == interpreter.path]
    if len(known) >= _MAX_PER_SITE or len(interpreter.library_calls) >= _MAX_CALLS:
        return
    path = interpreter.path
    if path is None or any(_like(call.work, work) for call in known):
        return
    interpreter.library_calls.append(
        LibraryCall(
            name,
            path,
            node.line,
            work,
            len(interpreter.library_calls),
            interpreter.repeat_count(),
            interpreter.doubt == 0,
            _unknowns(interpreter, work),
        )
    )


def _like(one: LibraryWork, other: LibraryWork) -> bool:
    return (one.action, one.element, one.count) == (other.action, other.element, other.count)


def _unknowns(interpreter: HostInterpreter, work: LibraryWork) -> dict[Symbol, HostUnknown]:
    involved = (work.count, work.read_bytes, work.write_bytes, *work.operations.values())
    symbols = {s for expr in involved if expr is not None for s in expr.symbols()}
    return {
        symbol: unknown for symbol, unknown in interpreter.unknowns.items() if symbol in symbols
    }
