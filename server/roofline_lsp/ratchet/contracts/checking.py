"""Contracts held against predictions: kept, broken, or not to be told."""

from __future__ import annotations

import math
import operator
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import Enum
from pathlib import Path
from typing import Final

from roofline_analysis.report.report import KernelReport, LaunchReport, Prediction
from roofline_core.program.records import record
from roofline_lsp.ratchet.contracts.comments import Contract, ContractFault
from roofline_lsp.ratchet.contracts.statements import QUANTITIES, Assume, Budget, Expect
from roofline_lsp.ratchet.issues import CONTRACT, Issue, IssueSeverity, keys
from roofline_lsp.ratchet.source_lines import ShownPlace

_RELATIONS: Final[Mapping[str, Callable[[float, float], bool]]] = {
    "<=": operator.le,
    "<": operator.lt,
    ">=": operator.ge,
    ">": operator.gt,
}
_ROUNDING: Final = 1e-9
"""The relative difference that is no breach: sums of bytes are floating-point numbers."""


class ContractState(Enum):
    """What came of a contract."""

    KEPT = "kept"
    BROKEN = "broken"
    UNKNOWN = "unknown"
    """It cannot be checked, or is not understood."""


@record(frozen=True, slots=True)
class ContractOutcome:
    """A contract and what came of it."""

    text: str
    """``budget dram_bytes <= 12*n``, as written."""
    kernel: str
    """The qualified name; empty where it is nobody's."""
    path: Path
    line: int | None
    """None for a contract of the settings, whose text names them."""
    state: ContractState
    message: str
    """Empty where it is kept."""


def outcomes(
    contracts: Iterable[Contract], faults: Iterable[ContractFault], gpu: str
) -> tuple[ContractOutcome, ...]:
    """What came of contracts, in their order. ``gpu`` is the name of the run's."""
    by_kernel: dict[int, list[Contract]] = defaultdict(list)
    for contract in contracts:
        by_kernel[id(contract.kernel)].append(contract)
    found = [
        ContractOutcome(each.text, "", each.path, each.line, ContractState.UNKNOWN, each.message)
        for each in faults
    ]
    for of_kernel in by_kernel.values():
        assumed = {
            name: value
            for contract in of_kernel
            if isinstance(contract.statement, Assume)
            for name, value in contract.statement.values
        }
        found += [_outcome(each, assumed, gpu) for each in of_kernel]
    found.sort(key=lambda each: (str(each.path), each.line or 0))
    return tuple(found)


def contract_issues(found: Sequence[ContractOutcome]) -> Iterator[Issue]:
    """An issue for each contract that is not kept."""
    seen = Counter[tuple[str, ...]]()
    for each in found:
        if each.state is ContractState.KEPT:
            continue
        broken = each.state is ContractState.BROKEN
        yield Issue(
            CONTRACT,
            each.text.partition(" ")[0] if broken else "not-checked",
            IssueSeverity.ERROR,
            f"{each.text}: {each.message}",
            each.path,
            ShownPlace(each.line),
            each.kernel,
            *keys(each.kernel, CONTRACT, "".join(each.text.split()), seen),
        )


def _outcome(contract: Contract, assumed: Mapping[str, float], gpu: str) -> ContractOutcome:
    states = [_judged(contract, each, assumed, gpu) for each in _launches(contract.kernel)]
    worst = max(states, key=lambda each: list(_WEIGHT).index(each[0]))
    name = contract.kernel.qualified_name
    return ContractOutcome(contract.text, name, contract.path, contract.line, *worst)


_WEIGHT: Final = (ContractState.KEPT, ContractState.UNKNOWN, ContractState.BROKEN)
_Judged = tuple[ContractState, str]
_KEPT: Final[_Judged] = (ContractState.KEPT, "")


@record(frozen=True, slots=True)
class _JudgedLaunch:
    """One launch of a kernel, or what stands for one where none was found."""

    prediction: Prediction
    report: LaunchReport | None
    kernel: KernelReport

    @property
    def where(self) -> str:
        """The launch's place in words; empty where the kernel has no other launch."""
        if self.report is None or len(self.kernel.launches) < 2:
            return ""
        return f" (launch at {self.report.path}:{self.report.line})"


def _launches(kernel: KernelReport) -> list[_JudgedLaunch]:
    if kernel.prediction.source.is_observed or not kernel.launches:
        first = kernel.launches[0] if kernel.launches else None
        return [_JudgedLaunch(kernel.prediction, first, kernel)]
    return [_JudgedLaunch(each.prediction, each, kernel) for each in kernel.launches]


