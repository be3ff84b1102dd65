"""Models of the C library: numbers from text, strings, memory, randomness, leaving."""

from __future__ import annotations

from typing import Final

from roofline_analysis.host.buffer_space import BufferSpace
from roofline_analysis.host.state.arguments import Arguments, by_name, label_of, nothing, text_of
from roofline_analysis.host.state.array_samples import draws_of
from roofline_analysis.host.state.havoc import forget_value
from roofline_analysis.host.state.interpreter_state import SCALARS, HostInterpreter
from roofline_analysis.host.state.memory import HostPlace, Storage
from roofline_analysis.host.state.numbers import number_end, parse_number
from roofline_analysis.host.state.operators import FLOATING, copied, integer, to_scalar_type
from roofline_analysis.host.state.signals import ProgramExit
from roofline_analysis.host.state.types import resolve
from roofline_analysis.host.values import OpaqueValue, Origin, Pointer, Scalar, Text, Value
from roofline_analysis.language.bits import reinterpreted
from roofline_core.algebra.symbolic import ZERO, constant
from roofline_core.program.types import Type

_PARSERS: Final[dict[str, str]] = {
    "atoi": "int", "atol": "long", "atoll": "long long", "atof": "double", "strtol": "long",
    "strtoll": "long long", "strtoul": "unsigned long", "strtoull": "unsigned long long",
    "strtod": "double", "strtof": "float", "stoi": "int", "stol": "long", "stoll": "long long",
    "stoul": "unsigned long", "stoull": "unsigned long long", "stod": "double", "stof": "float",
    "strtoumax": "unsigned long", "strtoimax": "long",
}  # fmt: skip


def _parse(args: Arguments) -> Value:
    type_name = _PARSERS[args.name]
    value = args.value(0)
    text = text_of(value)
    base = int(args.constant(2) or 0) if len(args) > 2 else 10
    if len(args) > 1 and args.name.startswith("strto"):
        end = args.value(1)
        if isinstance(end, Pointer) and end.buffer is not None:
            rest = "" if text is None else text[number_end(text, type_name, base) :]
            args.interpreter.store(args.target(1), Text(rest, origin_of(args, value)))
    if text is not None:
        number = parse_number(text, type_name, base)
        return to_scalar_type(integer(number, "double", origin_of(args, value)), type_name)
    name = label_of(args.interpreter, value)
    why = value.why if isinstance(value, OpaqueValue) else "the text is not known"
    return args.interpreter.unknown(name, why, type_name, line=args.line, shared=True)


def origin_of(args: Arguments, value: Value) -> Origin | None:
    """Where a text came from, at the line that reads it."""
    origin = getattr(value, "origin", None)
    if isinstance(origin, Origin) and origin.text.startswith("argv"):
        return Origin(origin.text, args.interpreter.path, args.line)
    return origin if isinstance(origin, Origin) else None


def _allocate(args: Arguments) -> Value:
    origin = args.interpreter.origin(args.name, args.line)
    if args.name == "calloc":
        storage = Storage("", BufferSpace.HOST, args.expr(0) * args.expr(1), None, origin)
        storage.fill = integer(0)
    else:
        which = 0 if args.name in ("malloc", "_mm_malloc", "valloc", "alloca") else 1
        storage = Storage("", BufferSpace.HOST, args.expr(which), None, origin)
    return Pointer(storage, ZERO, Type("void"), origin)


def _aligned(args: Arguments) -> Value:
    origin = args.interpreter.origin(args.name, args.line)
    place = args.target(0)
    storage = Storage(place.name, BufferSpace.HOST, args.expr(2), None, origin)
    pointee = place.type.pointee() if place.type.pointers else None
    storage.element = pointee
    args.interpreter.store(place, Pointer(storage, ZERO, pointee, origin))
    return integer(0)


def _copy_memory(args: Arguments) -> Value:
    copy_contents(args, 0, 1)
    return args.value(0)


