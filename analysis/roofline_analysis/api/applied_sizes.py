"""Stated sizes put into the launches that they are about, and what is wrong with them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from roofline_analysis.api.stated_sizes import SizeComment, Sizes, code_lines, kernel_at
from roofline_analysis.host.values import (
    ARGUMENT_COUNT,
    HostUnknown,
    LaunchContext,
    OpaqueValue,
    Origin,
    Scalar,
    Value,
)
from roofline_analysis.launch.host_numbers import HostNumbers
from roofline_core.algebra.symbolic import Expr, Symbol, constant
from roofline_core.program.dims import Dim3
from roofline_core.program.units import Function, Problem, Severity
from roofline_core.settings import suggestion

_WHY: Final = "stated in a comment"
_ARGUMENTS: Final = 64
"""Taken for the number of command-line arguments where a number of the host is stated."""
_MOST_NAMED: Final = 8


class StatedSizes:
    """All that comments of a program state of its sizes."""

    def __init__(
        self,
        comments: Sequence[SizeComment] = (),
        texts: Mapping[Path, bytes] | None = None,
    ) -> None:
        """``texts`` has those of the files with comments."""
        self.comments = tuple(comments)
        self._lines = {path: code_lines(path, text) for path, text in (texts or {}).items()}
        self._made: dict[tuple[object, ...], tuple[LaunchContext, ...]] = {}

    @property
    def argv(self) -> tuple[str, ...] | None:
        """The command line that the first comment with one states."""
        stated = (each.sizes.argv for each in self.comments if each.sizes is not None)
        return next((each for each in stated if each is not None), None)

    def same(self, other: StatedSizes) -> bool:
        """Whether another text of the program states the same in the same places."""
        return self.comments == other.comments

    def applied(
        self, kernel: Function, contexts: tuple[LaunchContext, ...]
    ) -> tuple[LaunchContext, ...]:
        """A kernel's launches with what is stated of them.

        Where there is none, the one that is stated.
        """
        if not self.comments:
            return contexts
        key = (id(kernel), *map(id, contexts))
        found = self._made.get(key)
        if found is None:
            found = self._made[key] = tuple(self._apply(kernel, contexts))
        return found

    def problems(
        self,
        path: Path,
        kernels: Sequence[Function],
        launches: Sequence[LaunchContext],
    ) -> Iterator[Problem]:
        """What is wrong with the comments of a file, each with the remedy."""
        for comment in self.comments:
            if comment.path == path:
                for message in self._faults(comment, kernels, launches):
                    yield Problem(Severity.WARNING, message, path, comment.line)

    def _apply(
        self, kernel: Function, contexts: Sequence[LaunchContext]
    ) -> Iterator[LaunchContext]:
        of_kernel = [each for each in self.comments if self._kernel(each, (kernel,)) is kernel]
        for context in contexts:
            of_launch = [each for each in self.comments if _is_at(each, context)]
            yield _all_applied(context, (*of_kernel, *of_launch))
        if not contexts and any(each.sizes is not None for each in of_kernel):
            yield _all_applied(_unlaunched(kernel, of_kernel[0]), of_kernel)

    def _kernel(self, comment: SizeComment, kernels: Sequence[Function]) -> Function | None:
        return kernel_at(comment, kernels, self._lines)

    def _faults(
        self,
        comment: SizeComment,
        kernels: Sequence[Function],
        launches: Sequence[LaunchContext],
    ) -> Iterator[str]:
        if comment.sizes is None:
            yield comment.fault
            return
        kernel = self._kernel(comment, kernels)
        here = [each for each in launches if _is_at(comment, each)]
        if kernel is not None:
            here = [
                each for each in launches if each.kernel.qualified_name == kernel.qualified_name
            ]
        if kernel is None and not here:
            if comment.sizes.argv is None or comment.sizes.numbers:
                yield "stands at no kernel and at no launch; put it on the line above one"
            return
        about = kernel or here[0].kernel
        yield from _strange_names(comment, about, here)
        yield from _fixed(comment, about, here)


def _is_at(comment: SizeComment, context: LaunchContext) -> bool:
    return comment.path == context.path and comment.first <= context.line <= comment.last


def _all_applied(context: LaunchContext, comments: Sequence[SizeComment]) -> LaunchContext:
    for comment in comments:
        if comment.sizes is not None:
            origin = Origin("stated", comment.path, comment.line)
            context = _applied(context, comment.sizes, origin)
    return context


def _applied(context: LaunchContext, sizes: Sizes, origin: Origin) -> LaunchContext:
    """One launch with the numbers that are stated of it."""
    names = [parameter.name for parameter in context.kernel.params]
    numbers = dict(sizes.numbers)
    wanted: list[tuple[Expr, float]] = []
    for dims, stated in ((context.block, sizes.block), (context.grid, sizes.grid)):
        wanted += zip(dims, stated, strict=True) if dims is not None and stated is not None else ()
    for name, value in zip(names, context.args, strict=False):
        if name in numbers and isinstance(value, Scalar):
            wanted.append((value.value, numbers[name]))
    learnt = _solved(context.unknowns, wanted, numbers)
    known = {symbol: constant(number) for symbol, number in learnt.items()}
    args = tuple(
        _argument(value, numbers.get(name), known, origin)
        for name, value in zip(names, context.args, strict=False)
    )
    grid = _dims(context.grid, sizes.grid, known)
    block = _dims(context.block, sizes.block, known)
    return replace(
        context,
        grid=grid,
        block=block,
        args=(*args, *context.args[len(args) :]),
        unknowns={
            symbol: replace(each, assumed=learnt[symbol], stated=True) if symbol in learnt else each
            for symbol, each in context.unknowns.items()
        },
        grid_origin=origin if grid != context.grid and sizes.grid else context.grid_origin,
        block_origin=origin if block != context.block and sizes.block else context.block_origin,
    )


def _solved(
    unknowns: Mapping[Symbol, HostUnknown],
    wanted: Sequence[tuple[Expr, float]],
    numbers: Mapping[str, float],
) -> dict[Symbol, int | float]:
    """The host's open numbers for which expressions have the values that are stated of them."""
    named = {symbol: each.name for symbol, each in unknowns.items()}
    open_ = {symbol for expr, _ in wanted for symbol in expr.symbols()}
    stated = {symbol for symbol, name in named.items() if name in numbers}
    fixed = {
        symbol: _ARGUMENTS
        for symbol, name in named.items()
        if name == ARGUMENT_COUNT and (symbol in open_ or stated)
    }
    host = HostNumbers(unknowns, fixed)
    for symbol in stated:
        host.learn(symbol, _whole(numbers[named[symbol]]), _WHY)
    for expr, number in wanted:
        if expr.constant is None:
            host.solve(expr, number, _WHY, saturated=False)
    return host.known()


