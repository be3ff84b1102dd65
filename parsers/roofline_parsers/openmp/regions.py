"""What one GPU thread does in a region: directives spelled out with CUDA's names.

Teams are blocks. ``distribute`` shares a loop out over blocks, ``for`` over the threads of one, and
both together over the grid, each thread taking every n-th iteration, as LLVM does on GPUs. A
``parallel`` region inside another has one thread.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from roofline_core.program.directives import Directive
from roofline_core.program.expressions import Binary, Expression, Name
from roofline_core.program.statements import Block, Declare, Directed, If, Statement, Variable
from roofline_parsers.openmp import atomics
from roofline_parsers.openmp.build import (
    barrier,
    block,
    builtin,
    ends_with_barrier,
    only,
    statements,
)
from roofline_parsers.openmp.kernels import Kernel, ThreadLevel
from roofline_parsers.openmp.reductions import Reduction, read_reductions
from roofline_parsers.openmp.rewrite import Env, ExpressionSummary, Rewriter, substitute
from roofline_parsers.openmp.sharing import Share, SharedLoopNest, read_nest, share_out
from roofline_parsers.openmp.team_scope import TeamScope

Constructs = tuple[str, ...]


class DeviceCode(Rewriter):
    """Spells out the directives of one kernel, or of one function that kernels call."""

    def __init__(self, kernel: Kernel, level: ThreadLevel) -> None:
        self.kernel = kernel
        self.level = level
        self.threads: Expression | None = None
        """``num_threads`` of the parallel region around, where threads may be left out."""
        self.team_scope = TeamScope(kernel.names, kernel.memory, self._directed, self.rewrite)

    def passes(self, summary: ExpressionSummary, env: Env) -> bool:
        """No directive stands in an expression without statements."""
        return True

    def _at(self, level: ThreadLevel, threads: Expression | None = None) -> DeviceCode:
        code = DeviceCode(self.kernel, level)
        code.threads = threads
        return code

    def directed(self, node: Directed, env: Env) -> Statement:
        """A statement under a directive, as one thread executes it."""
        return block(node.line, self._directed(node, env))

    def _directed(self, node: Directed, env: Env) -> list[Statement]:
        directive = node.directive
        body = node.body if node.body is not None else Block(node.line, ())
        return self.lower(directive, directive.constructs, body, env)

    def body(self, node: Statement, env: Env) -> list[Statement]:
        """The statements under a construct."""
        if self.level is ThreadLevel.TEAM and not self.kernel.lone:
            return self.team_scope.body(statements(node), dict(env))
        return list(statements(self.rewrite(node, dict(env))))

    def lower(
        self, directive: Directive, constructs: Constructs, body: Statement, env: Env
    ) -> list[Statement]:
        """A directive with its data clauses; ``constructs`` are those not dealt with yet."""
        env = dict(env)
        line = directive.line
        declared = _privates(directive, constructs, env)
        reductions = read_reductions(directive, env) if self._accumulates(constructs) else []
        before: list[Statement] = [Declare(line, (made,)) for made in declared]
        env.update((made.name, made) for made in declared)
        body = self._accumulated(reductions, body, env, before)
        made = self._construct(directive, constructs, body, env)
        after = self._reduced(directive, constructs, reductions)
        if not before and not after:
            return made
        if after and ends_with_barrier(made):
            made = [*made[:-1], *after, made[-1]]
        else:
            made = [*made, *after]
        return [Block(line, (*before, *made))]

    def _accumulates(self, constructs: Constructs) -> bool:
        """Whether more than one thread works on what the constructs reduce."""
        if "teams" in constructs:
            return True
        return (
            constructs != ("simd",)
            and self.level is not ThreadLevel.SERIAL
            and not self.kernel.lone
        )

    def _accumulated(
        self, reductions: Sequence[Reduction], body: Statement, env: Env, before: list[Statement]
    ) -> Statement:
        """The body with accumulators in place of the variables that are reduced."""
        values: dict[str, Expression] = {}
        for item in reductions:
            variable, first = item.declaration()
            before += [Declare(item.line, (variable,)), *first]
            env[variable.name] = variable
            values[item.name] = Name(item.line, item.accumulator)
        return substitute(body, values) if values else body

    def _reduced(
        self, directive: Directive, constructs: Constructs, reductions: Sequence[Reduction]
    ) -> list[Statement]:
        if not reductions:
            return []
        if "teams" in constructs:
            joined = [item.over_grid() for item in reductions]
            alone = "parallel" not in constructs and "loop" not in constructs
            guarded = alone and not self.kernel.lone
            return [only(directive.line, 0, joined)] if guarded else joined
        joined = []
        for item in reductions:
            in_memory = item.section is not None or item.name in self.kernel.memory
            made = item.over_team()
            joined += [only(directive.line, 0, made)] if in_memory else made
        return joined

    # -- constructs

    def _construct(
        self, directive: Directive, constructs: Constructs, body: Statement, env: Env
    ) -> list[Statement]:
        if not constructs:
            return self.body(body, env)
        handler = _HANDLERS.get(constructs[0])
        if handler is None:
            return self._construct(directive, constructs[1:], body, env)
        return handler(self, directive, constructs[1:], body, env)

    def _distribute(
        self, directive: Directive, rest: Constructs, body: Statement, env: Env
    ) -> list[Statement]:
        if "parallel" in rest:
            return self._shared(directive, Share.GRID, body, env)
        return self._shared(directive, Share.TEAMS, body, env)

    def _loop(
        self, directive: Directive, rest: Constructs, body: Statement, env: Env
    ) -> list[Statement]:
        """``loop``: over what is there to share it, teams first, unless ``bind`` says it."""
        bind = directive.clause("bind")
        bound = bind.modifiers[0] if bind is not None and bind.modifiers else None
        if bound == "thread" or self.level is ThreadLevel.SERIAL or self.kernel.lone:
            return self.body(body, env)
        if self.level is ThreadLevel.PARALLEL:
            return self._for(directive, rest, body, env)
        if bound == "parallel":
            return self._parallel(directive, ("for", *rest), body, env)
        return self._shared(directive, Share.GRID, body, env)

    def _parallel(
        self, directive: Directive, rest: Constructs, body: Statement, env: Env
    ) -> list[Statement]:
        if self.level is not ThreadLevel.TEAM:
            return self._at(ThreadLevel.SERIAL)._construct(directive, rest, body, env)
        line = directive.line
        threads = self._fewer_threads(directive)
        made = self._at(ThreadLevel.PARALLEL, threads)._construct(directive, rest, body, env)
        if threads is not None:
            made = made[:-1] if ends_with_barrier(made) else made
            index = builtin(line, "threadIdx")
            guard = If(line, Binary(line, "<", index, threads), Block(line, tuple(made)))
            return [guard, barrier(line)]
        return made if ends_with_barrier(made) else [*made, barrier(line)]

    def _fewer_threads(self, directive: Directive) -> Expression | None:
        """``num_threads`` of a region inside a kernel; that of the kernel sets the block."""
        clause = directive.clause("num_threads")
        if clause is None or not clause.items or "target" in directive.constructs:
            return None
        limit = self.kernel.limit
        if limit is not None and atomics.same(limit, clause.items[0]):
            return None
        return clause.items[0]

    def _for(
        self, directive: Directive, rest: Constructs, body: Statement, env: Env
    ) -> list[Statement]:
        if self.level is not ThreadLevel.PARALLEL:
            return self.body(body, env)
        made = self._shared(directive, Share.THREADS, body, env)
        return self._waiting(directive, made)

    def _waiting(self, directive: Directive, made: list[Statement]) -> list[Statement]:
        """Threads wait for each other after a work-sharing construct, unless ``nowait``."""
        if self.level is not ThreadLevel.PARALLEL or directive.clause("nowait") is not None:
            return made
        return made if ends_with_barrier(made) else [*made, barrier(directive.line)]

    def _shared(
        self, directive: Directive, share: Share, body: Statement, env: Env
    ) -> list[Statement]:
        """A loop nest shared out; a statement that is no such loop is left as it is."""
        level = ThreadLevel.TEAM if share is Share.TEAMS else ThreadLevel.PARALLEL
        inner = self._at(level)
        loops = read_nest(directive, body, env)
        if not loops:
            return inner.body(body, env)
        self.kernel.loops += 1
        work = SharedLoopNest(directive, share, loops, self.kernel.loops, self.threads)

        def innermost(recovered: Sequence[Declare]) -> list[Statement]:
            """The body of the innermost loop, behind the declarations of the loop counters."""
            scope = dict(env)
            for item in recovered:
                scope.update((variable.name, variable) for variable in item.variables)
            return [*recovered, *inner.body(loops[-1].body, scope)]

        return share_out(work, innermost)

    def _sections(
        self, directive: Directive, rest: Constructs, body: Statement, env: Env
    ) -> list[Statement]:
        """Each section is one thread's; what stands before the first is one too."""
        if self.level is not ThreadLevel.PARALLEL:
            return self.body(body, env)
        made: list[Statement] = []
        for number, item in enumerate(statements(body)):
            inside = item
            if isinstance(item, Directed) and item.body is not None:
                inside = item.body
            made.append(only(item.line, number, self.body(inside, env)))
        return self._waiting(directive, made)

    def _single(
        self, directive: Directive, rest: Constructs, body: Statement, env: Env
    ) -> list[Statement]:
        if self.level is not ThreadLevel.PARALLEL:
            return self.body(body, env)
        return self._waiting(directive, [only(directive.line, 0, self.body(body, env))])

    def _master(
        self, directive: Directive, rest: Constructs, body: Statement, env: Env
    ) -> list[Statement]:
        if self.level is not ThreadLevel.PARALLEL:
            return self._construct(directive, rest, body, env)
        chosen = directive.clause("filter")
        line = directive.line
        made = self._at(ThreadLevel.SERIAL)._construct(directive, rest, body, env)
        if chosen is not None and chosen.items:
            index = builtin(line, "threadIdx")
            test = Binary(line, "==", index, chosen.items[0])
            return [If(line, test, block(line, made))]
        return [only(line, 0, made)]

    def _atomic(
        self, directive: Directive, rest: Constructs, body: Statement, env: Env
    ) -> list[Statement]:
        made = self.rewrite(body, dict(env))
        return list(statements(atomics.lower(directive, made)))

    def _barrier(
        self, directive: Directive, rest: Constructs, body: Statement, env: Env
    ) -> list[Statement]:
        return [barrier(directive.line)] if self.level is ThreadLevel.PARALLEL else []


