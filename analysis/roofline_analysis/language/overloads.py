"""Overload resolution: the function that a call means, and its template arguments."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from roofline_analysis.language.conversion_ranks import (
    ELLIPSIS,
    EXACT,
    IMPOSSIBLE,
    Rank,
    mentions,
    rank,
)
from roofline_analysis.language.kept_answers import is_plain
from roofline_analysis.language.partial_ordering import more_specialised_function
from roofline_analysis.language.scope import NO_NAMES, Binding, Scope
from roofline_analysis.language.substitution import substitutes
from roofline_analysis.language.templates import (
    TemplateArgument,
    binding_of,
    deduce,
    same_type,
    written,
)
from roofline_analysis.language.type_system import TypeSystem
from roofline_core.program.records import record
from roofline_core.program.types import Type
from roofline_core.program.units import Function

GivenArguments = Sequence[Binding | None] | None
"""The template arguments that a call writes, closed, None for numbers that are not known.

None in the place of them all where the call writes no ``<...>``.
"""


@record(frozen=True, slots=True)
class Callee:
    """The function that a call means."""

    function: Function
    bindings: dict[str, Binding]
    """Its template parameters, as far as they are known."""
    certain: bool = True
    """Whether the call can mean no other function, for all that is known."""

    def in_doubt(self) -> Callee:
        """The same for a call that may mean another function."""
        return Callee(self.function, self.bindings, certain=False)


def no_preference(function: Function) -> int:
    """For ``choose``: no function is preferred among those that fit equally well."""
    return 0


def choose(
    types: TypeSystem,
    candidates: Sequence[Function],
    args: Sequence[Type | None],
    given: GivenArguments = None,
    scope: Scope = NO_NAMES,
    prefer: Callable[[Function], int] = no_preference,
    this: Type | None = None,
) -> Callee | None:
    """The function that a call with arguments of these closed types means.

    An argument whose type is not known fits any parameter; ``conversion_ranks`` says how types
    tell lvalues. ``this`` is the type of the object whose methods these are. ``scope`` has the
    names in force where the functions are declared: those of the class for methods. None where
    no function takes that many arguments. What is returned is kept for calls alike: do not change
    its bindings.
    """
    if types.resolving or not is_plain((*args, *(given or ()), this)):
        return _choose(types, candidates, args, given, scope, prefer, this)
    written_args = None if given is None else tuple(given)
    kept: Callee | None = types.choices.answer(
        lambda inside: _choose(types, candidates, args, given, inside, prefer, this),
        (tuple(candidates), tuple(args), written_args, prefer, this, types.symbols.classes_added),
        scope,
    )
    return kept


def _choose(
    types: TypeSystem,
    candidates: Sequence[Function],
    args: Sequence[Type | None],
    given: GivenArguments,
    scope: Scope,
    prefer: Callable[[Function], int],
    this: Type | None,
) -> Callee | None:
    count = len(args)
    fitting = [f for f in candidates if f.template_args is None and accepts(f, count)]
    specialised = [f for f in candidates if f.template_args is not None and accepts(f, count)]
    if not fitting:
        return _without_primary(types, specialised, args, given, scope)
    if len(fitting) == 1:
        only = fitting[0]
        best = Callee(only, bind(types, only, args, given, scope))
    else:
        call = _OverloadedCall(types, args, given, scope, this)
        best = call.best(fitting, prefer)
    if best.function.template_params and specialised:
        exact = _specialisation(types, specialised, best, given)
        if exact is not None:
            return exact
    return best


def possible(
    types: TypeSystem,
    candidates: Sequence[Function],
    args: Sequence[Type | None],
    given: GivenArguments = None,
    scope: Scope = NO_NAMES,
) -> list[Function]:
    """The functions to which arguments of these types can be passed, as far as is known."""
    call = _OverloadedCall(types, args, given, scope)
    fitting = (f for f in candidates if accepts(f, len(args)))
    return [f for f in fitting if call.may_mean(f)]


def accepts(function: Function, count: int) -> bool:
    """Whether a function takes this many arguments."""
    params = function.params
    if "..." in function.qualifiers:
        return count >= len(params)
    if any(parameter.pack for parameter in function.template_params):
        return count >= len(params) - 1
    required = sum(1 for p in params if p.init is None)
    if len(params) == 1 and params[0].type.name == "void" and not params[0].type.pointers:
        return count == 0
    return required <= count <= len(params)


# ---- Template parameters


def bind(
    types: TypeSystem,
    function: Function,
    args: Sequence[Type | None],
    given: GivenArguments = None,
    scope: Scope = NO_NAMES,
) -> dict[str, Binding]:
    """A function's template parameters: as written, deduced, by default. Packs are left out."""
    bound: dict[str, Binding] = {}
    parameters = function.template_params
    if not parameters:
        return bound
    for parameter, argument in zip(parameters, given or (), strict=False):
        if parameter.pack:
            break
        if argument is not None:
            bound[parameter.name] = argument
    names = {parameter.name for parameter in parameters if not parameter.pack}
    if not names <= bound.keys():
        for formal, actual in zip(function.params, args, strict=False):
            if actual is not None:
                decays = actual.dims and not formal.type.reference
                given_type = actual.pointee().pointer_to() if decays else actual
                deduce(types.resolve(formal.type, _around(scope, bound)), given_type, names, bound)
    for parameter in parameters:
        if parameter.name not in bound and parameter.default is not None:
            found = binding_of(types.argument(parameter.default, _around(scope, bound)))
            if found is not None:
                bound[parameter.name] = found
    return bound


