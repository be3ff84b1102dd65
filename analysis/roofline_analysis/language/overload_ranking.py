"""The best of several functions of a name, as C++ ranks them for a call."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from roofline_analysis.language.callees import Callee, GivenArguments, bind, inside_template
from roofline_analysis.language.conversion_ranks import (
    ELLIPSIS,
    EXACT,
    IMPOSSIBLE,
    Rank,
    mentions,
    rank,
)
from roofline_analysis.language.partial_ordering import more_specialised_function
from roofline_analysis.language.scope import Binding, Scope
from roofline_analysis.language.substitution import substitutes
from roofline_analysis.language.type_system import TypeSystem
from roofline_core.program.records import record
from roofline_core.program.types import Type
from roofline_core.program.units import Function


def no_preference(function: Function) -> int:
    """For ``choose``: no function is preferred among those that fit equally well."""
    return 0


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


class OverloadedCall:
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
        inside = inside_template(self.scope, bound)
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
        inside = inside_template(self.scope, candidate.callee.bindings)
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
    inside = inside_template(scope, names)
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