def copy_contents(args: Arguments, to: int, source: int) -> None:
    """Copy what is known of one buffer to another, both given by pointer arguments."""
    interpreter = args.interpreter
    target, origin = args.storage(to), args.storage(source)
    if target is None:
        return
    if target.place is not None:
        place = args.target(to)
        held = args.target(source).get() if origin is not None else None
        if held is not None:
            interpreter.store(place, _as_bits(interpreter, place, copied(held) or held))
        else:
            forget_value(interpreter, place, "it is copied from memory that is not known")
        return
    interpreter.forget_contents(target)
    if origin is None:
        return
    if origin.place is not None:
        held = origin.place.get()
        if held is not None and not isinstance(held, (Pointer, Storage)):
            target.elements[0] = copied(held) or held
        return
    offsets = [args.value(i) for i in (to, source)]
    aligned = all(isinstance(v, Pointer) and v.offset_bytes == ZERO for v in offsets)
    if aligned and (target.element == origin.element or target.element is None):
        target.elements.update({k: copied(v) or v for k, v in origin.elements.items()})
        target.fill, target.text = origin.fill, origin.text
        target.overwritten = origin.overwritten
    target.draws = draws_of(interpreter, origin)
    copy_members(interpreter, target, origin)


def copy_members(interpreter: HostInterpreter, target: Storage, origin: Storage) -> None:
    """Take what is known of the members of all objects of an array for those of another."""
    for name, member in origin.members.items():
        copy = target.member(name)
        interpreter.fill_with(copy, member.draws, None, member.average)
        copy_members(interpreter, copy, member)


def _as_bits(interpreter: HostInterpreter, place: HostPlace, value: Value) -> Value:
    """A copied number as the variable it is copied to reads its bits."""
    target = resolve(interpreter, place.type)
    if not isinstance(value, Scalar) or target.name in ("auto", value.type_name):
        return value
    if target.name not in FLOATING and value.type_name not in FLOATING:
        return to_scalar_type(value, target.name) if target.name in SCALARS else value
    number = value.value.constant
    found = None if number is None else reinterpreted(number, value.type_name, target.name)
    if found is None:
        why = f"its bits are those of a {value.type_name}"
        return (
            interpreter.unknown(place.name, why, target.name) if target.name in SCALARS else value
        )
    return Scalar(constant(found), target.name, value.origin)


def _set_memory(args: Arguments) -> Value:
    storage = args.storage(0)
    zero = args.name == "bzero" or args.constant(1) == 0
    if storage is not None and storage.place is None:
        args.interpreter.forget_contents(storage)
        element = storage.element
        if zero and element is not None and not element.pointers:
            storage.fill = integer(0)
    elif storage is not None and storage.place is not None and zero:
        if isinstance(storage.place.get(), Scalar):
            args.interpreter.store(storage.place, integer(0))
    return args.value(0)


def _clock(args: Arguments) -> Value:
    return args.opaque("it depends on the time of the run")


def _leave(args: Arguments) -> Value:
    raise ProgramExit


def _character(args: Arguments) -> Value:
    code = args.constant(0)
    if code is None:
        return args.opaque("the character is not known")
    character = chr(int(code) & 0x7F)
    tests = {
        "isdigit": character.isdigit, "isalpha": character.isalpha,
        "isspace": character.isspace, "isalnum": character.isalnum,
    }  # fmt: skip
    test = tests.get(args.name)
    if test is not None:
        return integer(int(test()))
    changed = character.lower() if args.name == "tolower" else character.upper()
    return integer(ord(changed))


def _system(args: Arguments) -> Value:
    return args.unknown("it depends on the machine", "int", 8)


MODELS: Final = by_name(
    {
        _parse: _PARSERS,
        _allocate: "malloc calloc aligned_alloc realloc _mm_malloc valloc memalign alloca".split(),
        _aligned: ("posix_memalign",),
        _copy_memory: "memcpy memmove".split(),
        _set_memory: "memset bzero".split(),
        nothing: (
            "free printf puts putchar fflush srand srand48 fprintf perror "
            "assert fputs setbuf setvbuf fclose signal usleep sleep atexit"
        ).split(),
        _clock: "time clock gettimeofday clock_gettime get_time getpid".split(),
        _leave: "exit _exit abort quick_exit _Exit terminate __assert_fail".split(),
        _character: "isdigit isalpha isspace tolower toupper isalnum".split(),
        _system: ("sysconf",),
    }
)
