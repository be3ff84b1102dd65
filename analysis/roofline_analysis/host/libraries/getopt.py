"""Models of ``getopt`` and ``getopt_long``, options before operands as GNU permutes them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from roofline_analysis.host.state.access import deref
from roofline_analysis.host.state.arguments import Arguments, by_name
from roofline_analysis.host.state.interpreter_state import HostInterpreter
from roofline_analysis.host.state.memory import Cell, Storage
from roofline_analysis.host.state.operators import integer, truth
from roofline_analysis.host.values import Aggregate, Pointer, Scalar, Text, Value
from roofline_core.algebra.symbolic import ZERO
from roofline_core.program.records import record
from roofline_core.program.types import Type

_CHARS = Type("char", pointers=1)


@record(frozen=True, slots=True)
class LongOption:
    """One entry of a ``getopt_long`` table."""

    name: str
    argument: int
    """0 none, 1 required, 2 optional."""
    flag: Value | None
    value: int


@dataclass(slots=True)
class Parsed:
    """A command line as ``getopt`` splits it, and how far the program has asked for it."""

    found: list[tuple[int, str | None, LongOption | None]] = field(default_factory=list)
    operands: list[str] = field(default_factory=list)
    taken: list[str] = field(default_factory=list)
    asked: int = 0


def parse(arguments: list[str], short: str, long: list[LongOption]) -> Parsed:
    """Split a command line (without the program's name) into options and operands."""
    parsed = Parsed()
    wants = {c: short[i + 1 : i + 3] for i, c in enumerate(short) if c not in ":+-"}
    rest = list(arguments)
    while rest:
        word = rest.pop(0)
        if word == "--":
            parsed.operands.extend(rest)
            break
        if word.startswith("--") or (word.startswith("-") and _is_long(word, long, wants)):
            parsed.taken.append(word)
            _long(parsed, word.lstrip("-"), long, rest)
        elif word.startswith("-") and len(word) > 1:
            parsed.taken.append(word)
            _short(parsed, word[1:], wants, rest)
        else:
            parsed.operands.append(word)
    return parsed


def _is_long(word: str, long: list[LongOption], wants: dict[str, str]) -> bool:
    return len(word) > 2 and word[1] not in wants and any(o.name == word[1:] for o in long)


def _long(parsed: Parsed, word: str, long: list[LongOption], rest: list[str]) -> None:
    name, equals, given = word.partition("=")
    matching = [o for o in long if o.name == name] or [o for o in long if o.name.startswith(name)]
    if not matching:
        parsed.found.append((ord("?"), None, None))
        return
    option = matching[0]
    argument: str | None = given if equals else None
    if option.argument == 1 and argument is None and rest:
        argument = rest.pop(0)
        parsed.taken.append(argument)
    parsed.found.append((0 if option.flag is not None else option.value, argument, option))


def _short(parsed: Parsed, letters: str, wants: dict[str, str], rest: list[str]) -> None:
    while letters:
        letter, letters = letters[0], letters[1:]
        kind = wants.get(letter)
        if kind is None:
            parsed.found.append((ord("?"), None, None))
            continue
        argument = None
        if kind.startswith(":"):
            if letters:
                argument, letters = letters, ""
            elif not kind.startswith("::") and rest:
                argument = rest.pop(0)
                parsed.taken.append(argument)
        parsed.found.append((ord(letter), argument, None))


def define_builtins(interpreter: HostInterpreter) -> None:
    """Give the program the variables of ``getopt``."""
    for name, start in (("optind", 1), ("opterr", 1), ("optopt", 0)):
        interpreter.builtins[name] = Cell(name, Type("int"), integer(start))
    interpreter.builtins["optarg"] = Cell("optarg", _CHARS, Pointer(None, ZERO, Type("char")))


def _getopt(args: Arguments) -> Value:
    interpreter = args.interpreter
    state = interpreter.parsed_options.get("getopt")
    if state is None:
        short = args.text(2)
        if interpreter.arguments is None or short is None:
            return args.unknown("the command line is not known", "int", -1)
        long = _table(args) if len(args) > 3 else []
        state = parse(list(interpreter.arguments), short, long)
        interpreter.parsed_options["getopt"] = state
        _permute(args, state)
    if state.asked >= len(state.found):
        interpreter.store(interpreter.builtins["optind"], integer(1 + len(state.taken)))
        state.asked = 0
        return integer(-1)
    code, argument, option = state.found[state.asked]
    state.asked += 1
    value: Value = Pointer(None, ZERO, Type("char"))
    if argument is not None:
        position = state.taken.index(argument) + 1 if argument in state.taken else 0
        value = Text(argument, interpreter.origin(f"argv[{position}]", args.line))
    interpreter.store(interpreter.builtins["optarg"], value)
    if option is not None:
        _report(args, option)
    return integer(code)


def _report(args: Arguments, option: LongOption) -> None:
    interpreter = args.interpreter
    if isinstance(option.flag, Pointer) and option.flag.buffer is not None:
        interpreter.store(deref(interpreter, option.flag), integer(option.value))
    index = args.value(4) if len(args) > 4 else None
    if isinstance(index, Pointer) and index.buffer is not None:
        names = [entry.name for entry in _table(args)]
        if option.name in names:
            interpreter.store(args.target(4), integer(names.index(option.name)))


def _table(args: Arguments) -> list[LongOption]:
    storage = args.storage(3)
    options: list[LongOption] = []
    for position in sorted(storage.elements) if isinstance(storage, Storage) else ():
        entry = storage.elements[position] if storage is not None else None
        if not isinstance(entry, Aggregate):
            continue
        name, kind, flag, value = (
            entry.fields.get(str(i), entry.fields.get(field_name))
            for i, field_name in enumerate(("name", "has_arg", "flag", "val"))
        )
        if not isinstance(name, Text):
            continue
        has_flag = truth(args.interpreter, flag) is True
        options.append(LongOption(name.value, _int(kind), flag if has_flag else None, _int(value)))
    return options


def _int(value: Value | None) -> int:
    number = value.value.constant if isinstance(value, Scalar) else None
    return int(number) if number is not None else 0


def _permute(args: Arguments, state: Parsed) -> None:
    storage = args.storage(1)
    if storage is None:
        return
    for position, word in enumerate([*state.taken, *state.operands], start=1):
        storage.elements[position] = Text(
            word, args.interpreter.origin(f"argv[{position}]", args.line)
        )


MODELS: Final = by_name(
    {
        _getopt: "getopt getopt_long getopt_long_only".split(),
    }
)
