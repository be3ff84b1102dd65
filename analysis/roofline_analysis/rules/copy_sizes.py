"""How many bytes a call of the host copies, where its function tells."""

from __future__ import annotations

from typing import Final

from roofline_analysis.language.type_system import TypeSystem
from roofline_analysis.rules.copies import Copy, buffer_bytes, uses_of
from roofline_analysis.rules.host_program import HostProgram
from roofline_analysis.rules.node_index import Located
from roofline_core.program import expressions as ex
from roofline_core.program import statements as st
from roofline_core.program.types import Type

_MOST_NAMES: Final = 8
"""The most variables that are made of one another. A limit on the work."""
_APPENDS: Final = ("push_back", "emplace_back")
_RESIZES: Final = ("resize", "assign", "insert", "reserve", "swap")


def most_bytes(program: HostProgram, copy: Copy) -> float | None:
    """The bytes that a copy moves, or at least those of the memory on the device; None: unknown."""
    found = _Sizes(program, copy.located).number(copy.call.args[2])
    if found is not None:
        return found
    used = uses_of(program, copy.device) if copy.device is not None else []
    return buffer_bytes(used[0]) if used else None


class _Sizes:
    """Numbers that one function's declarations fix."""

    def __init__(self, program: HostProgram, located: Located) -> None:
        self._program = program
        self._function = located.function
        self._types = TypeSystem(program.table)

    def number(self, node: object, depth: int = 0) -> float | None:
        """The value of an expression of the function; None where declarations do not fix it."""
        if isinstance(node, ex.Literal):
            return float(node.value) if isinstance(node.value, (int, float)) else None
        if isinstance(node, ex.SizeOf):
            return self._types.size(node.operand) if isinstance(node.operand, Type) else None
        if isinstance(node, ex.Cast):
            return self.number(node.operand, depth)
        if isinstance(node, ex.Binary):
            return self._binary(node, depth)
        if isinstance(node, ex.Call) and isinstance(node.callee, ex.Member):
            of = node.callee
            is_size = of.name == "size" and isinstance(of.base, ex.Name)
            return self._elements(of.base.name, depth) if is_size else None  # type: ignore[attr-defined]
        return self._variable(node.name, depth) if isinstance(node, ex.Name) else None

    def _binary(self, node: ex.Binary, depth: int) -> float | None:
        left, right = self.number(node.left, depth), self.number(node.right, depth)
        if left is None or right is None:
            return None
        if node.op in ("*", "+", "-"):
            return {"*": left * right, "+": left + right, "-": left - right}[node.op]
        return left * 2.0**right if node.op == "<<" and right < 64 else None

    def _declared(self, name: str) -> st.Variable | None:
        """The only local variable of a name; a global one without any."""
        found = [
            located.node
            for located in self._program.nodes(st.Variable)
            if located.function is self._function
            and isinstance(located.node, st.Variable)
            and located.node.name == name
        ]
        if not found and all(parameter.name != name for parameter in self._function.params):
            declared = self._program.table.find_global(name, None)
            return declared.variable if declared is not None else None
        return found[0] if len(found) == 1 else None

    def _variable(self, name: str, depth: int) -> float | None:
        """The number in a variable that is set once."""
        variable = self._declared(name)
        if variable is None or variable.init is None or depth >= _MOST_NAMES:
            return None
        for located in self._program.nodes(ex.Assign, ex.Update):
            target = located.node.target  # type: ignore[union-attr]
            if isinstance(target, ex.Name) and target.name == name:
                return None
        return self.number(variable.init, depth + 1)

    def _elements(self, name: str, depth: int) -> float | None:
        """The elements of a vector that is declared with some and appended to outside loops."""
        variable = self._declared(name)
        if variable is None or variable.type.name.rpartition("::")[2] != "vector":
            return None
        found: float | None = 0.0
        if isinstance(variable.init, ex.InitList):
            found = float(len(variable.init.items))
        elif variable.init is not None:
            return None
        elif variable.ctor_args:
            found = self.number(variable.ctor_args[0], depth)
        for located in self._program.nodes(ex.Call):
            called = located.node.callee if isinstance(located.node, ex.Call) else None
            if not isinstance(called, ex.Member) or not isinstance(called.base, ex.Name):
                continue
            if called.base.name != name or located.function is not self._function:
                continue
            if called.name in _RESIZES or (called.name in _APPENDS and located.loops):
                return None
            if called.name in _APPENDS and found is not None:
                found += 1.0
        return found
