"""Contracts of a run: those of the sources that were checked, and those of the settings."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from roofline_analysis.api import gpu_used
from roofline_analysis.api.formula import ContractError
from roofline_analysis.report.report import KernelReport, Report
from roofline_core.program.errors import RooflineError
from roofline_core.program.records import record
from roofline_core.settings import Settings, SettingsError
from roofline_lsp.ratchet.contracts.checking import ContractOutcome, outcomes
from roofline_lsp.ratchet.contracts.comments import (
    Contract,
    ContractFault,
    contracts_of,
    statements_in,
)
from roofline_lsp.ratchet.contracts.statements import Expect, Statement, read_statement
from roofline_lsp.ratchet.source_lines import Reader


@record(frozen=True, slots=True)
class ContractGpus:
    """The GPUs that contracts name, as the database calls them; None for what is no GPU's name."""

    names: Mapping[str, str | None]
    reasons: Mapping[str, str]
    """Of those that are none: what is wrong, with the nearest names."""


def of_settings(settings: Settings) -> tuple[tuple[str, Statement, str], ...]:
    """The contracts of the settings: pattern, statement, and the statement's text.

    Raises SettingsError naming the setting and the remedy.
    """
    found = []
    for pattern, texts in settings.contracts:
        for text in texts:
            try:
                found.append((pattern, read_statement(text), text))
            except ContractError as error:
                raise SettingsError(f"'contracts.{pattern}': {text}: {error}") from None
    return tuple(found)


def with_gpus(
    settings: Settings, files: Iterable[Path], reader: Reader
) -> tuple[Settings, ContractGpus]:
    """The settings with the GPUs that contracts name among those of ``what_if``.

    The run's own is left out. Raises SettingsError for contracts of the settings.
    """
    stated = [statement for _, statement, _ in of_settings(settings)]
    for path in files:
        stated += statements_in(path, reader(path) or b"")
    asked = (each.gpu for each in stated if isinstance(each, Expect) and each.gpu is not None)
    names: dict[str, str | None] = {}
    reasons: dict[str, str] = {}
    for name in dict.fromkeys(asked):
        try:
            names[name] = gpu_used(replace(settings, gpu=name)).name
        except RooflineError as error:
            names[name], reasons[name] = None, str(error)
    own = gpu_used(settings).name
    more = [name for name, meant in names.items() if meant not in (None, own)]
    gpus = ContractGpus(names, reasons)
    if not more:
        return settings, gpus
    what_if = tuple(dict.fromkeys((*(settings.what_if or ()), *more)))
    return replace(settings, what_if=what_if), gpus


def checked_contracts(
    report: Report, settings: Settings, gpus: ContractGpus, reader: Reader
) -> tuple[ContractOutcome, ...]:
    """What came of all contracts, file by file."""
    kernels = [kernel for file in report.files for kernel in file.kernels]
    contracts = [_meant(each, gpus) for each in _from_settings(kernels, settings)]
    faults: list[ContractFault] = []
    for file in report.files:
        text = reader(file.path)
        if text is None:
            continue
        found, wrong = contracts_of(file.path, text, file.kernels)
        contracts += [_meant(each, gpus) for each in found]
        faults += wrong
    unknown = [each for each in contracts if _wrong_gpu(each, gpus)]
    faults += [
        ContractFault(each.text, gpus.reasons[_wrong_gpu(each, gpus)], each.path, each.line)
        for each in unknown
    ]
    kept = [each for each in contracts if each not in unknown]
    return outcomes(kept, faults, report.gpu.name)


def _from_settings(kernels: Iterable[KernelReport], settings: Settings) -> Iterator[Contract]:
    stated = of_settings(settings)
    for kernel in kernels:
        for pattern, statement, text in stated:
            names = (kernel.qualified_name, kernel.base_name)
            if any(fnmatch.fnmatchcase(name, pattern) for name in names):
                yield Contract(statement, text, kernel, kernel.path, kernel.name_span.line)


def _meant(contract: Contract, gpus: ContractGpus) -> Contract:
    """The contract with its GPU as the database calls it."""
    statement = contract.statement
    if not isinstance(statement, Expect) or statement.gpu is None:
        return contract
    meant = gpus.names.get(statement.gpu)
    return contract if meant is None else replace(contract, statement=replace(statement, gpu=meant))


def _wrong_gpu(contract: Contract, gpus: ContractGpus) -> str:
    """The name in a contract that is no GPU's; empty where there is none."""
    statement = contract.statement
    name = statement.gpu if isinstance(statement, Expect) else None
    return name if name is not None and name in gpus.reasons else ""