def _around(scope: Scope, bound: dict[str, Binding]) -> Scope:
    bindings = {**scope.bindings, **bound}
    return Scope(bindings, scope.owner, scope.struct, scope.number_of)


# ---- Specialisations


def _without_primary(
    types: TypeSystem,
    specialised: Sequence[Function],
    args: Sequence[Type | None],
    given: GivenArguments,
    scope: Scope,
) -> Callee | None:
    """Of explicit specialisations alone, the one with the arguments given or the types passed."""
    fitting = [f for f in specialised if given is None or _same_arguments(types, f, given)]
    if len(fitting) < 2:
        return Callee(fitting[0], {}) if fitting else None
    return _OverloadedCall(types, args, None, scope).best(fitting, no_preference)


def _specialisation(
    types: TypeSystem, specialised: Sequence[Function], primary: Callee, given: GivenArguments
) -> Callee | None:
    """The explicit specialisation of a chosen template for the arguments that it was bound to."""
    bound: list[Binding | None] = []
    for parameter in primary.function.template_params:
        if parameter.name not in primary.bindings:
            break
        bound.append(primary.bindings[parameter.name])
    wanted = bound or list(given or ())
    for function in specialised:
        if len(function.params) != len(primary.function.params):
            continue
        if _stands_before(function, primary.function):
            continue  # It specialises another template of the name.
        if function.template_args:
            whole = len(function.template_args) >= len(primary.function.template_params)
            if _same_arguments(types, function, wanted) and (
                whole or not _other_parameters(types, function, primary)
            ):
                return Callee(function, {})
        elif _same_parameters(types, function, primary):
            return Callee(function, {})
    return None


def _stands_before(one: Function, other: Function) -> bool:
    return one.path == other.path and one.span.line < other.span.line


def _same_arguments(types: TypeSystem, function: Function, given: Sequence[Binding | None]) -> bool:
    """Whether an explicit specialisation is for these arguments, as far as it writes them."""
    own = [types.argument(argument) for argument in function.template_args or ()]
    if len(own) > len(given):
        return False
    return all(
        right is not None and _same(left, written(right))
        for left, right in zip(own, given, strict=False)
    )


def _same(left: TemplateArgument, right: TemplateArgument) -> bool:
    if isinstance(left, Type) and isinstance(right, Type):
        return same_type(left, right)
    return left is right or binding_of(left) == binding_of(right) is not None


def _other_parameters(types: TypeSystem, function: Function, primary: Callee) -> bool:
    """Whether ``template <> f<2>(float)`` is sure to be for other types than the template's."""
    inside = Scope(primary.bindings)
    pairs = [(function.return_type, primary.function.return_type)] + [
        (own.type, formal.type)
        for own, formal in zip(function.params, primary.function.params, strict=True)
    ]
    for own, formal in pairs:
        left, right = types.resolve(own), types.resolve(formal, inside)
        if types.size(left) is not None and types.size(right) is not None:
            if not same_type(left, right):
                return True
    return False


