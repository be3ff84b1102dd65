"""``a ? b : c``."""

from __future__ import annotations

from roofline_analysis.device.state.arithmetic import binary, convert, truth
from roofline_analysis.device.state.conversions import tested
from roofline_analysis.device.state.dead_code import keep_skipped
from roofline_analysis.device.state.interpreter_state import DeviceInterpreter
from roofline_analysis.device.state.selection import select
from roofline_analysis.device.state.vectors import select_each
from roofline_analysis.device.values import DeviceValue, StructValue, Value
from roofline_analysis.language.types import common_type
from roofline_core.algebra.symbolic import apply
from roofline_core.program import expressions as ir


def conditional(interpreter: DeviceInterpreter, node: ir.Conditional) -> DeviceValue:
    """``a ? b : c``; a side that loads or calls is charged to the threads that take it."""
    decides = interpreter.evaluate(node.condition)
    if interpreter.opencl and isinstance(decides, StructValue) and len(decides.fields) > 1:
        then, otherwise = interpreter.evaluate(node.then), interpreter.evaluate(node.otherwise)
        return select_each(interpreter, decides, then, otherwise)
    condition = truth(interpreter, tested(interpreter, decides))
    known = condition.constant
    if known is not None:
        return interpreter.evaluate(node.then if known else node.otherwise)
    interpreter.costs.need(condition)
    shared = _of_first_operands(interpreter, condition, node)
    if shared is not None:
        return shared
    before = dict(interpreter.slots)
    then, otherwise = _guarded_sides(interpreter, condition, node)
    keep_skipped(interpreter, before)
    return select(interpreter, condition, then, otherwise)


def _of_first_operands(
    interpreter: DeviceInterpreter, condition: Value, node: ir.Conditional
) -> Value | None:
    """``c ? a * x : b * x`` as ``(c ? a : b) * x``, which compilers make of it; else None."""
    then, otherwise = node.then, node.otherwise
    if not isinstance(then, ir.Binary) or not isinstance(otherwise, ir.Binary):
        return None
    if (
        then.op != otherwise.op
        or then.op not in ("*", "+", "-")
        or not _same(then.right, otherwise.right)
    ):
        return None
    if loads_or_calls(then) or loads_or_calls(otherwise):
        return None
    first, second = interpreter.evaluate(then.left), interpreter.evaluate(otherwise.left)
    operand = interpreter.evaluate(then.right)
    if not all(isinstance(each, Value) for each in (first, second, operand)):
        return None
    assert isinstance(first, Value)
    assert isinstance(second, Value)
    assert isinstance(operand, Value)
    type_ = common_type(first.type, second.type)
    chosen = select(
        interpreter,
        condition,
        convert(interpreter, first, type_),
        convert(interpreter, second, type_),
    )
    return binary(interpreter, then.op, chosen, operand) if isinstance(chosen, Value) else None


def _same(left: ir.Expression, right: ir.Expression) -> bool:
    """Whether two expressions name the same variable, field or number."""
    if isinstance(left, ir.Name) and isinstance(right, ir.Name):
        return left.name == right.name
    if isinstance(left, ir.Member) and isinstance(right, ir.Member):
        return left.name == right.name and _same(left.base, right.base)
    if isinstance(left, ir.Literal) and isinstance(right, ir.Literal):
        return left.value == right.value and left.type_name == right.type_name
    return False


def _guarded_sides(
    interpreter: DeviceInterpreter, condition: Value, node: ir.Conditional
) -> tuple[DeviceValue, DeviceValue]:
    """The values of both sides; a side that loads or calls runs under a guard."""
    if not (loads_or_calls(node.then) or loads_or_calls(node.otherwise)):
        return interpreter.evaluate(node.then), interpreter.evaluate(node.otherwise)
    guard = interpreter.costs.open_guard((condition.expr,))
    guard.is_side = True
    then = interpreter.evaluate(node.then)
    interpreter.costs.close(guard)
    negated = apply("eq", condition.expr) if condition.expr is not None else None
    guard = interpreter.costs.open_guard((negated,))
    guard.is_side = True
    otherwise = interpreter.evaluate(node.otherwise)
    interpreter.costs.close(guard)
    return then, otherwise


def loads_or_calls(node: ir.Expression) -> bool:
    """Whether an expression may access memory or call a function."""
    if isinstance(node, (ir.Call, ir.Index)):
        return True
    if isinstance(node, (ir.Binary,)):
        return loads_or_calls(node.left) or loads_or_calls(node.right)
    if isinstance(node, (ir.Unary, ir.Cast)):
        through = isinstance(node, ir.Unary) and node.op == "*"
        return through or loads_or_calls(node.operand)
    if isinstance(node, ir.Conditional):
        return loads_or_calls(node.then) or loads_or_calls(node.otherwise)
    return isinstance(node, ir.Member) and (node.arrow or loads_or_calls(node.base))
