"""Which kernel and launch of a program a profiler means by a kernel's name and dimensions."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Final

from roofline_analysis.device.summary import NULL
from roofline_analysis.host.values import Aggregate, LaunchContext, Pointer, Value, is_null
from roofline_analysis.language.packs import written_out
from roofline_analysis.names.profiled_names import LAMBDA, ProfiledName, offload_name
from roofline_analysis.names.signature import parameter_list
from roofline_core.algebra.operations import truncated
from roofline_core.program.dims import Dim3
from roofline_core.program.expressions import Expression, Literal
from roofline_core.program.records import record
from roofline_core.program.types import Type
from roofline_core.program.units import Function


@record(frozen=True, slots=True)
class ChosenLaunch:
    """The kernel that a profiled name means, and the launch of it that is judged."""

    kernel: Function
    context: LaunchContext | None
    """None where no launch was found."""
    bindings: Mapping[str, Type | int]
    """The template arguments that the name gives."""


_SPECIALISED: Final = 8.0
"""What tells most of a kernel: that it is the specialisation for a name's template arguments."""


def best_matches(functions: Sequence[Function], wanted: ProfiledName) -> list[Function]:
    """The kernels of this name whose namespaces, overload and specialisation fit best.

    Several where the name cannot tell them apart: target regions that stand in headers included
    into one function. Their profiled names have the headers' lines, ours those of the includes.
    """
    named = [f for f in functions if f.name == wanted.base_name or _is_copy(f.name, wanted)]
    if not named and wanted.region_of is not None:
        start = offload_name(wanted.region_of, "")
        named = [f for f in functions if f.name.startswith(start)]
    scores = [(_match(f, wanted), f) for f in named]
    best = max((score for score, _ in scores), default=0.0)
    return [function for score, function in scores if score == best]


def _is_copy(name: str, wanted: ProfiledName) -> bool:
    """Whether a region has the function and line of another before it, and so a number behind."""
    start = wanted.base_name + "_"
    return wanted.region_of is not None and name.startswith(start) and name[len(start) :].isdigit()


def told_apart(
    kernels: list[Function], wanted: ProfiledName, file_numbers: Collection[int]
) -> list[Function]:
    """Of target regions in one line of several headers, those in the file that a name numbers.

    The number is that of a header here, if the program was compiled here. Elsewhere files were laid
    out one after another, as a rule by name: where ``file_numbers``, of all regions of this name,
    are as many as the headers, both are in the same order. All regions where neither tells.
    """
    files = sorted({each.written_in or each.path for each in kernels})
    if wanted.file_number is None or len(files) < 2:
        return kernels
    meant = next((file for file in files if _number(file) == wanted.file_number), None)
    known = sorted({*file_numbers, wanted.file_number})
    if meant is None and len(known) == len(files):
        meant = files[known.index(wanted.file_number)]
    return [each for each in kernels if meant in (None, each.written_in or each.path)]


def _number(file: Path) -> int | None:
    try:
        return file.stat().st_ino
    except OSError:
        return None


def best_launch(
    kernels: Sequence[Function],
    wanted: ProfiledName,
    launches: Sequence[LaunchContext],
    grid: Dim3 | None = None,
    block: Dim3 | None = None,
) -> ChosenLaunch | None:
    """Of the launches of some kernels, the one that agrees best with a name and dimensions.

    None if there are no kernels. A kernel without a launch goes behind those that have one.
    """
    choices: list[tuple[int, ChosenLaunch]] = []
    for kernel in kernels:
        bindings = _template_bindings(kernel, wanted)
        scored = [
            (_launch_score(context, bindings, grid, block), context)
            for context in launches_of(kernel, launches)
        ]
        score, context = max(scored, key=lambda pair: pair[0], default=(-1, None))
        known = constant_bindings(context)  # with the names that the program has for its types
        meant = {
            name: known[name] if _agrees(known.get(name), value) else value
            for name, value in bindings.items()
        }
        choices.append((score, ChosenLaunch(kernel, context, meant)))
    return max(choices, key=lambda choice: choice[0])[1] if choices else None


def launches_of(kernel: Function, launches: Sequence[LaunchContext]) -> tuple[LaunchContext, ...]:
    """The launches that are of a kernel, those that surely happen first, each in the order met."""
    found = [context for context in launches if _is_same(context.kernel, kernel)]
    return tuple(sorted(found, key=lambda context: (not context.certain, context.order)))


def _is_same(one: Function, other: Function) -> bool:
    if one is other:
        return True
    return one.qualified_name == other.qualified_name and (
        one.name_span == other.name_span
        if one.path == other.path and one.has_body
        else len(one.params) == len(other.params) and not one.has_body
    )


def launched_form(kernel: Function, context: LaunchContext | None) -> Function:
    """The kernel as a launch has it: a parameter pack holds what the launch passes."""
    return kernel if context is None else written_out(kernel, len(context.args))


