"""Calls, and casts, constructions and launches that are written like calls."""

from __future__ import annotations

import math

from roofline_core.program.expressions import Call, Cast, Construct, Expression, Literal, Name
from roofline_core.program.types import Type
from roofline_parsers.cuda.expressions import arguments
from roofline_parsers.cuda.grammar import (
    ARGUMENTS,
    COMMENT,
    ERROR,
    IDENTIFIER,
    INITIALIZER_LIST,
    KERNEL_CALL,
    PARENTHESIZED,
    PRIMITIVE_TYPE,
    QUALIFIED_IDENTIFIER,
    TEMPLATE_FUNCTION,
    Node,
)
from roofline_parsers.cuda.launches import LAUNCH_CALLS, read_launch
from roofline_parsers.cuda.lowering import (
    EXPRESSIONS,
    MAX_DEPTH,
    Lowering,
    expression,
    reads_expression,
    without_comments,
)
from roofline_parsers.cuda.regrouping import read_misread_call
from roofline_parsers.cuda.type_names import type_of

_CASTS = frozenset(["static_cast", "reinterpret_cast", "const_cast", "dynamic_cast", "bit_cast"])
_SIZE_WORDS = frozenset(["unsigned", "signed", "long", "short"])
_MATH = frozenset(dir(math)) | {"abs", "max", "min", "round"}
_TYPE_TEMPLATES = frozenset(
    # Class templates of the standard library, thrust and cooperative groups: `T<...>(...)` makes
    # a value.
    "vector array pair tuple complex map unordered_map set unordered_set deque list queue span "
    "unique_ptr shared_ptr function optional variant basic_string initializer_list bitset "
    "plus minus multiplies divides modulus negate maximum minimum less less_equal greater "
    "greater_equal equal_to not_equal_to logical_and logical_or bit_and bit_or bit_xor identity "
    "integral_constant uniform_int_distribution uniform_real_distribution normal_distribution "
    "device_vector host_vector device_ptr counting_iterator constant_iterator reverse_iterator "
    "transform_iterator zip_iterator".split()
)


@reads_expression("call_expression")
def _call(lo: Lowering, node: Node, depth: int) -> Expression:
    if depth >= MAX_DEPTH:
        return lo.too_deep(node)
    depth += 1
    children = node.children
    function = children[0]
    kind_id = function.kind_id
    start = function.start_byte
    line = lo.line if lo.low <= start < lo.high else lo.seek(start)
    if len(children) != 2 or children[1].kind_id != ARGUMENTS:
        return _unusual_call(lo, node, depth)
    given = children[1]
    if kind_id == IDENTIFIER:
        name = lo.names[start : function.end_byte]
        if name in LAUNCH_CALLS:
            return read_launch(line, name, arguments(lo, given, depth))
        meaning = lo.local_types.get(name)
        if meaning is not None:
            # An alias of this body: `using Reduce = cub::BlockReduce<float, 256>; Reduce(t)`.
            make = _cast_of if meaning.pointers else Construct
            return make(line, meaning, arguments(lo, given, depth))
        if name not in _SIZE_WORDS:
            return Call(line, Name(line, name), arguments(lo, given, depth))
        return _cast_of(line, type_of(lo, function, depth), arguments(lo, given, depth))
    if kind_id == PRIMITIVE_TYPE:
        return _cast_of(line, type_of(lo, function, depth), arguments(lo, given, depth))
    if kind_id == PARENTHESIZED:
        return _call_of_parenthesis(lo, function, given, depth)
    if kind_id in (TEMPLATE_FUNCTION, QUALIFIED_IDENTIFIER):
        return read_misread_call(lo, node, depth) or _templated_call(lo, function, given, depth)
    return Call(line, EXPRESSIONS[kind_id](lo, function, depth), arguments(lo, given, depth))


def _cast_of(line: int, target: Type, args: tuple[Expression, ...]) -> Expression:
    """``float(x)``; ``int()`` is zero."""
    if not args:
        return Cast(line, target, Literal(line, 0, "int"))
    return Cast(line, target, args[0]) if len(args) == 1 else Construct(line, target, args)


def _templated_call(lo: Lowering, function: Node, given: Node, depth: int) -> Expression:
    callee = EXPRESSIONS[function.kind_id](lo, function, depth)
    args = arguments(lo, given, depth)
    if not isinstance(callee, Name):
        return Call(callee.line, callee, args)
    name = callee.name.rpartition("::")[2]
    targets = callee.template_args
    if name in LAUNCH_CALLS:
        return read_launch(callee.line, name, args)
    if name in _CASTS and targets and len(args) == 1 and isinstance(targets[0], Type):
        return Cast(callee.line, targets[0], args[0], name in ("reinterpret_cast", "bit_cast"))
    if targets is not None and (name in _TYPE_TEMPLATES or lo.is_type(name)):
        target = Type(callee.name, targets, scope_args=callee.scope_args)
        return Construct(callee.line, target, args)
    return Call(callee.line, callee, args)


def _call_of_parenthesis(lo: Lowering, function: Node, given: Node, depth: int) -> Expression:
    """``(real)(x)`` is a cast if nothing says otherwise, ``(std::max)(a, b)`` a call."""
    args = arguments(lo, given, depth)
    callee = expression(lo, function, depth)
    if isinstance(callee, Name) and len(args) == 1:
        name = callee.name.rpartition("::")[2]
        if lo.is_type(name) or not (lo.is_value(name) or name in _MATH):
            inner = without_comments(function.children)[1]
            return Cast(callee.line, type_of(lo, inner, depth), args[0])
    return Call(callee.line, callee, args)


def _unusual_call(lo: Lowering, node: Node, depth: int) -> Expression:
    """A launch, or a call with a comment between its parts."""
    children = [c for c in node.children if c.kind_id not in (COMMENT, ERROR)]
    function = children[0]
    callee = expression(lo, function, depth)
    configuration: tuple[Expression, ...] | None = None
    args: tuple[Expression, ...] = ()
    for child in children[1:]:
        if child.kind_id == KERNEL_CALL:
            configuration = arguments(lo, child, depth)
        elif child.kind_id in (ARGUMENTS, INITIALIZER_LIST):
            args = arguments(lo, child, depth)
    if configuration is None:
        return Call(callee.line, callee, args)
    return read_launch(callee.line, "<<<", (callee, *configuration), args)
