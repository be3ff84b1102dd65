"""Function bodies, read when they are asked for."""

from __future__ import annotations

import re
from typing import Final

from roofline_core.program.crash import internal_error
from roofline_core.program.records import record
from roofline_core.program.stages import Stage, count, stage
from roofline_core.program.statements import Block, Opaque
from roofline_core.program.units import Problem, Severity
from roofline_parsers.cuda import calls, closures, construction, control_flow, literals, operators
from roofline_parsers.cuda.grammar import COMPOUND, TRY, Node
from roofline_parsers.cuda.launches import LAUNCH_CALLS
from roofline_parsers.cuda.lowering import statement
from roofline_parsers.cuda.scopes import DeclarationScope, KnownNames, lowering_for
from roofline_parsers.cuda.source import ParserInput
from roofline_parsers.cuda.statements import read_block

_WORDS_APART: Final = bytes(
    byte if byte > 0x7F or chr(byte).isalnum() or byte == ord("_") else ord(" ")
    for byte in range(256)
)
"""Blanks for what is in no word."""
_CHEVRONS: Final = re.compile(rb"<\s*<\s*<")
READERS = (calls, closures, construction, control_flow, literals, operators)
"""Modules that a body needs and that nothing imports: they register what they read."""


def has_launches(source: ParserInput, start: int, end: int) -> bool:
    """Whether a stretch of a text, in bytes, has the chevrons of a launch."""
    return _CHEVRONS.search(source.text, start, end) is not None


@record(frozen=True, slots=True, eq=False)
class BodyReader:
    """Reads one body when called.

    It keeps the tree and the body's range, not the body's node: a node holds on to every node that
    was ever reached from it.
    """

    source: ParserInput
    known: KnownNames
    start: int
    end: int
    scope: DeclarationScope
    qualified_name: str
    parameters: tuple[str, ...]
    """Names that are variables here, whatever they look like."""
    problems: list[Problem]
    """Problems found while reading are appended here."""

    def __call__(self) -> Block | None:
        """The body; None if the tree has none there any more."""
        return self.read()

    @stage(Stage.LOWER)
    def read(self) -> Block | None:
        """The body; None if the tree has none there any more."""
        count("functions lowered")
        self.problems.clear()
        node = self._node()
        if node is None:
            return None
        lo = lowering_for(self.source, self.known, self.scope, f"{self.qualified_name}::")
        lo.problems = self.problems
        lo.local_values.update(self.parameters)
        try:
            if node.kind_id == COMPOUND:
                return read_block(lo, node, 0)
            read = statement(lo, node, 0)
        except RecursionError:
            # The caller's own stack left too little room.
            line = lo.seek(node.start_byte)
            message = f"the body of '{self.qualified_name}' was asked for too deep in a recursion"
            self.problems.append(Problem(Severity.ERROR, message, self.source.path, line))
            return Block(line, (Opaque(line, lo.excerpt(node)),))
        except Exception as error:
            line = lo.seek(node.start_byte)
            what = f"in the body of '{self.qualified_name}', which is not read"
            self.problems.append(internal_error(error, what, self.source.path, line))
            return Block(line, (Opaque(line, lo.excerpt(node)),))
        return read if isinstance(read, Block) else Block(lo.line_of(node), (read,) if read else ())

    def words(self) -> frozenset[str]:
        """See ``Function.words``."""
        text = self.source.text[self.start : self.end]
        # Numbers are among them, which no name is.
        found = frozenset(text.translate(_WORDS_APART).decode("utf-8", "replace").split())
        launches = _CHEVRONS.search(text) is not None or not found.isdisjoint(LAUNCH_CALLS)
        return found | {"<<<"} if launches else found

    def _node(self) -> Node | None:
        tree = self.source.tree
        if tree is None:
            return None
        node = tree.root_node.descendant_for_byte_range(self.start, self.end)
        while node is not None and node.kind_id not in (COMPOUND, TRY):
            node = node.parent
        return node