def constant_bindings(context: LaunchContext | None) -> dict[str, Type | int]:
    """What a launch fixes of the code: template arguments that are known, and null pointers."""
    if context is None:
        return {}
    result: dict[str, Type | int] = {}
    for name, value in context.template_bindings.items():
        if isinstance(value, Type):
            result[name] = value
        else:
            known = truncated(value.constant)
            if known is not None:
                result[name] = known
    return result | _null_arguments(context)


def _null_arguments(context: LaunchContext) -> dict[str, Type | int]:
    """The pointers that a launch passes as null, by path."""
    found: dict[str, Type | int] = {}
    names = (parameter.name for parameter in context.kernel.params)
    waiting: list[tuple[str, Value]] = list(zip(names, context.args, strict=False))
    while waiting:
        path, value = waiting.pop()
        if is_null(value) and isinstance(value, Pointer) and value.origin is not None:
            found[path] = NULL
        elif isinstance(value, Aggregate):
            waiting += ((f"{path}.{name}", inner) for name, inner in value.fields.items())
    return found


def _match(function: Function, wanted: ProfiledName) -> float:
    score = 0.0
    if function.qualified_name == wanted.qualified_name:
        score += 2
    if wanted.params is not None and len(function.params) == len(wanted.params):
        score += 4
        shown = [text.replace(" ", "") for text in parameter_list(function)]
        given = [text.replace(" ", "") for text in wanted.params]
        score += sum(a == b for a, b in zip(shown, given, strict=True)) / max(1, len(given))
    is_template = bool(function.template_params) or function.template_args is not None
    if is_template == bool(wanted.template_args):
        score += 1
    if function.template_args is not None and wanted.template_args:
        pairs = zip(function.template_args, wanted.template_args, strict=False)
        score += _SPECIALISED if all(_is_meant(*pair) for pair in pairs) else -_SPECIALISED
    return score


def _is_meant(one: Type | Expression, wanted: Type | int) -> bool:
    """Whether an argument of a specialisation may be that of a name."""
    if isinstance(wanted, Type):
        return isinstance(one, Type) and (wanted == LAMBDA or _agrees(one, wanted))
    return not isinstance(one, Type) and (not isinstance(one, Literal) or one.value == wanted)


def _template_bindings(kernel: Function, wanted: ProfiledName) -> dict[str, Type | int]:
    result: dict[str, Type | int] = {}
    for parameter, argument in zip(kernel.template_params, wanted.template_args, strict=False):
        if parameter.pack:
            break
        if argument == LAMBDA:
            continue  # The launch knows which one it is.
        if (parameter.type is None) == isinstance(argument, Type):
            result[parameter.name] = argument
    return result


def _launch_score(
    context: LaunchContext,
    bindings: Mapping[str, Type | int],
    grid: Dim3 | None,
    block: Dim3 | None,
) -> int:
    """How well a launch agrees with template arguments and dimensions."""
    constants = constant_bindings(context)
    score = 4 * sum(_agrees(constants.get(name), value) for name, value in bindings.items())
    score += 2 * _may_be(_dims(context.block), block)
    return score + _may_be(_dims(context.grid), grid)


def _may_be(found: tuple[int | None, ...] | None, wanted: Dim3 | None) -> bool:
    """Whether the dimensions of a launch, as far as they are known, are these."""
    if found is None or wanted is None:
        return False
    return all(one in (None, other) for one, other in zip(found, wanted, strict=True))


def _agrees(one: Type | Expression | int | None, other: Type | Expression | int | None) -> bool:
    """Whether template arguments, the first of which a launch gives, may be the same."""
    if isinstance(one, Type) and isinstance(other, Type):
        return (
            _is_same_name(one.name, other.name)
            and one.pointers == other.pointers
            and all(map(_may_agree, one.args, other.args))
        )
    return one == other


def _may_agree(one: Type | Expression, other: Type | Expression) -> bool:
    """The same of arguments of a type, of which expressions may have any value."""
    if isinstance(one, Literal) and isinstance(other, Literal):
        return one.value == other.value
    if isinstance(one, Type) and isinstance(other, Type):
        return _agrees(one, other)
    return not isinstance(one, Type) or isinstance(other, Type)


def _is_same_name(one: str, other: str) -> bool:
    """Whether two names may be of one type: some leave out namespaces, or write ``__half``."""
    names = [each.removeprefix("__").removeprefix("nv_") for each in (one, other)]
    long, short = sorted(names, key=len, reverse=True)
    return long == short or long.endswith(f"::{short}")


def _dims(dims: Sequence[object] | None) -> tuple[int | None, ...] | None:
    if dims is None:
        return None
    return tuple(truncated(d.constant) for d in dims)  # type: ignore[attr-defined]
