"""Models of OpenCL's queries: one platform with one device, that of the options."""

from __future__ import annotations

from typing import Final

from roofline_analysis.host.libraries.opencl.c import put, succeed
from roofline_analysis.host.libraries.opencl.objects import new_object
from roofline_analysis.host.state.access import deref
from roofline_analysis.host.state.arguments import SUCCESS, Arguments, by_name
from roofline_analysis.host.state.interpreter_state import HostInterpreter
from roofline_analysis.host.state.memory import Storage
from roofline_analysis.host.state.operators import integer
from roofline_analysis.host.values import Pointer, Scalar, Text, Value
from roofline_analysis.language.opencl_headers import (
    DEVICE_NUMBERS,
    DEVICE_TEXTS,
    PLATFORM_TEXTS,
    WORK_ITEM_SIZES,
)

_NUMBERS: Final = {code: (value, kind) for code, value, kind in DEVICE_NUMBERS.values()}
_TEXTS: Final = dict(DEVICE_TEXTS.values())
_WORK_GROUP_SIZE: Final = 0x11B0
"""``CL_KERNEL_WORK_GROUP_SIZE``."""
_COMPILED_SIZE: Final = 0x11B1
"""``CL_KERNEL_COMPILE_WORK_GROUP_SIZE``."""
_PREFERRED_MULTIPLE: Final = 0x11B3
"""``CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE``."""
_CONTEXT_DEVICES: Final = (0x1081, 0x1163)
"""Of a context and of a program."""
_CONTEXT_COUNT: Final = (0x1083, 0x1162)
_BUILD_STATUS: Final = 0x1181
"""``CL_PROGRAM_BUILD_STATUS``."""


def device_number(interpreter: HostInterpreter, code: int) -> Scalar | None:
    """The number that ``clGetDeviceInfo`` gives for a code; None if it gives none known here."""
    found = _NUMBERS.get(code)
    if found is None:
        return None
    value, kind = found
    name = value if isinstance(value, str) else None
    number = interpreter.options.device_properties.get(name) if name is not None else value
    if not isinstance(number, int):
        return None
    return integer(number, kind, interpreter.origin("property of the device", None))


def device_text(code: int) -> Text | None:
    """The text that ``clGetDeviceInfo`` gives for a code."""
    found = _TEXTS.get(code)
    return Text(found) if found is not None else None


def kernel_number(interpreter: HostInterpreter, code: int) -> Scalar | None:
    """The number that ``clGetKernelWorkGroupInfo`` gives for a code."""
    properties = interpreter.options.device_properties
    if code == _WORK_GROUP_SIZE:
        return integer(properties.get("maxThreadsPerBlock", 1024), "unsigned long")
    if code == _PREFERRED_MULTIPLE:
        return integer(properties.get("warpSize", 32), "unsigned long")
    return None


def _platforms(args: Arguments) -> Value:
    put(args, 1, new_object("platform_id"))
    put(args, 2, integer(1, "unsigned int"))
    return SUCCESS


def _devices(args: Arguments) -> Value:
    put(args, 3, new_object("device_id"))
    put(args, 4, integer(1, "unsigned int"))
    return SUCCESS


def _platform_info(args: Arguments) -> Value:
    code = args.constant(1)
    _answer(args, _text_of(PLATFORM_TEXTS.get(int(code))) if code is not None else None, 1)
    return SUCCESS


def _text_of(text: str | None) -> Text | None:
    return Text(text) if text is not None else None


def _device_info(args: Arguments) -> Value:
    code = args.constant(1)
    if code == WORK_ITEM_SIZES[1]:
        target = args.value(3)
        if isinstance(target, Pointer) and target.buffer is not None:
            for position, extent in enumerate(WORK_ITEM_SIZES[2]):
                place = deref(args.interpreter, target, integer(position))
                args.interpreter.store(place, integer(extent, "unsigned long"))
        put(args, 4, integer(24, "unsigned long"))
        return SUCCESS
    found: Value | None = None
    if code is not None:
        found = device_number(args.interpreter, int(code)) or device_text(int(code))
    _answer(args, found, 1)
    return SUCCESS


def _kernel_info(args: Arguments) -> Value:
    code = args.constant(2)
    if code == _COMPILED_SIZE:
        return SUCCESS
    _answer(args, kernel_number(args.interpreter, int(code)) if code is not None else None, 2)
    return SUCCESS


def _context_info(args: Arguments) -> Value:
    code = args.constant(1)
    found: Value | None = None
    if code in _CONTEXT_DEVICES:
        found = new_object("device_id")
    elif code in _CONTEXT_COUNT:
        found = integer(1, "unsigned int")
    elif args.name == "clGetCommandQueueInfo":
        found = new_object("context" if code == 0x1090 else "device_id")
    _answer(args, found, 1)
    return SUCCESS


def _build_info(args: Arguments) -> Value:
    code = args.constant(2)
    _answer(args, integer(0) if code == _BUILD_STATUS else Text(""), 2)
    return SUCCESS


def _answer(args: Arguments, found: Value | None, query: int) -> None:
    """Store an answer: value, then its size, come two and three places after the query."""
    value = args.value(query + 2)
    size = 8 if not isinstance(found, Text) else len(found.value) + 1
    put(args, query + 3, integer(size, "unsigned long"))
    if not (isinstance(value, Pointer) and isinstance(value.buffer, Storage)):
        return
    storage = value.buffer
    if isinstance(found, Text):
        if storage.place is None:
            args.interpreter.forget_contents(storage)
            storage.text = found.value
        else:
            args.interpreter.store(storage.place, found)
    elif found is not None:
        args.interpreter.store(args.target(query + 2), found)
    elif storage.place is not None:
        why = "a property of the device that is not known here"
        kind = storage.place.type.name
        known = kind if kind in ("int", "unsigned int", "unsigned long", "long") else "int"
        args.interpreter.store(storage.place, args.unknown(why, known, 1))
    else:
        args.interpreter.forget_contents(storage)


def _profiling(args: Arguments) -> Value:
    place = args.target(3)
    why = "it depends on the time of the run"
    args.interpreter.store(place, args.unknown(why, "unsigned long", 1))
    return SUCCESS


def _context(args: Arguments) -> Value:
    succeed(args, -1)
    return new_object("context", args.interpreter.origin(args.name, args.line))


MODELS: Final = by_name(
    {
        _platforms: ("clGetPlatformIDs",),
        _devices: ("clGetDeviceIDs",),
        _platform_info: ("clGetPlatformInfo",),
        _device_info: ("clGetDeviceInfo",),
        _kernel_info: ("clGetKernelWorkGroupInfo",),
        _context_info: "clGetContextInfo clGetProgramInfo clGetCommandQueueInfo".split(),
        _build_info: ("clGetProgramBuildInfo",),
        _profiling: ("clGetEventProfilingInfo",),
        _context: "clCreateContext clCreateContextFromType".split(),
    }
)