def _same_parameters(types: TypeSystem, function: Function, primary: Callee) -> bool:
    """Whether ``template <> f(double)`` is the template with what it was bound to."""
    inside = Scope(primary.bindings)
    returned = types.resolve(primary.function.return_type, inside)
    if not same_type(types.resolve(function.return_type), returned):
        return False
    return all(
        same_type(types.resolve(own.type), types.resolve(formal.type, inside))
        for own, formal in zip(function.params, primary.function.params, strict=True)
    )


# ---- Candidates


@record(frozen=True, slots=True, eq=False)
class _Candidate:
    """A function that a call may mean, and how well it fits."""

    callee: Callee
    ranks: tuple[Rank, ...]
    """Of the object and each argument; what is not known of an argument ranks as exact."""
    exists: bool | None
    """Whether its template arguments make a declaration; None where that is not known."""
    otherwise: tuple[int, ...]
    """What decides where C++ knows no best function: the larger the better."""

    @property
    def possible(self) -> bool:
        """Whether nothing known rules the function out."""
        return self.exists is not False and IMPOSSIBLE not in self.ranks


class _OverloadedCall:
    """A call of a name that several functions have."""

    def __init__(
        self,
        types: TypeSystem,
        args: Sequence[Type | None],
        given: GivenArguments,
        scope: Scope,
        this: Type | None = None,
    ) -> None:
        self.types = types
        self.args = [None if t is None or t.name == "auto" else t for t in args]
        self.given = given
        self.scope = scope
        self.this = this

    def best(self, functions: Sequence[Function], prefer: Callable[[Function], int]) -> Callee:
        """The best of several functions; not certain where C++ does not tell with what is known."""
        candidates = [
            self._candidate(function, position, prefer)
            for position, function in enumerate(functions)
        ]
        left = [candidate for candidate in candidates if candidate.possible]
        if len(left) == 1:
            return left[0].callee
        guess = max(left or candidates, key=lambda candidate: candidate.otherwise)
        if all(self._is_one(guess, other) for other in left or candidates):
            return guess.callee
        for candidate in (guess, *left):
            others = (other for other in left if other is not candidate)
            if left and all(self._better(candidate, other) for other in others):
                certain = candidate.exists is True
                return candidate.callee if certain else candidate.callee.in_doubt()
        return guess.callee.in_doubt()

    def may_mean(self, function: Function) -> bool:
        """Whether the call can mean a function, were it the only one of its name."""
        return self._candidate(function, 0, no_preference).possible

    def _candidate(
        self, function: Function, position: int, prefer: Callable[[Function], int]
    ) -> _Candidate:
        bound = bind(self.types, function, self.args, self.given, self.scope)
        inside = _around(self.scope, bound)
        ranks = self._ranks(function, bound, inside)
        exists: bool | None = True
        if function.template_params or "requires" in function.qualifiers:
            exists = substitutes(self.types, function, inside, self.args)
        otherwise = (
            -sum(kind for kind, _, _ in ranks) - (20 if exists is False else 0),
            -sum(which for _, which, _ in ranks),
            not function.template_params,
            _specificity(function),
            function.has_body,
            prefer(function),
            -position,
        )
        return _Candidate(Callee(function, bound), ranks, exists, otherwise)

    def _ranks(
        self, function: Function, bound: dict[str, Binding], inside: Scope
    ) -> tuple[Rank, ...]:
        own = {parameter.name for parameter in function.template_params}
        packs = {parameter.name for parameter in function.template_params if parameter.pack}
        found = [self._object_rank(function)]
        if not _given_fits(function, self.given):
            found.append(IMPOSSIBLE)
        params = function.params
        for position, actual in enumerate(self.args):
            if position >= len(params):
                found.append(EXACT if packs else ELLIPSIS)
                continue
            written_type = params[position].type
            if actual is None or written_type.name in packs or written_type.name == "auto":
                found.append(EXACT)
                continue
            made = mentions(written_type, own) and not written_type.scope_args
            deduced = made and not self._is_given(function, written_type)
            formal = self.types.resolve(written_type, inside)
            if formal.name in own:  # What it stands for is not known.
                found.append(EXACT if _deep_enough(formal, actual) else IMPOSSIBLE)
                continue
            forwarding = deduced and written_type.rvalue and not formal.const
            found.append(rank(self.types, formal, actual, deduced=deduced, forwarding=forwarding))
        return tuple(found)

    def _object_rank(self, function: Function) -> Rank:
        """How an object becomes that of a method."""
        this = self.this
        if this is None or function.owner is None or "static" in function.qualifiers:
            return EXACT
        if "const" in function.qualifiers:
            return EXACT if this.const else (0, 0, 1)
        if this.const:
            return IMPOSSIBLE
        wrong = "&" if this.rvalue else "&&" if this.reference else ""
        return IMPOSSIBLE if wrong in function.qualifiers else EXACT

    def _is_given(self, function: Function, formal: Type) -> bool:
        """Whether a call writes the template argument that a parameter is made of."""
        given = function.template_params[: len(self.given or ())]
        return mentions(formal, {parameter.name for parameter in given if not parameter.pack})

    def _better(self, left: _Candidate, right: _Candidate) -> bool:
        """Whether C++ prefers a function to another, whatever the unknown arguments are."""
        one, other = left.callee.function, right.callee.function
        if _alike(self.types, left.callee, right.callee, self.scope):
            return left.otherwise > right.otherwise
        if any(arg is None for arg in self.args) and not self._alike_where_unknown(left, right):
            return False
        length = min(len(left.ranks), len(right.ranks))
        ranks = list(zip(left.ranks[:length], right.ranks[:length], strict=True))
        if any(mine > theirs for mine, theirs in ranks):
            return False
        if any(mine < theirs for mine, theirs in ranks):
            return True
        templates = bool(one.template_params), bool(other.template_params)
        if templates[0] != templates[1]:
            return templates[1]
        if templates == (True, True):
            count = len(self.args)
            found = more_specialised_function(self.types, one, other, self.scope, count)
            if found is not None:
                return found
        return False

    def _is_one(self, left: _Candidate, right: _Candidate) -> bool:
        return left is right or _alike(self.types, left.callee, right.callee, self.scope)

    def _alike_where_unknown(self, left: _Candidate, right: _Candidate) -> bool:
        """Whether two functions take the arguments of unknown type as the same types."""
        for position, actual in enumerate(self.args):
            if actual is None and self._formal(left, position) != self._formal(right, position):
                return False
        return True

    def _formal(self, candidate: _Candidate, position: int) -> Type | None:
        params = candidate.callee.function.params
        if position >= len(params):
            return None
        inside = _around(self.scope, candidate.callee.bindings)
        return self.types.resolve(params[position].type, inside)


