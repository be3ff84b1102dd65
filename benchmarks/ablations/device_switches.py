"""What the walk of kernels takes the compiler to do, and what it tells of loops."""

from __future__ import annotations

from typing import Any, Final

from ablations.model import Replacement, Switch, Witness, gives, skips
from roofline_analysis.device.loops import carried
from roofline_analysis.device.loops.unrolled import Copies
from roofline_analysis.device.operations import Operation, OperationList
from roofline_analysis.device.state.interpreter_state import DeviceInterpreter
from roofline_analysis.device.state.memory_numbers import Members
from roofline_analysis.device.values import DeviceValue, PointerValue
from roofline_analysis.regions.kernel_summary import Region, Work
from roofline_core.algebra.symbolic import Expr
from roofline_core.program.units import Dialect


def _not_followed(
    interpreter: DeviceInterpreter, item: carried.Carried, loop: Region
) -> DeviceValue:
    kind = interpreter.slot_types[item.slot]
    return carried._forgotten(interpreter, item.before, kind, loop.bit)


def _nothing(*_: Any) -> None:
    return None


def _is_shared_out(interpreter: DeviceInterpreter, stride: Expr) -> bool:
    named = {symbol.name for symbol in stride.symbols()}
    return interpreter.kernel.dialect is Dialect.OPENMP and named >= {"gridDim.x", "blockDim.x"}


def _without_members(
    interpreter: DeviceInterpreter, pointer: PointerValue, value: DeviceValue
) -> tuple[DeviceValue, Members]:
    del interpreter, pointer
    return value, ()


def _everything(operations: OperationList) -> list[Operation]:
    return operations._noted


def _taken_in_once(addition: Operation, *, keeps_needed: bool) -> None:
    """Every addition that can takes a product in, and no product is computed again for it.

    ``keeps_needed``, which tells the compilers apart, changes nothing.
    """
    del keeps_needed
    kind, _ = addition.charges[0]
    for product in addition.fusable:
        if product is not None and product.home is addition.home and product.product is kind:
            addition.home.charge(addition.site, Work.FUSED, product.charges[0][1])
            return


SWITCHES: Final = (
    Switch(
        "loop_forms.waits_for_atomic",
        "a loop that repeats an atomic operation is any loop",
        (gives("roofline_analysis.device.loops.loop_forms.waits_for_atomic", False),),
        removes=(
            "roofline_analysis.device.loops.loop_forms.waits_for_atomic",
            "roofline_analysis.device.loops.loop_forms._called",
        ),
    ),
    Switch(
        "loop_forms.may_change",
        "a call changes every variable that it is passed",
        (gives("roofline_analysis.device.loops.loop_forms.may_change", True),),
        removes=(
            "roofline_analysis.device.loops.loop_forms.may_change",
            "roofline_analysis.device.loops.loop_forms._changes",
        ),
    ),
    Switch(
        "carried.in_run",
        "variables that a loop steps are not followed in its runs",
        (Replacement("roofline_analysis.device.loops.carried._in_run", _not_followed),),
    ),
    Switch(
        "carried.closed_form",
        "variables that a loop steps are not followed behind it",
        (gives("roofline_analysis.device.loops.carried._after_trips", None),),
    ),
    Switch(
        "carried.added",
        "no addition takes the terms of two runs",
        (gives("roofline_analysis.device.loops.carried._added", None),),
    ),
    Switch(
        "unrolled.run_by_run",
        "no unrolled loop is walked run by run",
        (gives("roofline_analysis.device.loops.unrolled.affordable", False),),
        removes=(
            "roofline_analysis.device.loops.unrolled.affordable",
            "roofline_analysis.device.loops.unrolled.walk_runs",
        ),
    ),
    Switch(
        "unrolled.whole",
        "no loop is unrolled whole",
        (gives("roofline_analysis.device.loops.unrolled.unrolls_whole", False),),
        removes=("roofline_analysis.device.loops.unrolled",),
    ),
    Switch(
        "unrolled.copies",
        "no loop is unrolled in part",
        (gives("roofline_analysis.device.loops.unrolled.copies_of", Copies()),),
    ),
    Switch(
        "atomic_retries",
        "atomics on floats in shared memory succeed at once and cost nothing more",
        (skips("roofline_analysis.device.functions.atomic_retries.charge_retries"),),
        Witness("roofline_analysis.device.functions.atomic_retries._attempts"),
        removes=("roofline_analysis.device.functions.atomic_retries",),
    ),
    Switch(
        "fma",
        "a product with several uses is multiplied once",
        (
            skips("roofline_analysis.device.costs.fma._need"),
            Replacement("roofline_analysis.device.costs.fma._fuse", _taken_in_once),
        ),
        removes=("roofline_analysis.device.costs.fma",),
    ),
    Switch(
        "fma.slow_paths",
        "a division of 0 is any division",
        (skips("roofline_analysis.device.costs.fma._charge_slow_path"),),
    ),
    Switch(
        "sinking",
        "Clang computes everything where it stands",
        (
            skips("roofline_analysis.device.costs.sinking.sink"),
            skips("roofline_analysis.device.costs.sinking.fold"),
        ),
        removes=("roofline_analysis.device.costs.sinking",),
    ),
    Switch(
        "branch_folding",
        "branches are executed by the threads that pass",
        (skips("roofline_analysis.device.costs.branch_folding.fold_branches"),),
        removes=("roofline_analysis.device.costs.branch_folding",),
    ),
    Switch(
        "memory_numbers",
        "members of objects have no samples",
        (Replacement("roofline_analysis.device.state.memory.with_members", _without_members),),
        removes=("roofline_analysis.device.state.memory_numbers",),
    ),
    Switch(
        "dead_code",
        "what goes where it is not followed counts as unused",
        (
            skips("roofline_analysis.device.state.dead_code.keep"),
            skips("roofline_analysis.device.state.dead_code.keep_place"),
            skips("roofline_analysis.device.state.dead_code.keep_changed"),
            skips("roofline_analysis.device.state.dead_code.keep_skipped"),
        ),
        removes=("roofline_analysis.device.state.dead_code",),
    ),
    Switch(
        "operations.used",
        "what nothing uses is charged too",
        (
            Replacement(
                "roofline_analysis.device.operations.OperationList.used",
                _everything,
                lambda used, args: len(used) < len(_everything(args[0])),
            ),
        ),
        removes=(
            "roofline_analysis.device.state.dead_code",
            "roofline_analysis.device.operations.OperationList",
        ),
    ),
    Switch(
        "fusion",
        "each integer operation is an instruction",
        (gives("roofline_analysis.device.costs.fusion.taken_in", None),),
        removes=("roofline_analysis.device.costs.fusion",),
    ),
    Switch(
        "fusion.rotation",
        "a rotation is two shifts and an or",
        (gives("roofline_analysis.device.costs.fusion.rotation", None),),
    ),
    Switch(
        "openmp.charge_sharing",
        "the runtime adds nothing to loops shared out over teams",
        (
            Replacement(
                "roofline_analysis.device.functions.openmp.charge_sharing",
                _nothing,
                lambda _, args: _is_shared_out(args[0], args[2]),
            ),
        ),
    ),
)
