"""The same device memory is allocated and freed in each run of a loop.

`cudaMalloc` and `cudaFree` take longer than many kernels run, and freeing waits until the device
has nothing to do; making a plan of cuFFT or a handle of cuBLAS takes longer still. Allocate before
the loop, or once in the object that owns the memory, and free after the last use. Memory of
`cudaMallocAsync` comes from a pool that keeps it.

It is found in loops that launch kernels, and in functions that a loop calls. Nothing is said where
time is measured inside of the loop or around the calls, as benchmarks run all of it on purpose.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from roofline_analysis.device.assigned import Assignment, body_facts
from roofline_analysis.rules.beside_the_point import is_of_a_test
from roofline_analysis.rules.host_program import HostProgram
from roofline_analysis.rules.model import Level, Match, Related
from roofline_analysis.rules.node_index import Located, Loop, called_name, names_in, same, within
from roofline_analysis.rules.rule import Rule
from roofline_core.program import expressions as ex
from roofline_core.program import statements as st
from roofline_core.program.records import record
from roofline_core.program.units import Function

BAD = """\
__global__ void smooth(int n, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > 0 && i < n - 1) y[i] = 0.25f * x[i - 1] + 0.5f * x[i] + 0.25f * x[i + 1];
}

int main() {
    int n = 1 << 22;
    float *x, *y;
    cudaMalloc(&x, n * sizeof(float));
    for (int step = 0; step < 100; step++) {
        cudaMalloc(&y, n * sizeof(float));
        smooth<<<n / 256, 256>>>(n, x, y);
        smooth<<<n / 256, 256>>>(n, y, x);
        cudaFree(y);
    }
}
"""

_MALLOC = "        cudaMalloc(&y, n * sizeof(float));\n"
_FREE = "        cudaFree(y);\n"
GOOD = (
    BAD.replace(_MALLOC, "")
    .replace("    for (int step", f"{_MALLOC[4:]}    for (int step")
    .replace(_FREE + "    }\n", "    }\n" + _FREE[4:])
)

_FREES: Final = {
    "cudaMalloc": "cudaFree",
    "cudaMallocPitch": "cudaFree",
    "cudaMallocManaged": "cudaFree",
    "cudaMallocHost": "cudaFreeHost",
    "cudaHostAlloc": "cudaFreeHost",
    "cudaMallocArray": "cudaFreeArray",
    "hipMalloc": "hipFree",
    "hipMallocPitch": "hipFree",
    "hipMallocManaged": "hipFree",
    "hipHostMalloc": "hipHostFree",
}
"""What allocates through a pointer to a pointer, and what frees it."""
_PLANS: Final = frozenset(
    "cufftPlan1d cufftPlan2d cufftPlan3d cufftPlanMany hipfftPlan1d hipfftPlan2d hipfftPlan3d"
    " hipfftPlanMany cublasCreate cublasCreate_v2 cusparseCreate cusolverDnCreate"
    " curandCreateGenerator hipblasCreate hipsparseCreate".split()
)
"""What makes a plan or a handle of a library."""
_OF_SEVERAL: Final = frozenset(("cudaSetDevice", "hipSetDevice"))
_CLOCKS: Final = re.compile(r"(?<!run)time|clock|^now$|EventRecord|^tic$|^toc$", re.IGNORECASE)
"""Names of functions that measure time."""
_DEEPEST: Final = 4
"""Calls within one another from the loop to what allocates. A limit on the work."""
_LEAST_REPEATS: Final = 8
"""Runs of a loop: fewer cost less than a person notices. Chosen, not measured."""


@record(frozen=True, slots=True, eq=False)
class _Creation:
    """A call that allocates memory, or makes a plan, in a variable."""

    located: Located
    call: ex.Call
    made: ex.Expression
    """The variable, without the operator that takes its address."""
    free: str | None
    """The function that frees it; None of plans, which need not be destroyed to cost time."""


def check(program: HostProgram) -> Iterator[Match]:
    """Allocations in loops, and in functions that loops call, that are the same each time."""
    told: set[tuple[Function, Loop | None]] = set()
    for creation in _creations(program):
        function = creation.located.function
        if creation.located.loops:
            loop = creation.located.loops[-1]
            if (function, loop) in told or not _is_same_each_time(program, creation, loop):
                continue
            told.add((function, loop))
            yield _found(program, creation, Related(program.path, loop.line, "the loop"))
        elif (function, None) not in told:
            caller = _calling_loop(program, creation)
            if caller is not None:
                told.add((function, None))
                place = Related(caller.function.path, caller.node.line, "called here in a loop")
                yield _found(program, creation, place)


def _found(program: HostProgram, creation: _Creation, place: Related) -> Match:
    name = _shown(creation.made)
    name = f"'{name}'" if name else "memory"
    function = creation.located.function.name
    in_loop = bool(creation.located.loops)
    when = "in each run of the loop" if in_loop else f"in each call of '{function}' by a loop"
    if creation.free is None:
        maker = called_name(creation.call)
        message = f"{maker} makes {name} anew {when}; make it once, before the loop"
    else:
        message = (
            f"{name} is allocated and freed {when}, and {creation.free} waits for the device;"
            " allocate it once, before the loop"
        )
    return program.found(message, creation.call.line, related=(place,))


def _creations(program: HostProgram) -> Iterator[_Creation]:
    for located, call in program.calls(*_FREES, *_PLANS):
        if not call.args:
            continue
        made = _variable(call.args[0])
        if made is not None:
            yield _Creation(located, call, made, _FREES.get(called_name(call) or ""))


def _variable(node: ex.Expression) -> ex.Expression | None:
    """The variable whose address an argument is."""
    while isinstance(node, ex.Cast):
        node = node.operand
    return node.operand if isinstance(node, ex.Unary) and node.op == "&" else None


def _shown(node: ex.Expression) -> str | None:
    if isinstance(node, ex.Name):
        return node.name
    return node.name if isinstance(node, ex.Member) else None


# -- in a loop


def _is_same_each_time(program: HostProgram, creation: _Creation, loop: Loop) -> bool:
    """Whether each run of a loop allocates as much, works with it, and frees it."""
    if _is_under(loop, creation.located) or _runs_few_times(program, loop):
        return False
    if creation.free is not None and not _is_freed(creation, within(loop)):
        return False
    facts = body_facts(loop.body)
    others = (each for each in facts.changes if each.value is not creation.call)
    changed = {each.name for each in others if _is_changed(program, each)}
    changed |= facts.declared | _counters(loop)
    sizes = set().union(*(names_in(each) for each in creation.call.args[1:]), set())
    return sizes.isdisjoint(changed) and _works(loop) and not _measures(within(loop))


def _ends_at_once(loop: Loop) -> bool:
    """Whether the body of a loop leaves it at its end: no second run follows."""
    body = loop.body.body if isinstance(loop.body, st.Block) else ()
    return bool(body) and isinstance(body[-1], (st.Break, st.Return))


def _is_under(loop: Loop, located: Located) -> bool:
    """Whether a branch inside of the loop is around a node."""
    inside = {id(node) for node in within(loop) if isinstance(node, st.If)}
    return any(id(branch) in inside for branch in located.branches)


def _is_freed(creation: _Creation, nodes: Iterator[object]) -> bool:
    return any(
        isinstance(node, ex.Call)
        and called_name(node) == creation.free
        and len(node.args) == 1
        and same(node.args[0], creation.made)
        for node in nodes
    )


def _counters(loop: Loop) -> set[str]:
    """The variables that the head of a loop changes."""
    if isinstance(loop, st.ForRange):
        return {loop.variable.name}
    if not isinstance(loop, st.For):
        return set()
    heads = (node for part in (loop.init, loop.step) if part for node in within(part))
    declared = {node.name for node in heads if isinstance(node, st.Variable)}
    return declared | (names_in(loop.step) if loop.step is not None else set())


def _works(loop: Loop) -> bool:
    """Whether a loop launches or calls something that is no handling of memory or devices."""
    names = {called_name(node) for node in within(loop) if isinstance(node, ex.Call)}
    if names & _OF_SEVERAL:
        return False
    return any(isinstance(node, ex.Launch) for node in within(loop)) or any(
        name is not None and name.startswith(("cufftExec", "hipfftExec", "cublas", "cusparse"))
        for name in names - _PLANS
    )


def _measures(nodes: Iterable[object]) -> bool:
    """Whether a call among some nodes reads a clock."""
    names = (called_name(node) or "" for node in nodes if isinstance(node, ex.Call))
    return any(_CLOCKS.search(name) for name in names)


def _runs_few_times(program: HostProgram, loop: Loop) -> bool:
    """Whether a loop is known to run a few times only."""
    if _ends_at_once(loop):
        return True
    if isinstance(loop, st.For) and isinstance(loop.condition, ex.Binary):
        bound = loop.condition.right
        if isinstance(bound, ex.Literal) and isinstance(bound.value, int):
            return bound.value < _LEAST_REPEATS
    lines = {node.line for node in within(loop) if isinstance(node, ex.Launch)}
    repeats = [
        each.context.repeat.constant
        for each in program.launches
        if each.context.path == program.path
        and each.context.line in lines
        and each.context.repeat is not None
    ]
    return any(repeat is not None and repeat < _LEAST_REPEATS for repeat in repeats)


# -- in a function that a loop calls


def _calling_loop(program: HostProgram, creation: _Creation) -> Located | None:
    """A call, in a loop, of the function that allocates, for which it allocates the same."""
    function = creation.located.function
    if not _works_once(program, creation):
        return None
    sizes = [name for each in creation.call.args[1:] for name in names_in(each)]
    deciding = _deciding(program, function, sizes)
    waiting, seen = [(function, deciding, 1)], {function}
    while waiting:
        called, names, depth = waiting.pop()
        for call in program.calls_everywhere(called) if names is not None else ():
            around = program.nodes_of(call.function).by_type.get(ex.Call, ())
            if is_of_a_test(call.function.path) or _measures(each.node for each in around):
                continue
            if call.loops:
                if _is_same_for_call(program, call, called, names or set()):
                    return call
            elif depth < _DEEPEST and not call.branches and call.function not in seen:
                seen.add(call.function)
                more = _deciding(program, call.function, _given(call, called, names or set()))
                waiting.append((call.function, more, depth + 1))
    return None


def _works_once(program: HostProgram, creation: _Creation) -> bool:
    """Whether a call of the function allocates, launches outside of loops, and frees, each time."""
    located = creation.located
    if located.branches or not _is_local(program, creation):
        return False
    nodes = program.nodes_of(located.function)
    launches = nodes.by_type.get(ex.Launch, ())
    if not launches or all(launch.loops for launch in launches):
        return False  # What is launched many times pays for the allocation.
    calls = nodes.by_type.get(ex.Call, ())
    if _measures(each.node for each in calls):
        return False
    frees = (each.node for each in calls if not each.branches)
    return creation.free is None or _is_freed(creation, frees)


def _is_same_for_call(
    program: HostProgram, call: Located, called: Function, deciding: set[str]
) -> bool:
    """Whether each run of the loop around a call gives it the same of what decides the sizes."""
    loop, node = call.loops[-1], call.node
    assert isinstance(node, ex.Call)
    if _is_under(loop, call) or _runs_few_times(program, loop):
        return False
    facts = body_facts(loop.body)
    others = (each for each in facts.changes if each.value is not node)
    changed = {each.name for each in others if _is_changed(program, each)}
    changed |= facts.declared | _counters(loop)
    return changed.isdisjoint(_given(call, called, deciding))


def _given(call: Located, called: Function, deciding: set[str]) -> set[str]:
    """The names in what a call gives the parameters that decide sizes."""
    assert isinstance(call.node, ex.Call)
    given = [
        names_in(argument)
        for parameter, argument in zip(called.params, call.node.args, strict=False)
        if parameter.name in deciding
    ]
    return set().union(*given)


def _is_local(program: HostProgram, creation: _Creation) -> bool:
    """Whether a function keeps what it makes in a variable of its own."""
    if not isinstance(creation.made, ex.Name):
        return False
    name, function = creation.made.name, creation.located.function
    return any(
        isinstance(each.node, st.Variable)
        and each.node.name == name
        and "static" not in each.node.qualifiers
        for each in program.nodes_of(function).by_type.get(st.Variable, ())
    )


def _deciding(program: HostProgram, function: Function, sizes: Iterable[str]) -> set[str] | None:
    """The names that decide sizes in a function, through its variables.

    None where one of these is computed by a call, loaded, or changed later: it may differ.
    """
    if function.body is None:
        return None
    facts = body_facts(function.body)
    changed = {each.name for each in facts.changes if _is_changed(program, each)}
    variables = {
        each.node.name: each.node
        for each in program.nodes_of(function).by_type.get(st.Variable, ())
        if isinstance(each.node, st.Variable)
    }
    names = set(sizes)
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        if name in changed:
            return None
        variable = variables.get(name)
        if variable is None:
            continue
        if variable.init is None or not _is_plain(variable.init):
            return None
        more = names_in(variable.init) - names
        names |= more
        waiting += more
    return names


def _is_changed(program: HostProgram, change: Assignment) -> bool:
    """Whether a variable changes: one that is passed to a call does if it goes by reference."""
    call = change.value
    if change.op != "?":
        return True
    if not isinstance(call, ex.Call):
        return False  # a launch
    name = called_name(call)
    return any(
        parameter.type.reference and isinstance(given, ex.Name) and given.name == change.name
        for function in program.table.functions.get(name or "", ())
        for parameter, given in zip(function.params, call.args, strict=False)
    )


def _is_plain(node: ex.Expression) -> bool:
    """Whether an expression is one of numbers alone: no call, nothing loaded."""
    return not any(
        isinstance(each, (ex.Call, ex.Index)) or (isinstance(each, ex.Unary) and each.op == "*")
        for each in within(node)
    )


RULE = Rule("RL406", "allocation-in-loop", Level.INFORMATION, __doc__, BAD, GOOD, check_host=check)