def _given_fits(function: Function, given: GivenArguments) -> bool:
    """Whether written arguments are of the parameters' kinds: types for types."""
    if given is None:
        return True
    if not function.template_params:
        return function.template_args is not None
    parameters = function.template_params
    if len(given) > len(parameters) and not any(parameter.pack for parameter in parameters):
        return False
    for parameter, argument in zip(parameters, given, strict=False):
        if parameter.pack:
            break
        if argument is not None and (parameter.type is None) != isinstance(argument, Type):
            return False
    return True


def _deep_enough(formal: Type, actual: Type) -> bool:
    return formal.pointers + len(formal.dims) <= actual.pointers + len(actual.dims)


def _alike(types: TypeSystem, left: Callee, right: Callee, scope: Scope) -> bool:
    """Whether two functions are declarations of one, or of the host's and the device's."""
    one, other = left.function, right.function
    if len(one.params) != len(other.params) or one.qualified_name != other.qualified_name:
        return False
    if len(one.template_params) != len(other.template_params):
        return False
    if ("const" in one.qualifiers) != ("const" in other.qualifiers):
        return False
    if "requires" in one.qualifiers or "requires" in other.qualifiers:
        return False
    names: dict[str, Binding] = {
        theirs.name: Type(mine.name)
        for mine, theirs in zip(one.template_params, other.template_params, strict=True)
    }
    inside = _around(scope, names)
    pairs = zip(one.template_params, other.template_params, strict=True)
    if any(mine.type != theirs.type for mine, theirs in pairs):
        return False
    if one.template_params and types.resolve(one.return_type, scope) != types.resolve(
        other.return_type, inside
    ):
        return False
    return all(
        types.resolve(mine.type, scope) == types.resolve(theirs.type, inside)
        for mine, theirs in zip(one.params, other.params, strict=True)
    )


def _specificity(function: Function) -> int:
    """How much of a template's parameter types is written out: ``T*`` more than ``T``."""
    names = {parameter.name for parameter in function.template_params}
    total = 0
    for formal in function.params:
        type_ = formal.type
        total += type_.pointers + len(type_.dims) + type_.const
        total += 2 * (type_.name not in names) + len(type_.args)
    return total
