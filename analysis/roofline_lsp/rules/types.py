"""The types of expressions, as far as declarations in sight tell them."""

from __future__ import annotations

from collections.abc import Mapping

from roofline_lsp.analysis.layout import common_type, is_float, is_integer
from roofline_lsp.analysis.symbols import SymbolTable, last_part
from roofline_lsp.kernel import expressions as ex
from roofline_lsp.kernel import statements as st
from roofline_lsp.kernel.types import Type
from roofline_lsp.rules.nodes import FunctionNodes

_INDICES = frozenset(("threadIdx", "blockIdx", "blockDim", "gridDim"))
_COMPARISONS = frozenset(("==", "!=", "<", "<=", ">", ">=", "&&", "||"))
_FLOAT_CALLS = frozenset("sqrt exp log sin cos tan pow fabs abs fmin fmax".split())


class LocalTypes:
    """The types of one function's variables."""

    def __init__(
        self, nodes: FunctionNodes, table: SymbolTable, bindings: Mapping[str, Type | int]
    ) -> None:
        self._table = table
        self._bindings = bindings
        self._names: dict[str, Type | None] = {}
        for variable in nodes.function.params:
            self._add(variable)
        for located in nodes.by_type.get(st.Variable, ()):
            assert isinstance(located.node, st.Variable)
            self._add(located.node)

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
        """The declared type of a variable, aliases and template parameters resolved."""
        found = self._names.get(name)
        if found is None and name not in self._names:
            declared = self._table.globals.get(last_part(name))
            found = declared.type if declared is not None else None
        return self._resolved(found) if found is not None else None

    def _resolved(self, type_: Type) -> Type | None:
        for _ in range(4):
            bound = self._bindings.get(type_.name)
            alias = bound if isinstance(bound, Type) else self._table.find_alias(type_.name)
            if alias is None or alias.name == type_.name:
                break
            type_ = Type(
                alias.name,
                alias.args,
                type_.pointers + alias.pointers,
                const=type_.const,
                dims=(*type_.dims, *alias.dims),
            )
        return type_

    def of(self, node: ex.Expression) -> str | None:
        """The arithmetic type of an expression; None where it is not known to be one."""
        type_ = self._type(node)
        if type_ is None or type_.pointers or type_.dims:
            return None
        name = "unsigned long" if type_.name in ("size_t", "std::size_t") else type_.name
        return name if is_float(name) or is_integer(name) else None

    def is_integer(self, node: ex.Expression) -> bool:
        """Whether an expression is surely a whole number."""
        name = self.of(node)
        return name is not None and is_integer(name)

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
        if base.name.rstrip("1234") in ("float", "double", "int") and node.name in "xyzw":
            return Type(base.name.rstrip("1234"))
        struct = self._table.find_struct(base.name)
        for field in struct.fields if struct is not None and not struct.template_params else ():
            if field.name == node.name:
                return self._resolved(field.type)
        return None

    def _call(self, node: ex.Call) -> Type | None:
        if not isinstance(node.callee, ex.Name):
            return None
        name = last_part(node.callee.name)
        if name.endswith("f") and name[:-1] in _FLOAT_CALLS:
            return Type("float")
        if name in _FLOAT_CALLS and node.args:
            kinds = [self.of(arg) for arg in node.args]
            if all(kind == "float" for kind in kinds):
                return Type("float")
            return Type("double") if "double" in kinds else None
        found = self._table.find_functions(node.callee.name)
        results = {function.return_type.name for function in found}
        return found[0].return_type if len(results) == 1 else None
