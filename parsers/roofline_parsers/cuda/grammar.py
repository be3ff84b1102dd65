"""The tree-sitter grammar for CUDA, and the numbers of the node kinds that the front end names.

Kinds are compared as integers (``Node.kind_id``), looked up once at import: reading ``Node.type``
makes a string each time.
"""

from __future__ import annotations

import tree_sitter_cuda
from tree_sitter import Language, Node, Parser, Tree

LANGUAGE = Language(tree_sitter_cuda.language())

ERROR = 65535
"""The kind of a node that holds what the grammar could not place."""


def kind(name: str) -> int:
    """The number of the named node kind ``name``; KeyError if the grammar has none."""
    number = LANGUAGE.id_for_node_kind(name, True)
    if not number:
        raise KeyError(f"the grammar has no node kind '{name}'")
    return number


def token(text: str) -> int:
    """The number of the anonymous token ``text``; KeyError if the grammar has none."""
    number = LANGUAGE.id_for_node_kind(text, False)
    if not number:
        raise KeyError(f"the grammar has no token '{text}'")
    return number


def all_kinds() -> list[int]:
    """Every kind a node can have, ``ERROR`` included."""
    return [*range(LANGUAGE.node_kind_count), ERROR]


_parser = Parser(LANGUAGE)

MAX_STEPS = 32_000
"""Reports of progress, one for 100 operations of the parser, that one text may take.

Real code takes one for 100 to 300 bytes, and each up to 20 kB of memory. A limit on the work.
"""


_MOST_BITS = 16
_PIECES = {
    length: memoryview(bytearray(length))
    for length in (3, *(1 << bits for bits in range(_MOST_BITS + 1)))
}
"""Where the parser reads text from, by length: each takes the longest character that fits."""


class ParseBudgetError(Exception):
    """A text takes more steps to parse than any real one."""

    def __init__(self, offset: int) -> None:
        """``offset``: the byte at which the parser was stopped."""
        super().__init__(f"stopped at byte {offset}")
        self.offset = offset


class ParseBudget:
    """The steps that are left to several texts together."""

    def __init__(self, steps: int) -> None:
        """``steps``: reports of progress, as in ``MAX_STEPS``."""
        self.left = steps


def parse(text: bytes, old: Tree | None = None, budget: ParseBudget | None = None) -> Tree:
    """Parses ``text``; ``old`` is the tree of an earlier text, already edited to match.

    Raises ParseBudgetError after the steps that ``budget`` has left, ``MAX_STEPS`` without one.
    """
    handed = [text]
    most = MAX_STEPS if budget is None else budget.left
    steps = reached = 0

    def read(offset: int, _: object) -> memoryview | bytes:
        """Some of the text from a byte offset on; empty behind its end."""
        return _piece(handed[0], offset) if handed else b""

    def is_enough(offset: int, _: bool) -> bool:
        """Count a step of the parser at a byte offset; whether that is too many."""
        nonlocal steps, reached
        steps += 1
        reached = offset
        return steps > most

    try:
        if old is None:
            return _parser.parse(read, progress_callback=is_enough)
        return _parser.parse(read, old, progress_callback=is_enough)
    except ValueError:
        _parser.reset()
        if steps <= most:
            raise
        raise ParseBudgetError(reached) from None
    finally:
        if budget is not None:
            budget.left = max(0, most - steps)
        handed.clear()  # The tree may keep `read`: the text would stay with it.


def _piece(text: bytes, offset: int) -> memoryview | bytes:
    """Some of ``text`` from a byte offset on, in memory that the next piece overwrites.

    The binding never lets go of what it was handed, so it is handed the same few objects each time.
    """
    left = len(text) - offset
    if left <= 0:
        return b""
    view = _PIECES[left if left < 4 else 1 << min(left.bit_length() - 1, _MOST_BITS)]
    view[:] = text[offset : offset + len(view)]
    return view


COMMENT = kind("comment")
IDENTIFIER = kind("identifier")
FIELD_IDENTIFIER = kind("field_identifier")
TYPE_IDENTIFIER = kind("type_identifier")
NAMESPACE_IDENTIFIER = kind("namespace_identifier")
STATEMENT_IDENTIFIER = kind("statement_identifier")
QUALIFIED_IDENTIFIER = kind("qualified_identifier")
TEMPLATE_FUNCTION = kind("template_function")
TEMPLATE_METHOD = kind("template_method")
TEMPLATE_TYPE = kind("template_type")
TEMPLATE_ARGUMENTS = kind("template_argument_list")
DEPENDENT_NAME = kind("dependent_name")
DESTRUCTOR_NAME = kind("destructor_name")
OPERATOR_NAME = kind("operator_name")
OPERATOR_CAST = kind("operator_cast")

PRIMITIVE_TYPE = kind("primitive_type")
TYPE_DESCRIPTOR = kind("type_descriptor")
STRUCT = kind("struct_specifier")
CLASS = kind("class_specifier")
UNION = kind("union_specifier")
ENUM = kind("enum_specifier")

PARENTHESIZED = kind("parenthesized_expression")
BINARY = kind("binary_expression")
CAST = kind("cast_expression")
CALL = kind("call_expression")
UNARY = kind("unary_expression")
POINTER = kind("pointer_expression")
ARGUMENTS = kind("argument_list")
SUBSCRIPT = kind("subscript_expression")
ASSIGNMENT = kind("assignment_expression")
CONDITIONAL = kind("conditional_expression")
KERNEL_CALL = kind("kernel_call_syntax")
INITIALIZER_LIST = kind("initializer_list")

COMPOUND = kind("compound_statement")
DECLARATION = kind("declaration")
CASE = kind("case_statement")
TRY = kind("try_statement")

FUNCTION = kind("function_definition")
FUNCTION_DECLARATOR = kind("function_declarator")
INIT_DECLARATOR = kind("init_declarator")
PARAMETERS = kind("parameter_list")
TYPE_QUALIFIER = kind("type_qualifier")
DECLARATORS = frozenset(
    map(
        kind,
        (
            "pointer_declarator",
            "abstract_pointer_declarator",
            "reference_declarator",
            "abstract_reference_declarator",
            "array_declarator",
            "abstract_array_declarator",
            "function_declarator",
            "abstract_function_declarator",
            "parenthesized_declarator",
            "abstract_parenthesized_declarator",
            "attributed_declarator",
            "variadic_declarator",
        ),
    )
)
"""Kinds that wrap a declarator around a name."""
DECLARATOR_NAMES = frozenset(
    map(
        kind,
        (
            "identifier",
            "field_identifier",
            "type_identifier",
            "qualified_identifier",
            "template_function",
            "template_method",
            "dependent_name",
            "operator_name",
            "destructor_name",
            "structured_binding_declarator",
            "splice_expression",
        ),
    )
)
"""Kinds that a declarator may come down to."""
LAUNCH_BOUNDS = kind("launch_bounds")
TEMPLATE = kind("template_declaration")
TEMPLATE_PARAMETERS = kind("template_parameter_list")
REQUIRES = kind("requires_clause")

OPEN_PAREN = token("(")
CLOSE_PAREN = token(")")
COMMA_TOKEN = token(",")
ATTRIBUTE = kind("attribute_specifier")
SEMICOLON = token(";")
COLON = token(":")
EQUALS = token("=")

__all__ = ["ERROR", "LANGUAGE", "Node", "Tree", "all_kinds", "kind", "parse", "token"]
