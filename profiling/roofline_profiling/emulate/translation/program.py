"""A kernel's machine code as one C++ function that runs a warp."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from roofline_profiling.emulate.sass.instruction import (
    STEP,
    CodeSection,
    Disassembly,
    Instruction,
    OperandKind,
)
from roofline_profiling.emulate.translation import (  # noqa: F401
    conversions,
    floating,
    halves,
    integers,
    matrices,
    memory,
    textures,
    warps,
)
from roofline_profiling.emulate.translation.control import ENDS, asks_convergence, guard_mask
from roofline_profiling.emulate.translation.writer import (
    OPERATIONS,
    SECTION,
    CodeSymbols,
    UnsupportedError,
    Writer,
)

_CHUNK = 100
"""Instructions after which a C++ function ends with its block: compilers' time grows with the
square of a function's length."""
_LONGEST_CHUNK = 200


@dataclass(frozen=True, slots=True)
class Placed:
    """An instruction with its counters: -1 where it has none."""

    instruction: Instruction
    at: int
    """Its code address."""
    block: int
    predicated: int
    site: int


@dataclass(frozen=True, slots=True)
class Translation:
    """C++ text, and what its counters count."""

    text: str
    placed: tuple[Placed, ...]
    unsupported: tuple[str, ...]
    """Instructions that end the run if they are reached."""


def translate(code: Disassembly, kernel: str, metadata_path: str) -> Translation:
    """Translates a kernel and the functions it may call. Raises KeyError if it is not there."""
    sections = reachable(code, kernel)
    symbols = CodeSymbols(_addresses(sections, _numbers(code, kernel)))
    body: list[str] = []
    placed: list[Placed] = []
    unsupported: list[str] = []
    sites: list[int] = []
    counters = _Counters()
    for section in sections:
        writer = Writer(section.name, symbols, sites)
        one = _SectionTranslator(section, writer, counters, placed, unsupported)
        body += one.lines()
    text = _file(body, counters, symbols, sites, placed, metadata_path)
    return Translation(text, tuple(placed), tuple(dict.fromkeys(unsupported)))


def reachable(code: Disassembly, kernel: str) -> list[CodeSection]:
    """The kernel's section first, then those of the functions that it may call.

    A function whose address is taken may be called from anywhere, so one such use brings all.
    """
    found, waiting = [code.sections[kernel]], [code.sections[kernel]]
    others = {name: each for name, each in code.sections.items() if not each.is_kernel}
    while waiting:
        section = waiting.pop()
        for name in _mentioned(section, others):
            if all(each.name != name for each in found):
                found.append(others[name])
                waiting.append(others[name])
    return found


def _numbers(code: Disassembly, kernel: str) -> dict[str, int]:
    """Places of sections: the kernel's first, then device functions by name, used or not.

    The loader numbers them alike, for function pointers in tables.
    """
    functions = sorted(name for name, each in code.sections.items() if not each.is_kernel)
    return {kernel: 0} | {name: number for number, name in enumerate(functions, 1)}


def _mentioned(section: CodeSection, others: Mapping[str, CodeSection]) -> Sequence[str]:
    calls = [ins for ins in section.instructions if ins.base == "CALL"]
    if any(not any(op.kind is OperandKind.LABEL for op in ins.operands) for ins in calls):
        return list(others)
    names = {op.text for ins in calls for op in ins.operands}
    return [name for name in others if name in names]


def _addresses(sections: Sequence[CodeSection], numbers: Mapping[str, int]) -> dict[str, int]:
    found: dict[str, int] = {}
    for section in sections:
        number = numbers[section.name]
        found[section.name] = number * SECTION
        for label, at in section.labels.items():
            found[f"{section.name}:{label}"] = number * SECTION + at
            if not label.startswith("."):
                found.setdefault(label, number * SECTION + at)
    return found


@dataclass(slots=True)
class _Counters:
    blocks: int = 0
    predicated: int = 0
    chunks: list[tuple[int, int]] = field(default_factory=list)
    """First code address and number of instructions of each C++ function."""


