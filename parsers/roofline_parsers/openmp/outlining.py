"""Kernels out of target regions, and their launches in the regions' place."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace

from roofline_core.program.directives import Clause, Directive
from roofline_core.program.expressions import Expression, Literal, Unary
from roofline_core.program.records import record
from roofline_core.program.statements import (
    Block,
    Declare,
    Directed,
    Offload,
    OffloadMode,
    Statement,
    Variable,
)
from roofline_core.program.types import Type
from roofline_core.program.units import Dialect, Function, Span, TemplateParameter
from roofline_parsers.openmp.build import only, statements, without_last_barrier
from roofline_parsers.openmp.captures import Captures, Capturing, Types
from roofline_parsers.openmp.kernels import Kernel, ThreadLevel
from roofline_parsers.openmp.loops import inner
from roofline_parsers.openmp.regions import DeviceCode
from roofline_parsers.openmp.rewrite import (
    Env,
    ExpressionSummary,
    Node,
    Rewriter,
    StatementRewriter,
    free_names,
    holds_lambda,
    substitute,
)
from roofline_parsers.openmp.sharing import iterations, read_nest
from roofline_parsers.openmp.team_scope import TeamNames, is_parallel, team_names

_VOID = Type("void")
_HOST_CLAUSES = frozenset(("num_teams", "thread_limit", "map", "device", "if", "depend"))
"""Clauses that the host evaluates."""


@record(frozen=True, slots=True)
class Site:
    """The function that regions are taken out of."""

    function: Function
    types: Types
    class_params: tuple[TemplateParameter, ...]
    """Template parameters of the class that the function belongs to."""
    pragma_span: Callable[[int], Span]
    """Where the text of the pragma on a line stands."""
    specialised: bool = False
    """Whether the directives of all target regions of the file start the threads of a team."""


class Outliner(Rewriter):
    """Replaces the first ``most`` target regions of one function by launches.

    The others stay as they are: statements that the host executes.
    """

    def __init__(self, site: Site, most: int) -> None:
        self.site = site
        self.kernels: list[Function] = []
        self.first_left_line: int | None = None
        """Where the first region beyond ``most`` stands."""
        self._most = most
        self._names: Counter[str] = Counter()

    def passes(self, summary: ExpressionSummary, env: Env) -> bool:
        """No region stands in an expression without statements."""
        return True

    def run(self, body: Block) -> Block:
        """The function's body with launches; its kernels are in ``kernels`` then."""
        env = {param.name: param for param in self.site.function.params}
        return self.rewrite(body, env)

    def directed(self, node: Directed, env: Env) -> Statement:
        """A launch for a target region; any other statement with the regions in it replaced."""
        if node.directive.constructs[0] == "target":
            if len(self.kernels) < self._most:
                return self._offload(node, env)
            if self.first_left_line is None:
                self.first_left_line = node.directive.line
            return node
        return super().directed(node, env)

    def _offload(self, node: Directed, env: Env) -> Statement:
        directive = node.directive
        body = node.body if node.body is not None else Block(node.line, ())
        chain = list(_chain(node))
        lambdas = holds_lambda(node)
        inside = list(_directives(node, lambdas=lambdas))
        owner = _owner(self.site)
        site = self.site
        parameters = {item.name for item in (*site.class_params, *site.function.template_params)}
        directives = [item.directive for item in chain]
        capturing = Capturing(directives, env, site.types, owner, parameters)
        limit = _clause(inside, "thread_limit")
        code = _kernel_code(node, env, capturing, limit, lambdas=lambdas)
        captures = capturing.of(code, directive.line)
        kernel = self._kernel(node, captures, code)
        self.kernels.append(kernel)
        return Offload(
            line=node.line,
            kernel=kernel,
            args=tuple(captures.args),
            directive=directive,
            mode=_mode(chain),
            teams=_teams(inside, directive.line),
            thread_limit=limit,
            threads=_clause(inside, "num_threads"),
            trips=_trips(inside, body, env),
            body=body,
        )

    def _kernel(self, node: Directed, captures: Captures, code: list[Statement]) -> Function:
        function = self.site.function
        line = node.directive.line
        name = f"__omp_offloading_{function.name}_l{node.directive.included_line or line}"
        same = self._names[name]
        self._names[name] += 1
        name += f"_{same}" if same else ""
        body = substitute(
            Block(node.line, (*captures.prologue, *code)), captures.values, captures.meanings
        )
        body = _Addresses().rewrite(body, {})
        span = node.span or Span(line, 0, line, 0)
        return Function(
            name=name,
            qualified_name=f"{function.qualified_name}::{name}",
            path=function.path,
            span=span,
            name_span=self.site.pragma_span(span.line),
            return_type=_VOID,
            params=tuple(captures.params),
            template_params=(*self.site.class_params, *function.template_params, *captures.types),
            qualifiers=_qualifiers(node, specialised=self.site.specialised),
            dialect=Dialect.OPENMP,
            owner=function.owner,
            read_body=lambda: body,
            fingerprint=f"{function.fingerprint}:{len(self.kernels)}",
            written_in=node.directive.included_file,
        )


class _Addresses(Rewriter):
    """``&*x`` is ``x``."""

    def passes(self, summary: ExpressionSummary, env: Env) -> bool:
        """There is nothing to rewrite without such an address."""
        return not summary.addresses

    def rewrite(self, node: Node, env: Env) -> Node:
        """``x`` in the place of ``&*x``; other nodes with their parts rewritten."""
        if isinstance(node, Unary) and node.op == "&":
            operand = node.operand
            if isinstance(operand, Unary) and operand.op == "*":
                return self.rewrite(operand.operand, env)  # type: ignore[return-value]
        return super().rewrite(node, env)


