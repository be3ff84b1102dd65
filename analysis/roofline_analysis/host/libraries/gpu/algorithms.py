"""Calls of thrust, CUB and rocPRIM read into operands."""

from __future__ import annotations

from roofline_analysis.host.buffer_space import BufferSpace
from roofline_analysis.host.libraries.gpu.forms import (
    CUB,
    CUB_PLAIN,
    ROCPRIM,
    ROCPRIM_PLAIN,
    THRUST,
)
from roofline_analysis.host.libraries.gpu.functors import functor_operations, names_order
from roofline_analysis.host.libraries.gpu.patterns import Kind, Operands, work_of
from roofline_analysis.host.library_call import LibraryWork
from roofline_analysis.host.objects.operands import Operand, distance, sequence_at
from roofline_analysis.host.state.arguments import Arguments
from roofline_analysis.host.values import (
    Aggregate,
    FunctionValue,
    OpaqueValue,
    Pointer,
    Scalar,
    Value,
)
from roofline_core.algebra.symbolic import Expr
from roofline_core.program.types import Type

_POLICIES = frozenset(("device", "host", "seq", "par", "par_nosync"))
_HOST_SPACES = frozenset((BufferSpace.HOST, BufferSpace.PINNED))


def thrust_work(args: Arguments, name: str) -> LibraryWork | None:
    """What a thrust algorithm does; None for one that runs on the host."""
    entry = THRUST.get(name.rpartition("::")[2])
    if entry is None:
        return None
    policy = _has_policy(args)
    if policy and _policy_name(args).rpartition("::")[2] in ("host", "seq"):
        return None
    read = _read(args, entry[1], int(policy))
    if read is None:
        return LibraryWork(entry[0].value, missing="its arguments were not understood")
    spaces = {operand.space for operand in read.all}
    if not policy and spaces and spaces <= _HOST_SPACES:
        return None
    return work_of(args.interpreter, entry[0], read)


def _policy_name(args: Arguments) -> str:
    value = args.value(0)
    return value.name.removesuffix("()") if isinstance(value, OpaqueValue) else ""


def _has_policy(args: Arguments) -> bool:
    """Whether the first argument is an execution policy and no iterator."""
    if len(args) < 2:
        return False
    first = args.value(0)
    if isinstance(first, Aggregate):
        return sequence_at(args.interpreter, args.value(1)) is not None
    if not isinstance(first, OpaqueValue) or (first.type is not None and first.type.pointers):
        return False
    word = _policy_name(args).rpartition("::")[2]
    told = word in _POLICIES or word.endswith((".on", "policy"))
    return told or sequence_at(args.interpreter, args.value(1)) is not None


def cub_work(args: Arguments, name: str) -> LibraryWork | None:
    """What a device-wide function of CUB does; None for the call that only asks for memory."""
    short = "::".join(name.split("::")[-2:])
    plain = CUB_PLAIN.get(short)
    if plain is not None:
        read = _read(args, plain[1], 0)
        return work_of(args.interpreter, plain[0], read) if read is not None else None
    return _temporary(args, CUB.get(short), short)


def rocprim_work(args: Arguments, name: str) -> LibraryWork | None:
    """What a device-wide function of rocPRIM does; None for one that only asks for memory."""
    short = name.rpartition("::")[2]
    plain = ROCPRIM_PLAIN.get(short)
    if plain is not None:
        read = _read(args, plain[1], 0)
        return work_of(args.interpreter, plain[0], read) if read is not None else None
    return _temporary(args, ROCPRIM.get(short), short)


def _temporary(
    args: Arguments, entry: tuple[Kind, tuple[str, ...]] | None, short: str
) -> LibraryWork | None:
    storage = args.value(0)
    if isinstance(storage, Pointer) and storage.buffer is None:
        return None
    if isinstance(storage, Scalar) and storage.value.constant == 0:
        return None
    read = _read(args, entry[1], 2) if entry is not None else None
    if entry is None or read is None:
        return LibraryWork(short.replace("::", " "), missing="this function is not modelled")
    return work_of(args.interpreter, entry[0], read)


def _read(args: Arguments, forms: tuple[str, ...], skipped: int) -> Operands | None:
    """The operands by the first form that fits the arguments best."""
    best: Operands | None = None
    best_score = -1
    for form in forms:
        needed, _, more = form.partition("|")
        given = len(args) - skipped
        if given < len(needed):
            continue
        # Behind the letters stand streams, flags and tuning arguments.
        found = Operands()
        score = sum(
            _take(args, found, letter, skipped + position)
            for position, letter in enumerate((needed + more)[:given])
        )
        score -= 2 * max(0, given - len(needed) - len(more))
        if found.count is not None:
            score += 2
        if best is None or score > best_score:
            best, best_score = found, score
    return best


def _take(args: Arguments, found: Operands, letter: str, position: int) -> int:
    """Put one argument where its letter says; 1 if it is what the letter promises."""
    interpreter = args.interpreter
    if letter in "fFWiujokgN" or letter == "n":
        return _take_operand(args, found, letter, position)
    if letter == "l":
        found.count = distance(args, position - 1, position)
        return 1
    if letter == "h":
        found.second_count = distance(args, position - 1, position)
        return 1
    value = args.value(position)
    if letter == "p":
        found.functor = functor_operations(interpreter, value)
        return int(isinstance(value, (Aggregate, FunctionValue, OpaqueValue)))
    if letter == "c":
        found.comparator = not names_order(value)
        return 1
    if letter in "be":
        bits = interpreter.number(value)
        if bits is not None:
            low = found.key_bits if letter == "e" and found.key_bits is not None else Expr({})
            found.key_bits = bits.value - low if letter == "e" else bits.value
        return 1
    return 0


def _take_operand(args: Arguments, found: Operands, letter: str, position: int) -> int:
    value = args.value(position)
    if letter in "nN":
        number = args.interpreter.number(value, "unsigned long")
        if number is None:
            return -2
        if letter == "n":
            found.count = number.value
        else:
            found.second_count = number.value
        return 1
    operand = sequence_at(args.interpreter, value) or _buffered(args, value)
    fits = operand is not None
    operand = operand or Operand(None, None, BufferSpace.DEVICE)
    if letter in "fFiu":
        found.reads.append(operand)
    if letter in "gj":
        found.second_reads.append(operand)
    if letter in "FWuo":
        found.writes.append(operand)
    if letter == "k":
        found.kept.append(operand)
    return 1 if fits else -1


def _buffered(args: Arguments, value: Value) -> Operand | None:
    """``DoubleBuffer<T>``: two arrays that take turns."""
    if isinstance(value, Aggregate | OpaqueValue) and value.type is not None:
        given = value.type.args
        if value.type.name.rpartition("::")[2].lower() == "doublebuffer" and given:
            first = given[0]
            if isinstance(first, Type):
                return sequence_at(args.interpreter, OpaqueValue("", "", first.pointer_to()))
    return None