class _SectionTranslator:
    def __init__(
        self,
        section: CodeSection,
        writer: Writer,
        counters: _Counters,
        placed: list[Placed],
        unsupported: list[str],
    ) -> None:
        self._section = section
        self._writer = writer
        self._counters = counters
        self._placed = placed
        self._unsupported = unsupported

    def lines(self) -> list[str]:
        """The C++ functions of the section, each with the code that follows it."""
        leaders = _leaders(self._section)
        out: list[str] = []
        for chunk in _chunks(self._section, leaders):
            out += self._chunk(chunk, leaders)
        return out

    def _chunk(self, chunk: Sequence[Instruction], leaders: frozenset[int]) -> list[str]:
        writer = self._writer
        starts = {ins.at for ins in chunk if ins.at in leaders} | {chunk[0].at}
        base = writer.symbols.code[self._section.name]
        writer.near = frozenset(base + at for at in starts)
        self._counters.chunks.append((writer.at(chunk[0]), len(chunk)))
        out = [f"CHUNK({len(self._counters.chunks) - 1})"]
        for ins in chunk:
            if ins.at in starts:
                at = writer.at(ins)
                out.append(f"case {at:#x}u: B{at:x}:")
            if ins.at in leaders:
                out.append(f"COUNT({self._counters.blocks});")
                self._counters.blocks += 1
            out.append(self._instruction(ins))
        return [*out, f"return {writer.at(chunk[-1]) + STEP:#x}u; END_CHUNK"]

    def _instruction(self, ins: Instruction) -> str:
        writer, sites = self._writer, len(self._writer.sites)
        try:
            handler = OPERATIONS.get(ins.base)
            if handler is None:
                raise UnsupportedError(ins.opcode)
            text = handler(ins, writer)
            guard = guard_mask(ins.guard, writer)
        except (UnsupportedError, ValueError, IndexError, KeyError, StopIteration) as problem:
            del writer.sites[sites:]
            named = str(problem) if isinstance(problem, UnsupportedError) else ins.text
            self._unsupported.append(named)
            quoted = named.replace("\\", "\\\\").replace('"', '\\"')
            text = f'unsupported("{quoted}", {writer.at(ins):#x});'
            guard = guard_mask(ins.guard, writer)
        site = sites if len(writer.sites) > sites else -1
        predicated = -1
        if guard != "m":
            predicated = self._counters.predicated
            self._counters.predicated += 1
        self._placed.append(
            Placed(ins, writer.at(ins), self._counters.blocks - 1, predicated, site)
        )
        return self._statement(ins, text, guard, predicated)

    def _statement(self, ins: Instruction, text: str, guard: str, predicated: int) -> str:
        if predicated < 0:
            return f"{{ const u32 g = m; (void)g; {text} }}" if text else ""
        counted = f"PREDICATED({predicated});"
        if asks_convergence(ins):
            return f"{{ const u32 g = {guard}; {counted} {text} }}"
        return f"{{ const u32 g = {guard}; if (g) {{ {counted} {text} }} }}"


def _chunks(section: CodeSection, leaders: frozenset[int]) -> list[list[Instruction]]:
    """Code in pieces that compilers take quickly: of whole blocks, where these are not too long."""
    found: list[list[Instruction]] = []
    for ins in section.instructions:
        long = not found or len(found[-1]) >= (_CHUNK if ins.at in leaders else _LONGEST_CHUNK)
        if long:
            found.append([])
        found[-1].append(ins)
    return found


def _leaders(section: CodeSection) -> frozenset[int]:
    """Addresses at which a basic block begins."""
    found = {0, *section.labels.values()}
    for ins in section.instructions:
        if ins.base in ENDS:
            found.add(ins.at + STEP)
        # Return addresses stand in the code as plain numbers.
        if ins.base in ("MOV", "IMAD") and ins.operands[-1].kind is OperandKind.OTHER:
            found |= _return_address(ins, section)
    return frozenset(at for at in found)


def _return_address(ins: Instruction, section: CodeSection) -> set[int]:
    try:
        value = int(ins.operands[-1].text, 0)
    except ValueError:
        return set()
    after_call = value - STEP
    if value % STEP or not 0 <= after_call < len(section.instructions) * STEP:
        return set()
    return {value} if section.instructions[after_call // STEP].base == "CALL" else set()


def source_files(placed: Sequence[Placed]) -> list[str]:
    """The source files that instructions come from, in the order of their first use."""
    lines = (each.instruction.line for each in placed)
    return list(dict.fromkeys(line.path for line in lines if line is not None))


def _file(
    body: Sequence[str], counters: _Counters, symbols: CodeSymbols, sites: Sequence[int],
    placed: Sequence[Placed], metadata_path: str,
) -> str:  # fmt: skip
    def quoted(names: Sequence[str]) -> str:
        """The names as a C++ list of strings that ends with ``nullptr``."""
        return ", ".join([*(json.dumps(name) for name in names), "nullptr"])

    listed = ", ".join([*(f"{at:#x}" for at in sites), "0"])
    files = source_files(placed)
    rows = (
        f"{{{each.at:#x}, {files.index(line.path)}, {line.number}}}"
        for each in placed
        if (line := each.instruction.line) is not None
    )
    line_table = ", ".join([*rows, "{0xffffffff, 0, 0}"])
    lines = "\n".join(f"  {line}" for line in body if line)
    chunks = ", ".join(f"{{{at:#x}u, {count}, chunk{n}}}"
                       for n, (at, count) in enumerate(counters.chunks))  # fmt: skip
    return f"""#include "warp.h"
using namespace emu;
#define COUNT(n) (w.launch->blocks[n].warps++, w.launch->blocks[n].threads += __builtin_popcount(m))
#define PREDICATED(n) (w.launch->predicated[n] += __builtin_popcount(g))
#define CHUNK(n) static u32 chunk##n(Warp &w, u32 &m, u32 pc) {{ \\
  V32 *const r = w.r; u32 *const p = w.p, *const ur = w.ur, *const up = w.up; \\
  const Launch &L = *w.launch; const u64 *const symbols = L.symbols; V32 dropped[4]; \\
  (void)r, (void)p, (void)ur, (void)up, (void)symbols, (void)dropped; \\
  switch (pc) {{
#define END_CHUNK }} return NOWHERE; }}
{lines}
static const Chunk chunks[] = {{{chunks}}};
static const char *const symbol_names[] = {{{quoted(symbols.names)}}};
static const u32 site_addresses[] = {{{listed}}};
static const u32 lines[][3] = {{{line_table}}};
static const char *const files[] = {{{quoted(files)}}};
extern "C" const KernelCode emu_kernel = {{
  chunks, {len(counters.chunks)}, {counters.blocks}, {counters.predicated}, {len(sites)},
  {len(symbols.names)}, symbol_names, site_addresses, "{metadata_path}",
  sizeof lines / sizeof *lines - 1, lines, files}};
"""
