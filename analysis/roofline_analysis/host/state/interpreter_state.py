"""The state of one abstract execution: frames, memory journal, unknowns, budget, launches."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from roofline_analysis.host.effects.reach import Reach
from roofline_analysis.host.library_call import LibraryCall
from roofline_analysis.host.options import HostOptions, Stop
from roofline_analysis.host.state.lookups import HostLookups
from roofline_analysis.host.state.memory import (
    AUTO,
    MAX_TEXT,
    Cell,
    ContentsPlace,
    ElementPlace,
    HostFrame,
    HostPlace,
    Storage,
    TextPlace,
)
from roofline_analysis.host.state.reading import STEPS_FOR_EACH, ReadingState
from roofline_analysis.host.state.signals import BudgetSpent, ProgramExit, Signal
from roofline_analysis.host.state.threads import KernelThreads
from roofline_analysis.host.state.trial_notes import NotedStore, TrialNotes
from roofline_analysis.host.values import (
    Aggregate,
    HostUnknown,
    LaunchContext,
    OpaqueValue,
    Origin,
    Samples,
    Scalar,
    Spread,
    Text,
    Value,
)
from roofline_analysis.language.constant_expressions import library_constant
from roofline_analysis.language.symbols import Symbols
from roofline_analysis.language.type_system import TypeSystem
from roofline_analysis.names.usual_numbers import usual_number
from roofline_core.algebra.operations import finite
from roofline_core.algebra.symbol_scopes import SymbolScope
from roofline_core.algebra.symbolic import ONE, Apply, Expr, Symbol, constant, make_symbol
from roofline_core.algebra.symbolic import from_atom as expr_of
from roofline_core.program.expressions import Expression, InitList, Literal
from roofline_core.program.progress import PROGRESS
from roofline_core.program.records import record
from roofline_core.program.statements import Statement, Variable
from roofline_core.program.types import Type
from roofline_core.program.units import Function, Problem, Program, Severity, Struct

MAX_DEPTH: Final = 60
"""Frames on the stack; deeper calls give an opaque value."""

MAX_NESTED: Final = 100
"""Statements executed within one another, through calls too; what nests deeper is not followed.

