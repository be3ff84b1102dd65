"""``a ? b : c``, and the values that two branches leave behind."""

from __future__ import annotations

from roofline_lsp.analysis.device.arithmetic import MAX_SIZE, truth
from roofline_lsp.analysis.device.conversions import scalar
from roofline_lsp.analysis.device.values import DeviceValue, StructValue, Value
from roofline_lsp.analysis.device.walker import Walker
from roofline_lsp.analysis.layout import common_type, is_float
from roofline_lsp.kernel import expressions as ir
from roofline_lsp.kernel.symbolic import Expr, apply


def conditional(walker: Walker, node: ir.Conditional) -> DeviceValue:
    """``a ? b : c``; a side that loads or calls is charged to the threads that take it."""
    condition = truth(walker, scalar(walker, node.condition))
    known = condition.constant
    if known is not None:
        return walker.evaluate(node.then if known else node.otherwise)
    walker.machine.need(condition)
    then, otherwise = _guarded_sides(walker, condition, node)
    return select(walker, condition, then, otherwise)


def _guarded_sides(
    walker: Walker, condition: Value, node: ir.Conditional
) -> tuple[DeviceValue, DeviceValue]:
    """Both sides; one that loads or calls is skipped by the threads that do not take it."""
    if not (_is_heavy(node.then) or _is_heavy(node.otherwise)):
        return walker.evaluate(node.then), walker.evaluate(node.otherwise)
    guard = walker.machine.open_guard((condition.expr,))
    then = walker.evaluate(node.then)
    walker.machine.close(guard)
    negated = apply("eq", condition.expr) if condition.expr is not None else None
    guard = walker.machine.open_guard((negated,))
    otherwise = walker.evaluate(node.otherwise)
    walker.machine.close(guard)
    return then, otherwise


def _is_heavy(node: ir.Expression) -> bool:
    if isinstance(node, (ir.Call, ir.Index)):
        return True
    if isinstance(node, (ir.Binary,)):
        return _is_heavy(node.left) or _is_heavy(node.right)
    if isinstance(node, (ir.Unary, ir.Cast)):
        return _is_heavy(node.operand)
    if isinstance(node, ir.Conditional):
        return _is_heavy(node.then) or _is_heavy(node.otherwise)
    return isinstance(node, (ir.Member,)) and _is_heavy(node.base)


def select(
    walker: Walker, condition: Value, then: DeviceValue, otherwise: DeviceValue
) -> DeviceValue:
    """One of two values, by a condition of each thread."""
    if then is otherwise:
        return then
    if isinstance(then, Value) and isinstance(otherwise, Value):
        type_ = common_type(then.type, otherwise.type)
        varies = condition.varies | then.varies | otherwise.varies
        expr = _selected(condition.expr, then.expr, otherwise.expr)
        if is_float(type_):
            return Value(type_, expr, varies)
        if expr is None:
            expr = walker.fresh("choice", "data")
        return Value(type_, expr, varies, ("select", (then, otherwise)))
    if isinstance(then, StructValue) and isinstance(otherwise, StructValue):
        fields = {
            name: select(walker, condition, value, otherwise.fields[name])
            for name, value in then.fields.items()
            if name in otherwise.fields
        }
        return StructValue(then.type, fields)
    return then


def _selected(condition: Expr | None, then: Expr | None, otherwise: Expr | None) -> Expr | None:
    """The number that is chosen, where all three are known and not too long to follow."""
    if condition is None or then is None or otherwise is None:
        return None
    if condition.size + then.size + otherwise.size >= MAX_SIZE:
        return None
    return apply("select", condition, then, otherwise)
