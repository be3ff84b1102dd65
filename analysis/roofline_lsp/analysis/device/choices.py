"""``a ? b : c``."""

from __future__ import annotations

from roofline_lsp.analysis.device.arithmetic import truth
from roofline_lsp.analysis.device.conversions import as_scalar
from roofline_lsp.analysis.device.selection import select
from roofline_lsp.analysis.device.values import DeviceValue, StructValue, Value
from roofline_lsp.analysis.device.vectors import select_each
from roofline_lsp.analysis.device.walker import Walker
from roofline_lsp.kernel import expressions as ir
from roofline_lsp.kernel.symbolic import apply


def conditional(walker: Walker, node: ir.Conditional) -> DeviceValue:
    """``a ? b : c``; a side that loads or calls is charged to the threads that take it."""
    decides = walker.evaluate(node.condition)
    if walker.opencl and isinstance(decides, StructValue) and len(decides.fields) > 1:
        then, otherwise = walker.evaluate(node.then), walker.evaluate(node.otherwise)
        return select_each(walker, decides, then, otherwise)
    condition = truth(walker, as_scalar(walker, decides))
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
