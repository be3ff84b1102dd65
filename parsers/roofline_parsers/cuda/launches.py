"""Kernel launches in all their spellings."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from roofline_core.program.expressions import (
    Binary,
    Call,
    Cast,
    Construct,
    Expression,
    Launch,
    Member,
    Name,
    Unary,
)
from roofline_core.program.types import Type

Arguments = tuple[Expression, ...]

_NAME_WRAPPERS = frozenset(["HIP_KERNEL_NAME", "KERNEL_NAME"])


def kernel_of(value: Expression) -> Expression:
    """The kernel in ``(void*)&kernel<float>`` or ``HIP_KERNEL_NAME(kernel<float>)``."""
    while True:
        match value:
            case Cast(operand=inner) | Unary(op="&", operand=inner):
                value = inner
            case Call(callee=Name(name=name), args=(inner,)) if name in _NAME_WRAPPERS:
                value = inner
            case _:
                return value


def _at(args: Arguments, index: int) -> Expression | None:
    return args[index] if index < len(args) else None


def _syntax(line: int, args: Arguments) -> Launch:
    """``kernel<<<grid, block, shared, stream>>>``: the arguments are filled in by the caller."""
    return Launch(line, args[0], _at(args, 1), _at(args, 2), _at(args, 3), _at(args, 4), ())


def _packed(line: int, args: Arguments) -> Launch:
    """``cudaLaunchKernel(func, grid, block, args, shared, stream)``."""
    kernel = kernel_of(args[0])
    grid, block, packed = _at(args, 1), _at(args, 2), _at(args, 3)
    return Launch(line, kernel, grid, block, _at(args, 4), _at(args, 5), None, packed)


def _configured(line: int, args: Arguments) -> Launch:
    """``cudaLaunchKernelEx(&config, kernel, args...)``."""
    kernel = kernel_of(_at(args, 1) or args[0])
    return Launch(line, kernel, None, None, None, None, args[2:], None, args[0])


def _configured_packed(line: int, args: Arguments) -> Launch:
    """``cudaLaunchKernelExC(&config, func, args)``."""
    kernel = kernel_of(_at(args, 1) or args[0])
    return Launch(line, kernel, None, None, None, None, None, _at(args, 2), args[0])


def _driver_configured(line: int, args: Arguments) -> Launch:
    """``cuLaunchKernelEx(&config, func, args, extra)``."""
    kernel = _at(args, 1) or args[0]
    return Launch(line, kernel, None, None, None, None, None, _at(args, 2), args[0])


def _node(position: int, *, any_kind: bool = False) -> Callable[[int, Arguments], Launch]:
    """A graph's kernel node, whose parameters are the argument at ``position``.

    With ``any_kind`` they are those of nodes of any kind, with the kernel's in a member.
    """

    def read(line: int, args: Arguments) -> Launch:
        """The launch of a call; function and parameters are members of the argument."""
        params = _at(args, position) or args[-1]
        if any_kind:
            params = Unary(line, "&", Member(line, params, "kernel", arrow=True))
        kernel = Member(line, params, "func", arrow=True)
        packed = Member(line, params, "kernelParams", arrow=True)
        return Launch(line, kernel, None, None, None, None, None, packed, params)

    return read


def _listed(line: int, args: Arguments) -> Launch:
    """``hipLaunchKernelGGL(kernel, grid, block, shared, stream, args...)``."""
    kernel = kernel_of(args[0])
    return Launch(line, kernel, _at(args, 1), _at(args, 2), _at(args, 3), _at(args, 4), args[5:])


def _timed(line: int, args: Arguments) -> Launch:
    """``hipExtLaunchKernelGGL(kernel, grid, block, shared, stream, start, stop, flags, args...)``.

    ``start`` and ``stop`` are events.
    """
    return _listed(line, (*args[:5], *args[8:]))


def _driver(line: int, args: Arguments) -> Launch:
    """``cuLaunchKernel(func, gx, gy, gz, bx, by, bz, shared, stream, args, extra)``."""
    known = len(args)
    grid = Construct(line, Type("dim3"), args[1:4]) if known > 3 else None
    block = Construct(line, Type("dim3"), args[4:7]) if known > 6 else None
    return Launch(line, args[0], grid, block, _at(args, 7), _at(args, 8), None, _at(args, 9))


def _driver_in_threads(line: int, args: Arguments) -> Launch:
    """``hipExtModuleLaunchKernel``: as ``cuLaunchKernel``, but the grid is counted in threads."""
    launch = _driver(line, args)
    if len(args) < 7:
        return launch
    pairs = zip(args[1:4], args[4:7], strict=True)
    blocks = tuple(Binary(line, "/", threads, size) for threads, size in pairs)
    return replace(launch, grid=Construct(line, Type("dim3"), blocks))


LAUNCH_CALLS = {
    "<<<": _syntax,
    "cudaLaunchKernel": _packed,
    "cudaLaunchCooperativeKernel": _packed,
    "hipLaunchKernel": _packed,
    "hipLaunchCooperativeKernel": _packed,
    "cudaLaunchKernelEx": _configured,
    "cudaLaunchKernelExC": _configured_packed,
    "hipLaunchKernelExC": _configured_packed,
    "hipLaunchKernelGGL": _listed,
    "hipLaunchKernel_GGL": _listed,
    "hipLaunchKernelGGLInternal": _listed,
    "hipExtLaunchKernelGGL": _timed,
    "hipExtLaunchKernel": _packed,
    "cuLaunchKernelEx": _driver_configured,
    "cuLaunchKernel": _driver,
    "cuLaunchCooperativeKernel": _driver,
    "hipModuleLaunchKernel": _driver,
    "hipModuleLaunchCooperativeKernel": _driver,
    "hipExtModuleLaunchKernel": _driver_in_threads,
    "hipHccModuleLaunchKernel": _driver_in_threads,
    "cudaGraphAddKernelNode": _node(4),
    "cudaGraphKernelNodeSetParams": _node(1),
    "cudaGraphExecKernelNodeSetParams": _node(2),
    "cudaGraphAddNode": _node(4, any_kind=True),
    "cudaGraphNodeSetParams": _node(1, any_kind=True),
    "cudaGraphExecNodeSetParams": _node(2, any_kind=True),
    "hipGraphAddKernelNode": _node(4),
    "hipGraphKernelNodeSetParams": _node(1),
    "hipGraphExecKernelNodeSetParams": _node(2),
    "hipGraphAddNode": _node(4, any_kind=True),
    "cuGraphAddKernelNode": _node(4),
    "cuGraphKernelNodeSetParams": _node(1),
    "cuGraphExecKernelNodeSetParams": _node(2),
}
"""By launch function: the reader of its order of arguments."""


def read_launch(
    line: int, name: str, args: Arguments, passed: Arguments | None = None
) -> Expression:
    """The launch that a call of ``name`` with ``args`` is; ``passed`` are those after ``>>>``."""
    if not args:
        return Call(line, Name(line, name), args)
    launch = LAUNCH_CALLS[name](line, args)
    return launch if passed is None else replace(launch, args=passed)
