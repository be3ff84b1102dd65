"""Models of the driver's modules: kernels that the host asks for by name."""

from __future__ import annotations

import re
from typing import Final

from roofline_analysis.host.state.access import rvalue
from roofline_analysis.host.state.arguments import SUCCESS, Arguments, by_name
from roofline_analysis.host.state.names import find_variable
from roofline_analysis.host.values import FunctionValue, OpaqueValue, Value
from roofline_analysis.language.symbols import last_component

_MANGLED = re.compile(r"_ZN?K?")
_LENGTH = re.compile(r"(\d+)")


def plain_name(symbol: str) -> str:
    """The identifier in a mangled symbol: ``_ZN2ns3addEPfi`` gives ``add``; else the symbol."""
    match = _MANGLED.match(symbol)
    if match is None:
        return symbol
    rest, name = symbol[match.end() :], symbol
    while (length := _LENGTH.match(rest)) is not None:
        start = length.end()
        name = rest[start : start + int(length.group())]
        rest = rest[start + int(length.group()) :]
    return name


def _function(args: Arguments) -> Value:
    symbol = args.text(2)
    args.interpreter.store(args.target(0), _kernel(args, symbol))
    return SUCCESS


def _kernel(args: Arguments, symbol: str | None) -> Value:
    if symbol is None:
        return OpaqueValue("a kernel", "its name is not known")
    name = last_component(plain_name(symbol).partition("<")[0].strip())
    found = [f for f in args.interpreter.symbols.functions.get(name, ()) if f.is_kernel]
    if not found:
        return OpaqueValue(f"kernel '{symbol}'", "it is not part of the program")
    return FunctionValue(tuple(found))


def _same_function(args: Arguments) -> Value:
    args.interpreter.store(args.target(0), args.value(1))
    return SUCCESS


def _global(args: Arguments) -> Value:
    name = args.text(3)
    place = find_variable(args.interpreter, name) if name is not None else None
    if place is not None:
        args.interpreter.store(args.target(0), rvalue(args.interpreter, place))
    return SUCCESS


MODELS: Final = by_name(
    {
        _function: "cuModuleGetFunction hipModuleGetFunction cuLibraryGetKernel".split(),
        _same_function: "cuKernelGetFunction cudaGetFuncBySymbol hipGetFuncBySymbol".split(),
        _global: "cuModuleGetGlobal cuModuleGetGlobal_v2 hipModuleGetGlobal".split(),
    }
)