It comes before Python's own limit, which depends on who calls. Of HeCBench's programs one has more
than 60."""

MAX_TERMS: Final = 24
MAX_NESTING: Final = 8
"""Terms of an expression, and operations within one another, before it becomes an unknown."""


Evaluators = Mapping[type[Expression], Callable[..., Value]]
Locators = Mapping[type[Expression], Callable[..., HostPlace]]
Executors = Mapping[type[Statement], Callable[..., "Signal | None"]]


@record(frozen=True, slots=True)
class HostParts:
    """The functions that execute each kind of node: they call the interpreter, and it calls them.

    Each takes the interpreter first. A node that the tables lack has an opaque value, no place of
    its own, or no effect.
    """

    evaluators: Evaluators
    locators: Locators
    executors: Executors
    construct: Callable[[HostInterpreter, Type, Sequence[HostPlace], str], Value]
    construct_field: Callable[[HostInterpreter, str, Sequence[Expression]], None]
    declared_value: Callable[[HostInterpreter, Variable, bool], tuple[Type, Value | None]]
    initialise: Callable[[HostInterpreter, Type, InitList, str], Value]
    variable_type: Callable[[HostInterpreter, Expression], Type | None]


def held_constant(value: Value) -> Scalar | None:
    """The number that a ``std::integral_constant`` is converted to; None of any other value."""
    if not isinstance(value, OpaqueValue) or value.type is None or value.type.pointers:
        return None
    held = library_constant(value.type)
    return None if held is None else Scalar(constant(held[0]), held[1], value.origin)


class HostInterpreter:
    """Executes one program once; the result is gathered in ``launches`` and ``problems``."""

    open_types: tuple[str, ...] = ()
    """Type parameters of the function executed from outside that nothing instantiates."""
    open_numbers: Mapping[str, int] = MappingProxyType({})
    """Its numbers of which classes are made, with what is taken for them."""
    copied_symbols: frozenset[str] = frozenset()
    """The names of variables in device memory that were copied to."""
    pending_enumerators: frozenset[int] = frozenset()
    """Ids of the expressions of enumerators that are being computed."""

    def __init__(self, program: Program, options: HostOptions, parts: HostParts) -> None:
        self.parts = parts
        self._evaluators = parts.evaluators
        self._locators = parts.locators
        self._executors = parts.executors
        self.options = options
        self.symbols = Symbols(program)
        self.types = TypeSystem(self.symbols)
        self.reach = Reach(self.symbols)
        self.frames: list[HostFrame] = []
        self.globals: dict[int, HostPlace] = {}
        self.statics: dict[int, HostPlace] = {}
        self.launches: dict[object, LaunchContext] = {}
        self.library_calls: list[LibraryCall] = []
        self.closures: dict[Hashable, Struct] = {}
        """The classes of lambdas that were passed to kernels."""
        self.problems: list[Problem] = []
        self.stops: list[Stop] = []
        self.unknowns: dict[Symbol, HostUnknown] = {}
        self.spreads: dict[Symbol, Spread] = {}
        """Of those unknowns that are known to come from a range."""
        self.trials = TrialNotes()
        self.named: dict[tuple[str, str], Scalar] = {}
        self.literals: dict[Literal, Value] = {}
        self.reached: set[int] = set()
        self.journals: list[list[tuple[HostPlace, Value | None]]] = []
        self.repeat: list[Expr | None] = []
        self.doubt, self.undecided_jumps = 0, 0
        """How many undecided conditions lead here, and how many would have led away from a loop."""
        self._nested = 0
        self.quiet = 0
        """How many calls and loops around here cannot launch."""
        self.forced, self.alone = False, False
        """Whether conditions give way that keep a launch site from being reached, and whether calls
        are left out that may launch: what they would launch is of no interest."""
        self.steps, self.limit = 0, options.statement_budget
        self.builtins: dict[str, HostPlace] = {}
        """Variables of the C library, by name."""
        self.reading = ReadingState(options.reading_budget)
        self.parsed_options: dict[str, Any] = {}
        """State of the C library, by the name of its owner (``getopt``)."""
        self.arguments: tuple[str, ...] | None = None
        self.addressed: dict[Hashable, Storage] = {}
        """Memory of fields whose address was taken, by the key of their place."""
        self.lookups = HostLookups()
        self.depths: dict[Apply, int] = {}
        self.slow_calls: set[int] = set()
        self.threads: KernelThreads | None = None
        """The threads of the kernel that is executed for its own launches; None on the host."""
        self.packs = False
        """Whether a parameter pack was met, so that arguments are looked through for it."""
        self._launch_events: list[object] = []

    # ---- Where we are

    @property
    def frame(self) -> HostFrame:
        """The innermost activation."""
        return self.frames[-1]

    @property
    def path(self) -> Path | None:
        """The file being executed."""
        for frame in reversed(self.frames):
            if frame.function is not None:
                return frame.function.path
        return None

    @cached_property
    def faults(self) -> list[Problem]:
        """Internal errors, to which further ones are added."""
        return []

    def origin(self, text: str, line: int | None) -> Origin:
        """An origin in the file being executed."""
        return Origin(text, self.path, line)

    def problem(self, message: str, line: int | None) -> None:
        """Note something that was not understood, once."""
        found = Problem(Severity.WARNING, message, self.path, line)
        if found not in self.problems and len(self.problems) < 100:
            self.problems.append(found)

    # ---- Evaluating and executing

    def eval(self, node: Expression) -> Value:
        """The value of an expression."""
        evaluator = self._evaluators.get(type(node))
        if evaluator is None:
            return OpaqueValue(type(node).__name__, "this kind of expression is not modelled")
        return evaluator(self, node)

    def place(self, node: Expression) -> HostPlace:
        """The place an expression denotes; a temporary for one that denotes none."""
        locator = self._locators.get(type(node))
        if locator is not None:
            return locator(self, node)
        return Cell("", AUTO, self.eval(node))

    def spend(self, line: int) -> None:
        """Count one step of the budget, which ends the execution once it is used up."""
        self.steps += 1
        PROGRESS.steps += 1
        if self.steps > self.limit:
            raise BudgetSpent(self.path, line)

    def exec(self, node: Statement) -> Signal | None:
        """Execute a statement; the signal says how it was left."""
        self.spend(node.line)
        executor = self._executors.get(type(node))
        if executor is None:
            return None
        depth, journals, doubt = len(self.frames), len(self.journals), self.doubt
        scopes = len(self.frames[-1].scopes)
        if self._nested >= MAX_NESTED:
            raise RecursionError
        self._nested += 1
        try:
            return executor(self, node)
        except (BudgetSpent, ProgramExit, RecursionError):
            raise
        except Exception as error:
            del self.frames[depth:], self.journals[journals:], self.frames[-1].scopes[scopes:]
            self.doubt = doubt
            kind = type(error).__name__
            self.problem(
                f"internal error: this statement was left out ({kind}: {error})", node.line
            )
            return None
        finally:
            self._nested -= 1

    @property
    def spent(self) -> bool:
        """Whether the whole execution has used up its budget."""
        return self.steps > self.options.statement_budget

    def grant_steps_for_reading(self) -> None:
        """Let the loop or call that has read something known go on for some more statements."""
        granted = self.reading.grant(STEPS_FOR_EACH - (self.limit - self.steps))
        if self.limit:
            self.limit = min(self.limit + granted, max(self.limit, self.options.statement_budget))

    def construct(self, type: Type, args: Sequence[HostPlace], name: str = "") -> Value:
        """An object of a resolved type made from arguments."""
        return self.parts.construct(self, type, args, name)

    def construct_field(self, name: str, args: Sequence[Expression]) -> None:
        """Execute one entry of a constructor's initialiser list."""
        self.parts.construct_field(self, name, args)

    def declared_value(
        self, variable: Variable, *, zeroed: bool = False
    ) -> tuple[Type, Value | None]:
        """The resolved type of a declared variable and its first value."""
        return self.parts.declared_value(self, variable, zeroed)

    def initialise(self, type: Type, node: InitList, name: str) -> Value:
        """The value of a resolved type that a brace list gives."""
        return self.parts.initialise(self, type, node, name)

    # ---- Memory

    def store(self, place: HostPlace, value: Value | None) -> None:
        """Assign, so that an enclosing undecided branch can undo it."""
        if self.journals:
            if isinstance(place, ElementPlace) and place.storage.text is not None:
                text = TextPlace(place.storage)
                self.journals[-1].append((text, text.get()))
            self.journals[-1].append((place, place.get()))
        place.put(value)

    def put_text(self, storage: Storage, text: str | None) -> None:
        """Make a buffer hold a C string and nothing else that is known."""
        self.forget_contents(storage)
        if text is not None and len(text) <= MAX_TEXT and storage.place is None:
            self.store(TextPlace(storage), Text(text))

    def forget_contents(self, storage: Storage) -> None:
        """Make all that a buffer holds unknown."""
        if storage.place is not None:
            return
        if storage.elements or any(each is not None for each in storage.held):
            if self.journals:
                self.journals[-1].append((ContentsPlace(storage), None))
            storage.elements.clear()
            storage.held = (None, None, None, None, None, None)
        for member in storage.members.values():
            self.forget_contents(member)

    def fill_with(
        self,
        storage: Storage,
        draws: Samples | None,
        total: float | None = None,
        average: float | None = None,
    ) -> None:
        """Take all that a buffer holds for numbers like these, or with this sum or average."""
        self.forget_contents(storage)
        if storage.place is None and (draws is not None or total is not None):
            if self.journals:
                self.journals[-1].append((ContentsPlace(storage), None))
            storage.draws, storage.total, storage.average = draws, total, average

    def mark_overwritten(self, storage: Storage) -> None:
        """Note that a kernel may have changed the objects in an array."""
        if self.journals:
            self.journals[-1].append((ContentsPlace(storage), None))
        storage.overwritten = True

    def rollback(self, journal: list[tuple[HostPlace, Value | None]]) -> None:
        """Undo what a journal recorded."""
        for place, old in reversed(journal):
            place.put(old)

    # ---- Unknowns

    def unknown(
        self,
        name: str,
        why: str,
        type_name: str = "int",
        *,
        assumed: int | float | Expr | None = None,
        line: int | None = None,
        shared: bool = False,
        nonnegative: bool | None = None,
    ) -> Scalar:
        """A number the program leaves open, as a fresh symbol (``shared``: one for each name).

        It is taken to be as negative as what is assumed for it where ``nonnegative`` says nothing.
        What is not finite is not assumed of anything. ``assumed`` as an expression is what that
        comes to, and a default of the source if nothing in it is open.
        """
        default = isinstance(assumed, Expr) and self._is_default(assumed)
        if isinstance(assumed, Expr):
            assumed = self.assumed_value(assumed)
        if shared and (known := self.named.get((name, type_name))) is not None:
            return known
        floating = type_name in ("float", "double")
        if assumed is None or finite(assumed) is None:
            small = floating or type_name == "bool"
            assumed = 1 if small else usual_number(name) or self.options.default_size
        if nonnegative is None:
            nonnegative = assumed >= 0
        index = len(self.unknowns)
        made = make_symbol(name, SymbolScope.HOST, nonnegative=nonnegative, index=index)
        self.unknowns[made] = HostUnknown(
            made, name, why, assumed, self.path, line, is_default=default
        )
        result = Scalar(expr_of(made), type_name, self.origin(name, line))
        if shared:
            self.named[name, type_name] = result
        return result

    def _is_default(self, expr: Expr) -> bool:
        """Whether a number is made of the source's own constants, and of nothing that is open."""
        unknowns = map(self.unknowns.get, expr.symbols())
        return all(each is not None and each.is_default for each in unknowns)

    def is_open(self, symbol: Symbol) -> bool:
        """Whether any size may be assumed for a symbol, as neither source nor name says one."""
        unknown = self.unknowns.get(symbol)
        if unknown is None or unknown.is_default:
            return False
        return unknown.assumed == self.options.default_size

    def spread(self, name: str, why: str, type_name: str, spread: Spread) -> Scalar:
        """A number that may be any of a range."""
        middle = (spread.low + spread.high) / 2
        known = finite(middle)
        assumed = float(int(known)) if spread.whole and known is not None else known
        made = self.unknown(name, why, type_name, assumed=assumed, nonnegative=spread.low >= 0)
        for symbol in made.value.symbols():
            self.spreads[symbol] = spread
        return made

    def average(self, name: str, why: str, type_name: str, number: float) -> Scalar:
        """A number of which the average over what is random is known."""
        whole = type_name not in ("float", "double")
        known = finite(number)
        assumed = round(known) if whole and known is not None else known
        made = self.unknown(name, why, type_name, assumed=assumed)
        for symbol in made.value.symbols():
            self.unknowns[symbol] = replace(self.unknowns[symbol], average=True)
        return made

    def note_element(self, storage: Storage, value: Value | None) -> None:
        """A number is stored to some element, if anybody wants to know."""
        if self.trials.stored is None:
            return
        if isinstance(value, Aggregate):
            for name, held in value.fields.items():
                self.note_element(storage.member(name), held)
            return
        number = value.value if isinstance(value, Scalar) else None
        conditions: tuple[Expr, ...] = ()
        if len(self.journals) - self.trials.journals > len(self.trials.trips):
            self.trials.conditional.add(storage)
            conditions = tuple(each for frame in self.frames for each in frame.path_conditions)
        times, guessed = math.prod(self.trials.trips), bool(self.trials.guessed)
        noted = NotedStore(times, number, conditions, guessed)
        self.trials.stored.setdefault(storage, []).append(noted)

    def note_growth(self, storage: Storage, value: Value | None) -> None:
        """A number is added to some element, if anybody wants to know."""
        if self.trials.stored is not None:
            number = value.value if isinstance(value, Scalar) else None
            noted = NotedStore(math.prod(self.trials.trips), number)
            self.trials.grown.setdefault(storage, []).append(noted)

    def bounded(self, expr: Expr) -> Expr:
        """The expression, or a fresh unknown in its place if it has grown too large to handle."""
        if len(expr.terms) <= MAX_TERMS:
            depth = 0
            for monomial in expr.terms:
                for atom in monomial:
                    if isinstance(atom, Apply):
                        found = self.depths.get(atom)
                        if found is None:
                            found = 1 + max((self._depth(a) for a in atom.args), default=0)
                            self.depths[atom] = found
                        depth = max(depth, found)
            if depth <= MAX_NESTING:
                return expr
        why = "it is computed in too many steps from values that are not known"
        return self.unknown("a computed value", why, assumed=self.options.default_size).value

    def _depth(self, expr: Expr) -> int:
        return max(
            (
                self.depths.get(atom, 1) if isinstance(atom, Apply) else 0
                for monomial in expr.terms
                for atom in monomial
            ),
            default=0,
        )

    def assume(self, symbol: Symbol, assumed: int | float) -> None:
        """Replace the number assumed for an unknown by a better guess."""
        self.unknowns[symbol] = replace(self.unknowns[symbol], assumed=assumed)

    def assumed_value(self, expr: Expr) -> int | float | None:
        """The finite number an expression takes when each unknown takes its assumed value."""
        values: Mapping[Symbol, Expr] = {
            s: constant(self.unknowns[s].assumed) for s in expr.symbols() if s in self.unknowns
        }
        found = expr.substitute(values).constant
        return None if found is None or finite(found) is None else found

    def number(self, value: Value | None, type_name: str = "int") -> Scalar | None:
        """A value as a number: an opaque one becomes an unknown of its name, others None."""
        if isinstance(value, Scalar):
            return value
        if isinstance(value, OpaqueValue):
            held = held_constant(value)
            if held is not None:
                return held
            if value.type is not None and not value.type.pointers:
                type_name = value.type.name if value.type.name in SCALARS else type_name
            line = value.origin.line if value.origin else None
            return self.unknown(value.name, value.why, type_name, line=line, shared=True)
        return None

    # ---- Launches

    @property
    def launch_events(self) -> list[object]:
        """None for each launch that was executed, and after it its key if it is recorded."""
        return self._launch_events

    def repeat_count(self) -> Expr | None:
        """How often the loops around here run this place in all; None where that is unknown."""
        total = ONE
        for trips in self.repeat:
            if trips is None:
                return None
            total = total * trips
        return total

    def count_launch(self) -> None:
        """Note that a launch was executed."""
        self._launch_events.append(None)

    def wants(self, node: Statement | None) -> bool:
        """Whether a statement holds a launch site that was not reached yet."""
        if node is None:
            return False
        return any(id(site) not in self.reached for site in self.reach.effects(node).launches)

    def wants_below(self, node: Statement) -> bool:
        """As ``wants``, with the sites in functions that the statement calls."""
        return any(id(site) not in self.reached for site in self.reach.all_sites(node))

    def enter(
        self, function: Function | None, bindings: dict[str, Type | Expr], **fields: Any
    ) -> HostFrame:
        """Push a new frame."""
        frame = HostFrame(function, bindings, [{}], **fields)
        self.frames.append(frame)
        return frame


SCALARS: Final = frozenset(
    "bool,char,signed char,unsigned char,short,unsigned short,int,unsigned int,long,unsigned long,"
    "long long,unsigned long long,float,double,long double".split(",")
)
"""Canonical names of the arithmetic types."""