def _judged(
    contract: Contract, launch: _JudgedLaunch, assumed: Mapping[str, float], gpu: str
) -> _Judged:
    statement = contract.statement
    if isinstance(statement, Expect):
        return _expected(statement, launch, gpu)
    if isinstance(statement, Budget):
        return _within(statement, launch, assumed)
    return _KEPT


def _expected(statement: Expect, launch: _JudgedLaunch, gpu: str) -> _Judged:
    verdict = launch.prediction.verdict
    there = ""
    if statement.gpu is not None:
        there = f" on {statement.gpu}"
        what_if = launch.report.what_if if launch.report is not None else launch.kernel.what_if
        classes = what_if.classes if what_if is not None else ()
        found = [each for each in classes if statement.gpu in (each.label, each.gpu)]
        if found:
            verdict = found[0].verdict
        elif statement.gpu != gpu:
            return ContractState.UNKNOWN, f"there is no verdict{there}"
    if verdict is None:
        return (
            ContractState.UNKNOWN,
            f"the kernel is undecided{there}{launch.where}; `roofline-lsp explain` tells why",
        )
    if verdict is statement.verdict:
        return _KEPT
    return ContractState.BROKEN, f"it is {verdict.value}{there}{launch.where}"


def _within(statement: Budget, launch: _JudgedLaunch, assumed: Mapping[str, float]) -> _Judged:
    used = _numbers(launch)
    for name, value in assumed.items():
        if name in used and used[name][0] != value:
            shown = f"{name} = {_shown(used[name][0])}"
            if not used[name][1]:
                return _KEPT  # a launch that the contract is not about
            message = (
                f"the analysis took {shown}, which it does not know, not {_shown(value)}; give the"
                f" program's command line: --args{launch.where}"
            )
            return ContractState.UNKNOWN, message
    values = {**assumed, **{name: value for name, (value, _) in used.items()}}
    unknown = [name for name in statement.limit.names if name not in values]
    if unknown:
        known = ", ".join(filter(str.isidentifier, values)) or "none"
        message = (
            f"'{unknown[0]}' is no number of the kernel's launch; known are {known}; state it:"
            f" // roofline: assume {unknown[0]}=4096"
        )
        return ContractState.UNKNOWN, message
    stated = [name for name in statement.limit.names if name not in used]
    if launch.report is not None and launch.report.grid is None:  # nothing is known but the stated
        stated = [name for name in statement.limit.names if name in assumed]
    if (launch.report is None or launch.report.grid is None) and stated:
        message = f"no launch was found, so that the work for the stated {stated[0]} is not known"
        return ContractState.UNKNOWN, message
    try:
        limit = statement.limit.value(values)
    except (ZeroDivisionError, OverflowError):
        return ContractState.UNKNOWN, f"'{statement.limit.text}' is no number here{launch.where}"
    actual = QUANTITIES[statement.quantity](launch.prediction)
    if actual is None or not math.isfinite(actual):
        message = (
            f"{statement.quantity} is not known{launch.where}; `roofline-lsp explain` tells why"
        )
        return ContractState.UNKNOWN, message
    return _held(statement, actual, limit, launch, values)


def _held(
    statement: Budget,
    actual: float,
    limit: float,
    launch: _JudgedLaunch,
    values: Mapping[str, float],
) -> _Judged:
    margin = _ROUNDING * max(abs(actual), abs(limit))
    if _RELATIONS[statement.relation](actual, limit) or abs(actual - limit) <= margin:
        return _KEPT
    times = f", {actual / limit:.3g} times that" if limit > 0 else ""
    with_ = ", ".join(f"{name} = {_shown(values[name])}" for name in statement.limit.names)
    shown = f"{_shown(limit)}{f' with {with_}' if with_ else ''}"
    return (
        ContractState.BROKEN,
        f"it is {_shown(actual)}{times}; the limit is {shown}{launch.where}",
    )


def _numbers(launch: _JudgedLaunch) -> Mapping[str, tuple[float, bool]]:
    """The numbers of a launch by name, and whether they are assumed."""
    found: dict[str, tuple[float, bool]] = {}
    for item in launch.prediction.unknowns:
        if item.assumed is not None:
            found[item.name] = (item.assumed, True)
    report = launch.report
    for argument in report.arguments if report is not None else ():
        if argument.used is not None:
            found[argument.name] = (argument.used, bool(argument.assumed))
    for name, size in (("blocks", launch.prediction.grid), ("threads", launch.prediction.block)):
        if size is not None:
            found.setdefault(name, (float(math.prod(size)), False))
    return found


def _shown(value: float) -> str:
    return f"{value:.0f}" if 1e3 <= abs(value) < 1e15 else f"{value:.4g}"
