"""What came of an emulated program: measurements of its launches, and what went wrong."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import Final

from roofline_analysis.names.profiled_names import parse_profiled_name
from roofline_profiling.emulate.building import Around, ProgramRun, without_shared_runtime
from roofline_profiling.emulate.measurements import Tables, demangled, measurement_of
from roofline_profiling.emulate.options import EmulationOptions
from roofline_profiling.emulate.records import LaunchRecord, ReadRecords
from roofline_profiling.emulate.toolchain import INSTALL, find_demangler
from roofline_profiling.errors import ProfilerError, ReportError
from roofline_profiling.measurement import Measurement
from roofline_profiling.process import Ended
from roofline_profiling.profile import Profiled

_MOST_FAILURES: Final = 8
_SAMPLED: Final = (
    "of {} launches a sample of the blocks ran: their counts are multiplied, and the program's own"
    " results are wrong"
)


def outcome(
    read: ReadRecords,
    program: ProgramRun,
    ended: Ended,
    options: EmulationOptions,
    around: Around,
) -> Profiled:
    """The measurements of a run. Raises ProfilerError where there is none."""
    names = demangled((each.kernel for each in read.launches), find_demangler())
    problems = _problems(program, ended, read, options, around, names)
    wanted = [each for each in read.launches if _is_wanted(each, names, options)]
    measurements: list[Measurement] = []
    tables = Tables()
    for record in wanted:
        if record.error:
            continue
        try:
            counts = tables.counts(record)
        except ReportError as error:
            problems.append(str(error))
            continue
        args = program.args
        if args is None and record.command:
            args = record.command[1:]
        made = measurement_of(record, counts, options.gpu, names[record.kernel], args)
        measurements.append(made)
    if not measurements and not ended.interrupted:
        nothing = f"{program.name}: no kernel's name matches '{options.kernel}'"
        raise ProfilerError("\n".join(problems or [nothing]))
    sampled = sum(each.blocks_run < each.blocks for each in wanted)
    notes = (_SAMPLED.format(sampled),) if sampled else ()
    return Profiled(tuple(measurements), tuple(dict.fromkeys(problems)), ended.interrupted, notes)


def _is_wanted(record: LaunchRecord, names: Mapping[str, str], options: EmulationOptions) -> bool:
    if options.kernel is None:
        return True
    return (
        re.search(options.kernel, parse_profiled_name(names[record.kernel]).base_name) is not None
    )


def _problems(
    program: ProgramRun,
    ended: Ended,
    read: ReadRecords,
    options: EmulationOptions,
    around: Around,
    names: Mapping[str, str],
) -> list[str]:
    """What went wrong, in sentences; the cause comes before its consequences."""
    name = program.name
    failed = [each for each in read.launches if each.error]
    problems = [
        f"{name}: launch {each.launch + 1}, {names[each.kernel]}: {each.error}"
        for each in failed[:_MOST_FAILURES]
    ]
    if len(failed) > _MOST_FAILURES:
        problems.append(f"{name}: and {len(failed) - _MOST_FAILURES} more launches that failed")
    warned = dict.fromkeys(
        f"{name}: {names[each.kernel]}: {each.warning}; its results may be wrong"
        for each in read.launches
        if each.warning and not each.error
    )
    problems += list(warned)[:_MOST_FAILURES]
    if ended.interrupted:
        problems.append(f"{name}: interrupted; what was counted by then is kept")
    elif ended.timed_out:
        problems.append(
            f"{name}: stopped after {options.limit_s:g} s; what was counted by then is kept. An"
            " emulated program runs many times slower: give --time-limit, less work, or --blocks"
        )
    elif ended.code:
        how = f"by signal {-ended.code}" if ended.code < 0 else f"with {ended.code}"
        problems.append(f"{name}: the program ended {how}; launches before that are kept")
    if not read.launches and not (ended.interrupted or ended.timed_out):
        problems.insert(0, _nothing_seen(program, around))
    return problems


def _nothing_seen(program: ProgramRun, around: Around) -> str:
    static = without_shared_runtime(program.command, around.folder)
    if static:
        shown = ", ".join(os.path.relpath(path, around.folder) for path in static[:3])
        return (
            f"{shown}: has CUDA's runtime library in it, so its launches cannot be seen: build it"
            " anew by the command that is emulated (`-- make run` after `make clean`), name its"
            " source (`-- ./program.cu`), or link it with -cudart shared"
        )
    return (
        f"{program.name}: no launch was seen. A program that was built before must have code for"
        f" this GPU and the shared runtime library; one that is built by the command needs nvcc:"
        f" {INSTALL}"
    )
