"""nvdisasm's listing read into instructions."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from roofline_profiling.emulate.sass.instruction import CodeSection, Disassembly, Instruction, Line
from roofline_profiling.emulate.sass.operands import read_operand, split
from roofline_profiling.errors import ProfilerError

_SECTION = re.compile(r"\s*\.section\s+\.text\.([^,\s]+)")
_OTHER_SECTION = re.compile(r"\s*\.section\s+")
_KERNEL = re.compile(r'\s*\.other\s+(\S+),@"?[^"\n]*STO_CUDA_ENTRY')
_LABEL = re.compile(r"([.$\w]\S*):\s*$")
_LINE = re.compile(r'\s*//## File "([^"]*)", line (\d+)')
_INSTRUCTION = re.compile(
    r"\s*/\*([0-9a-f]{4,})\*/\s+(?:\{\s*)?(?:@(!?U?P(?:\d+|T))\s+)?([A-Z][\w.]*)\s*([^;]*);"
)
_ARCHITECTURE = re.compile(r"EF_CUDA_SM(\d+)|\.target\s+sm_(\d+)")


def disassemble(nvdisasm: str, cubin: Path) -> Disassembly:
    """The code of a cubin. Raises ProfilerError where the disassembler fails."""
    command = [nvdisasm, "--print-code", "--print-line-info", str(cubin)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, errors="replace")
    if done.returncode:
        said = (done.stderr or done.stdout).strip().splitlines()
        raise ProfilerError(f"nvdisasm cannot read {cubin.name}: {said[-1] if said else 'no word'}")
    return read_listing(done.stdout)


def read_listing(text: str) -> Disassembly:
    """The listing that ``nvdisasm --print-code --print-line-info`` prints."""
    found = _ARCHITECTURE.search(text)
    reader = _ListingReader()
    for line in text.splitlines():
        reader.take(line)
    reader.close()
    kernels = reader.kernels
    sections = {
        name: CodeSection(name, tuple(code), labels, name in kernels)
        for name, code, labels in reader.sections
    }
    return Disassembly(f"sm_{found[1] or found[2]}" if found else "", sections)


class _ListingReader:
    """Takes a listing line by line."""

    def __init__(self) -> None:
        self.sections: list[tuple[str, list[Instruction], dict[str, int]]] = []
        self.kernels: set[str] = set()
        self._name: str | None = None
        self._code: list[Instruction] = []
        self._labels: dict[str, int] = {}
        self._open: list[str] = []
        self._line: Line | None = None
        self._line_is_outer = False

    def take(self, text: str) -> None:
        """Read the next line."""
        if found := _SECTION.match(text):
            self.close()
            self._name = found[1]
        elif _OTHER_SECTION.match(text):
            self.close()
        elif self._name is None:
            return
        elif found := _INSTRUCTION.match(text):
            self._instruction(found, text)
        elif found := _LINE.match(text):
            if not self._line_is_outer:
                self._line = Line(found[1], int(found[2]))
            self._line_is_outer = True  # what follows at once is where it was inlined
        elif found := _KERNEL.match(text):
            self.kernels.add(found[1])
        elif found := _LABEL.match(text):
            self._open.append(found[1])

    def close(self) -> None:
        """End the section."""
        if self._name is not None:
            end = self._code[-1].at + 16 if self._code else 0
            self._labels.update(dict.fromkeys(self._open, end))
            self.sections.append((self._name, self._code, self._labels))
        self._name, self._code, self._labels, self._open = None, [], {}, []
        self._line, self._line_is_outer = None, False

    def _instruction(self, found: re.Match[str], text: str) -> None:
        at = int(found[1], 16)
        self._labels.update(dict.fromkeys(self._open, at))
        self._open = []
        self._line_is_outer = False
        guard = read_operand(found[2]) if found[2] else None
        operands = tuple(read_operand(each) for each in split(found[4]))
        shown = text.split("*/", 1)[1].strip().rstrip(";").strip()
        self._code.append(Instruction(at, found[3], operands, guard, self._line, shown))
