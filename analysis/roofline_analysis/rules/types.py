"""The types of expressions, where declarations in the program determine them."""

from __future__ import annotations

from collections.abc import Mapping

from roofline_analysis.language.symbols import last_component
from roofline_analysis.language.type_system import TypeSystem
from roofline_analysis.language.types import common_type, is_arithmetic, is_integer
from roofline_analysis.rules.node_index import FunctionNodes
from roofline_core.program import expressions as ex
from roofline_core.program import statements as st
from roofline_core.program.types import Type

_INDICES = frozenset(("threadIdx", "blockIdx", "blockDim", "gridDim"))
_COMPARISONS = frozenset(("==", "!=", "<", "<=", ">", ">=", "&&", "||"))
_MOST_CONSTANTS = 8
"""The most constants that are made of one another. A limit on the work."""
_FLOAT_CALLS = frozenset("sqrt exp log sin cos tan pow fabs abs fmin fmax".split())


class LocalTypes:
    """The types of one function's variables."""

    def __init__(
        self, nodes: FunctionNodes, types: TypeSystem, bindings: Mapping[str, Type | int]
    ) -> None:
        self._types = types
        self._scope = types.scope_with(bindings)
        self._names: dict[str, Type | None] = {}
        self._numbers = {name for name, value in bindings.items() if isinstance(value, int)}
        self._local: dict[str, st.Variable | None] = {}
        for variable in nodes.function.params:
            self._add(variable)
        for located in nodes.by_type.get(st.Variable, ()):
            assert isinstance(located.node, st.Variable)
            self._add(located.node)
            twice = located.node.name in self._local
            self._local[located.node.name] = None if twice else located.node

    def _add(self, variable: st.Variable) -> None:
        if not variable.name:
            return
        known = self._names.get(variable.name, variable.type)
        if known is not None and (known.name, known.pointers, len(known.dims)) != (
            variable.type.name,
            variable.type.pointers,
            len(variable.type.dims),
        ):
            self._names[variable.name] = None  # two variables of one name
        else:
            self._names[variable.name] = variable.type

    def variable(self, name: str) -> Type | None:
        """A variable's declared type without aliases and template parameters; None if unknown."""
        found = self._names.get(name)
        if found is None and name not in self._names:
            declared = self._types.symbols.find_global(name, None)
            found = declared.variable.type if declared is not None else None
        return self._resolved(found) if found is not None else None

    def _resolved(self, type_: Type) -> Type:
        return self._types.resolve(type_, self._scope)

    def of(self, node: ex.Expression) -> str | None:
        """The arithmetic type of an expression; None if it is unknown or not arithmetic."""
        type_ = self._type(node)
        if type_ is None or type_.pointers or type_.dims:
            return None
        return type_.name if is_arithmetic(type_.name) else None

    def is_integer(self, node: ex.Expression) -> bool:
        """Whether an expression is known to have an integer type."""
        name = self.of(node)
        return name is not None and is_integer(name)

    def is_constant(self, node: ex.Expression, depth: int = 0) -> bool:
        """Whether the compiler knows a number: of literals, template arguments, constants."""
        if isinstance(node, ex.Name):
            return node.name in self._numbers or self._is_constant_variable(node.name, depth)
        if isinstance(node, ex.Binary):
            return self.is_constant(node.left, depth) and self.is_constant(node.right, depth)
        if isinstance(node, (ex.Unary, ex.Cast)):
            return self.is_constant(node.operand, depth)
        return isinstance(node, (ex.Literal, ex.SizeOf))

    def _is_constant_variable(self, name: str, depth: int) -> bool:
        found = self._local.get(name)
        if found is None and name not in self._names:
            declared = self._types.symbols.find_global(name, None)
            found = declared.variable if declared is not None else None
        if found is None or found.init is None or depth >= _MOST_CONSTANTS:
            return False
        fixed = found.type.const or "constexpr" in found.qualifiers
        plain = not (found.type.pointers or found.type.dims or found.type.reference)
        return fixed and plain and self.is_constant(found.init, depth + 1)

    def _type(self, node: ex.Expression) -> Type | None:
        if isinstance(node, ex.Literal):
            return Type(node.type_name)
        if isinstance(node, ex.Name):
            return self.variable(node.name)
        if isinstance(node, ex.Cast):
            return self._resolved(node.type)
        if isinstance(node, ex.Index):
            base = self._type(node.base)
            return base.pointee() if base is not None and (base.pointers or base.dims) else None
        if isinstance(node, ex.Unary):
            return self._unary(node)
        if isinstance(node, ex.Binary):
            return self._binary(node)
        if isinstance(node, (ex.Assign, ex.Update)):
            return self._type(node.target)
        if isinstance(node, ex.Conditional):
            one, other = self._type(node.then), self._type(node.otherwise)
            return one if one is not None and one == other else None
        if isinstance(node, ex.Member):
            return self._member(node)
        return self._call(node) if isinstance(node, ex.Call) else None

    def _unary(self, node: ex.Unary) -> Type | None:
        inner = self._type(node.operand)
        if inner is None or node.op == "&":
            return None
        if node.op == "*":
            return inner.pointee() if inner.pointers or inner.dims else None
        return Type("bool") if node.op == "!" else inner

    def _binary(self, node: ex.Binary) -> Type | None:
        if node.op in _COMPARISONS:
            return Type("bool")
        left, right = self.of(node.left), self.of(node.right)
        if left is None or right is None:
            return None
        return Type(left) if node.op in ("<<", ">>") else Type(common_type(left, right))

    def _member(self, node: ex.Member) -> Type | None:
        if isinstance(node.base, ex.Name) and node.base.name in _INDICES:
            return Type("unsigned int")
        base = self._type(node.base)
        if base is None:
            return None
        layout = self._types.layout(self._resolved(Type(base.name, base.args)))
        field = layout.fields.get(node.name) if layout is not None else None
        return field.type if field is not None else None

    def _call(self, node: ex.Call) -> Type | None:
        if not isinstance(node.callee, ex.Name):
            return None
        name = last_component(node.callee.name)
        if name.endswith("f") and name[:-1] in _FLOAT_CALLS:
            return Type("float")
        if name in _FLOAT_CALLS and node.args:
            kinds = [self.of(arg) for arg in node.args]
            if all(kind == "float" for kind in kinds):
                return Type("float")
            return Type("double") if "double" in kinds else None
        found = self._types.symbols.functions_named(node.callee.name)
        results = {function.return_type.name for function in found}
        return self._resolved(found[0].return_type) if len(results) == 1 else None
