"""The warp-wide matrix functions of CUDA and rocWMMA: fragments in registers, ``mma_sync``.

A fragment's elements are spread over the lanes of a warp, so each thread is charged its share: of
an ``m`` by ``n`` by ``k`` product ``2 m n k / lanes`` operations of the tensor cores (CUDA C++
programming guide, warp matrix functions).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from roofline_analysis.device.functions.collectives import constant_argument
from roofline_analysis.device.functions.mathematics import Handler
from roofline_analysis.device.functions.thread_groups import linear_thread
from roofline_analysis.device.state.interpreter_state import DeviceInterpreter
from roofline_analysis.device.state.memory import offset_by
from roofline_analysis.device.values import DeviceValue, PointerValue, StructValue, Value, number
from roofline_analysis.regions.kernel_summary import AccessMode, Work
from roofline_core.algebra.symbolic import Expr, apply, constant
from roofline_core.program.expressions import Call, Expression, Literal, Name
from roofline_core.program.types import Type

_Shape = tuple[str, int, int, int, Type]
"""A fragment's use, m, n, k and element."""


def _last(argument: Type | Expression | None) -> str:
    name = argument.name if isinstance(argument, (Type, Name)) else ""
    return name.rpartition("::")[2]


def _shape(interpreter: DeviceInterpreter, type_: Type) -> _Shape | None:
    """The shape of a fragment's type; None for any other type."""
    if type_.name.rpartition("::")[2] != "fragment" or len(type_.args) < 5:
        return None
    m, n, k = (constant_argument(interpreter, each) for each in type_.args[1:4])
    element = type_.args[4]
    if m is None or n is None or k is None or not isinstance(element, Type):
        return None
    if _last(element) == "tf32":
        element = Type("float")  # ``precision::tf32`` lies in memory as one
    return _last(type_.args[0]), m, n, k, interpreter.types.resolve(element)


def fragment_value(interpreter: DeviceInterpreter, type_: Type) -> StructValue | None:
    """A new fragment: a thread's elements ``x`` and how many they are; None for another type."""
    shape = _shape(interpreter, type_)
    if shape is None:
        return None
    element, count = shape[4], _share(interpreter, shape)
    elements = Type(element.name, element.args, dims=(Literal(0, count, "int"),))
    fields: dict[str, DeviceValue] = {
        "x": StructValue(elements),
        "num_elements": number(count, "int"),
    }
    return StructValue(type_, fields)


def _share(interpreter: DeviceInterpreter, shape: _Shape) -> int:
    """A thread's elements."""
    use, m, n, k, _ = shape
    rows, columns = {"matrix_a": (m, k), "matrix_b": (k, n)}.get(use, (m, n))
    return max(1, rows * columns // interpreter.warp_size)


def element_count(interpreter: DeviceInterpreter, node: Expression) -> Value | None:
    """``fragment.num_elements``; None for any other object."""
    shape = _fragment(interpreter, node)
    return number(_share(interpreter, shape), "int") if shape is not None else None


def _fragment(interpreter: DeviceInterpreter, node: Expression) -> _Shape | None:
    place = interpreter.place_of(node)
    if place is None:
        return None
    held = interpreter.read(place)
    type_ = held.type if isinstance(held, StructValue) else interpreter.place_type(place)
    return _shape(interpreter, type_)


def _layout(interpreter: DeviceInterpreter, node: Call, position: int, argument: int) -> str:
    """``row_major`` or ``col_major``, from the call or the fragment's type."""
    if len(node.args) > argument:
        return _last(node.args[argument])
    place = interpreter.place_of(node.args[position])
    held = interpreter.read(place) if place is not None else None
    type_ = held.type if isinstance(held, StructValue) else Type("")
    return _last(type_.args[5]) if len(type_.args) > 5 else "row_major"


def _moved(
    interpreter: DeviceInterpreter,
    node: Call,
    args: list[DeviceValue],
    fragment: int,
    what: AccessMode,
) -> DeviceValue | None:
    shape = _fragment(interpreter, node.args[fragment])
    pointer, leading = args[1 - fragment], args[2]
    if shape is None or not isinstance(pointer, PointerValue):
        return None
    use, m, n, k, element = shape
    rows, columns = {"matrix_a": (m, k), "matrix_b": (k, n)}.get(use, (m, n))
    if "col" in _layout(interpreter, node, fragment, 3):
        rows, columns = columns, rows
    size = interpreter.bytes_of(element)
    each = max(1, rows * columns // interpreter.warp_size)
    lane = apply("mod", linear_thread(), interpreter.warp_size)
    stride = leading.expr if isinstance(leading, Value) else None
    if stride is None:
        return None
    index = _index(lane, each, columns, stride)
    varies = leading.varies if isinstance(leading, Value) else 0
    address = offset_by(interpreter, pointer, Value("int", index, varies), element)
    for part in range(max(1, each // columns)):
        step = Value("int", stride * part, varies)
        interpreter.costs.touch(
            offset_by(interpreter, address, step, element), size * min(each, columns), what
        )
    return number(0, "int")


def _index(lane: Expr, each: int, columns: int, stride: Expr) -> Expr:
    """The first element of a lane's share, rows ``stride`` apart."""
    lanes_a_row = max(1, columns // each)
    rows_a_lane = max(1, each // columns)
    row = apply("div", lane, constant(lanes_a_row)) * rows_a_lane
    column = apply("mod", lane, constant(lanes_a_row)) * min(each, columns)
    return row * stride + column


def _load(
    interpreter: DeviceInterpreter, name: str, args: list[DeviceValue], node: Call
) -> DeviceValue | None:
    if len(args) < 3:
        return None
    return _moved(interpreter, node, args, 0, AccessMode.READ)


def _store(
    interpreter: DeviceInterpreter, name: str, args: list[DeviceValue], node: Call
) -> DeviceValue | None:
    if len(args) < 3:
        return None
    found = _moved(interpreter, node, args, 1, AccessMode.WRITE)
    target = args[0]
    if found is not None and isinstance(target, PointerValue):
        interpreter.may_change(target.array)
    return found


def _multiply(
    interpreter: DeviceInterpreter, name: str, args: list[DeviceValue], node: Call
) -> DeviceValue | None:
    shape = _fragment(interpreter, node.args[0]) if len(node.args) >= 4 else None
    if shape is None:
        return None
    _, m, n, k, element = shape
    kind = Work.DP if element.name == "double" else Work.TENSOR
    interpreter.costs.charge(
        kind, 2.0 * m * n * k / interpreter.warp_size, interpreter.costs.loop_bits()
    )
    return number(0, "int")


def _fill(
    interpreter: DeviceInterpreter, name: str, args: list[DeviceValue], node: Call
) -> DeviceValue | None:
    shape = _fragment(interpreter, node.args[0]) if node.args else None
    return number(0, "int") if shape is not None else None


FRAGMENT_FUNCTIONS: Final[Mapping[str, Handler]] = {
    "load_matrix_sync": _load,
    "store_matrix_sync": _store,
    "mma_sync": _multiply,
    "fill_fragment": _fill,
}