def _owner(site: Site) -> Type | None:
    """The class that the function is a method of, as a type."""
    owner = site.function.owner
    if owner is None:
        return None
    args = tuple(Type(param.name) for param in site.class_params)
    return Type(owner, args)


def _chain(node: Directed) -> Iterator[Directed]:
    """The directive and those that are nested in it with nothing beside them."""
    current: Statement = node
    while isinstance(current, Directed):
        yield current
        if current.body is None:
            return
        current = inner(current.body)


class _DirectiveCollector(StatementRewriter):
    def __init__(self, *, lambdas: bool) -> None:
        super().__init__(lambdas=lambdas)
        self.found: list[Directed] = []

    def directed(self, node: Directed, env: Env) -> Statement:
        """Note the statement; those inside it are noted after it."""
        self.found.append(node)
        return super().directed(node, env)


def _directives(node: Directed, *, lambdas: bool) -> list[Directed]:
    """The statement and all directives in it, outermost first."""
    collector = _DirectiveCollector(lambdas=lambdas)
    collector.rewrite(node, {})
    return collector.found


def _kernel_code(
    node: Directed,
    env: Env,
    capturing: Capturing,
    limit: Expression | None,
    *,
    lambdas: bool,
) -> list[Statement]:
    """The region as one thread executes it, captured variables still by their names."""
    directive = _device_part(node.directive)
    body = _DevicePart(lambdas=lambdas).rewrite(node.body or Block(node.line, ()), {})
    region = Directed(node.line, directive, body)
    parallel = any(map(is_parallel, _directives(region, lambdas=lambdas)))
    names = team_names(region) if parallel else TeamNames()
    memory = frozenset(name for name in free_names(region) if capturing.in_memory(name))
    kernel = Kernel(names, memory, lone=not parallel, limit=limit)
    code = DeviceCode(kernel, ThreadLevel.TEAM)
    made = code.lower(directive, directive.constructs, body, env)
    if not parallel:
        return [only(node.line, 0, made)]
    return without_last_barrier(made)


class _DevicePart(StatementRewriter):
    """Leaves out clauses that the host evaluates."""

    def directed(self, node: Directed, env: Env) -> Statement:
        """The statement with the clauses that the device evaluates."""
        made = super().directed(node, env)
        assert isinstance(made, Directed)
        return replace(made, directive=_device_part(made.directive))


def _device_part(directive: Directive) -> Directive:
    kept = tuple(clause for clause in directive.clauses if clause.name not in _HOST_CLAUSES)
    return replace(directive, clauses=kept)


def _qualifiers(region: Directed, *, specialised: bool) -> frozenset[str]:
    """Of the kernel that a region becomes: ``parallel`` where its directive starts the threads."""
    if {"parallel", "loop"}.isdisjoint(region.directive.constructs):
        return frozenset(("__global__",))
    return frozenset(("__global__", "parallel", *(("specialised",) if specialised else ())))


def _clause(inside: list[Directed], name: str) -> Expression | None:
    """The value of the first clause of a name; of a range of values the upper one."""
    for node in inside:
        clause: Clause | None = node.directive.clause(name)
        if clause is not None and clause.items:
            return clause.items[-1]
    return None


def _teams(inside: list[Directed], line: int) -> Expression | None:
    if any("teams" in node.directive.constructs for node in inside):
        return _clause(inside, "num_teams")
    return Literal(line, 1, "int")


def _mode(chain: list[Directed]) -> OffloadMode:
    """SPMD where a parallel region follows with nothing beside it."""
    constructs = {name for node in chain for name in node.directive.constructs}
    return OffloadMode.SPMD if constructs & {"parallel", "loop"} else OffloadMode.GENERIC


def _trips(inside: list[Directed], region: Statement, env: Env) -> Expression | None:
    """The iterations of the first loop that teams share, in terms of the host's variables."""
    for node in inside:
        constructs = node.directive.constructs
        shared = "distribute" in constructs or ("loop" in constructs and "teams" in constructs)
        if not shared or node.body is None:
            continue
        scope = dict(env)
        known = _declared(region)
        loops = read_nest(node.directive, node.body, scope)
        if not loops:
            return None
        trips = iterations(loops)
        for _ in range(4):
            trips = substitute(trips, {name: v for name, v in known.items() if v is not None})
        names = set(free_names(trips))
        if known.keys() & names:
            return None
        elsewhere = names - env.keys()
        if not elsewhere:
            return trips
        declared = _Declared()
        declared.rewrite(region, {})
        return None if declared.found & elsewhere else trips
    return None


class _Declared(Rewriter):
    """Collects the names of all variables that are declared anywhere in a region."""

    def __init__(self) -> None:
        self.found: set[str] = set()

    def passes(self, summary: ExpressionSummary, env: Env) -> bool:
        """Nothing is declared in an expression without statements."""
        return True

    def rewrite(self, node: Node, env: Env) -> Node:
        """Note the name if the node declares a variable."""
        if isinstance(node, Variable):
            self.found.add(node.name)
        return super().rewrite(node, env)


def _declared(region: Statement) -> dict[str, Expression | None]:
    """The variables that a region declares before its loops, with their first values."""
    found: dict[str, Expression | None] = {}
    for node in statements(region):
        if isinstance(node, Declare):
            found.update((variable.name, variable.init) for variable in node.variables)
        elif isinstance(node, Directed) and node.body is not None:
            found.update(_declared(node.body))
    return found