def _argument(
    value: Value, stated: float | None, known: Mapping[Symbol, Expr], origin: Origin
) -> Value:
    if isinstance(value, OpaqueValue):
        if stated is None:
            return value
        return Scalar(constant(_whole(stated)), value.type.name if value.type else "int", origin)
    if not isinstance(value, Scalar):
        return value
    if stated is None or value.value.constant is not None:
        return replace(value, value=value.value.substitute(known))
    return replace(value, value=constant(_whole(stated)), origin=origin)


def _dims(
    dims: tuple[Expr, Expr, Expr] | None, stated: Dim3 | None, known: Mapping[Symbol, Expr]
) -> tuple[Expr, Expr, Expr] | None:
    is_open = dims is None or any(each.constant is None for each in dims)
    if stated is not None and is_open:
        x, y, z = (constant(each) for each in stated)
        return x, y, z
    if dims is None:
        return None
    x, y, z = (each.substitute(known) for each in dims)
    return x, y, z


def _unlaunched(kernel: Function, comment: SizeComment) -> LaunchContext:
    """A launch of a kernel that no program launches, of which only what is stated is known."""
    return LaunchContext(
        kernel=kernel,
        template_bindings={},
        grid=None,
        block=None,
        shared_bytes=None,
        args=tuple(
            OpaqueValue(each.name, "no launch was found", each.type) for each in kernel.params
        ),
        path=comment.path,
        line=comment.line,
        order=0,
    )


def _strange_names(
    comment: SizeComment, kernel: Function, launches: Sequence[LaunchContext]
) -> Iterator[str]:
    parameters = [each.name for each in kernel.params]
    open_ = [each.name for launch in launches for each in launch.unknowns.values()]
    known = dict.fromkeys((*parameters, *open_, "grid", "block", "argv"))
    for name, _ in comment.sizes.numbers if comment.sizes is not None else ():
        if name not in known and name not in comment.budgets:
            there = ", ".join([*known][:_MOST_NAMED])
            hint = suggestion(name, known) or f"; there are {there}"
            yield f"'{name}' is no number of '{kernel.name}' or its launches{hint}"


def _fixed(
    comment: SizeComment, kernel: Function, launches: Sequence[LaunchContext]
) -> Iterator[str]:
    """What the source fixes otherwise than is stated, at every launch that is meant.

    Budgets may be stated for sizes of other launches.
    """
    names = [each.name for each in kernel.params]
    sizes = comment.sizes
    if sizes is None:
        return
    for name, number in sizes.numbers:
        if name not in names or name in comment.budgets or not launches:
            continue
        at = names.index(name)
        given = [launch.args[at] if at < len(launch.args) else None for launch in launches]
        values = [each.value.constant if isinstance(each, Scalar) else None for each in given]
        if all(value is not None and value != number for value in values):
            yield (
                f"{name} = {_whole(number)} is not used: the launch at line {launches[0].line}"
                f" gives {values[0]}"
            )
    for what, stated in (("grid", sizes.grid), ("block", sizes.block)):
        dims = [getattr(launch, what) for launch in launches if stated is not None]
        numbers = [None if each is None else tuple(dim.constant for dim in each) for each in dims]
        if numbers and all(each is not None and None not in each for each in numbers):
            if stated not in numbers:
                yield (
                    f"{what} = {stated} is not used: the launch at line {launches[0].line} gives"
                    f" {numbers[0]}"
                )


def _whole(number: float) -> int | float:
    return int(number) if float(number).is_integer() else number