def _privates(directive: Directive, constructs: Constructs, env: Env) -> list[Variable]:
    """The variables that each thread gets anew; copies only of what comes from outside a kernel."""
    names: dict[str, bool] = {}
    for clause in directive.clauses:
        copied = clause.name == "firstprivate" and "target" not in constructs
        if clause.name in ("private", "lastprivate") or copied:
            names.update((item.name, copied) for item in clause.items if isinstance(item, Name))
    made = []
    for name, copied in names.items():
        variable = env.get(name)
        if variable is None or (copied and variable.type.dims):
            continue
        init = Name(directive.line, name) if copied else None
        type_ = replace(variable.type, reference=False, const=False, restrict=False)
        made.append(Variable(name, type_, directive.line, init))
    return made


_Handler = Callable[[DeviceCode, Directive, Constructs, Statement, Env], list[Statement]]
_HANDLERS: Final[dict[str, _Handler]] = {
    "distribute": DeviceCode._distribute,
    "loop": DeviceCode._loop,
    "parallel": DeviceCode._parallel,
    "for": DeviceCode._for,
    "sections": DeviceCode._sections,
    "single": DeviceCode._single,
    "master": DeviceCode._master,
    "masked": DeviceCode._master,
    "atomic": DeviceCode._atomic,
    "barrier": DeviceCode._barrier,
}
"""Constructs that change which threads do what; the others leave their body as it is."""
