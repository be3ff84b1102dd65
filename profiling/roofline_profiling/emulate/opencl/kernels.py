"""The kernels of a program and their arguments, as Clang's code in text form has them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

_KERNEL: Final = re.compile(
    r'^define [^@]*@"?([^"(\s]+)"?\(.*!kernel_arg_addr_space ', re.MULTILINE
)
_DECLARED: Final = re.compile(r'^declare [^@]*@"?([^"(\s]+)"?\(', re.MULTILINE)
_MANGLED: Final = re.compile(r"_Z(\d+)")
_PROVIDED: Final = ("llvm.", "__nv_", "__nvvm_", "vprintf", "malloc", "free")
_ATTACHED: Final = re.compile(r"!(\w+) !(\d+)")
_NODE: Final = re.compile(r"^!(\d+) = (?:distinct )?!\{(.*)\}$", re.MULTILINE)
_PART: Final = re.compile(r'!"((?:[^"\\]|\\.)*)"|i32 (-?\d+)')
_ENTRY: Final = r"(\.entry\s+{}\s*\([^)]*\))"


@dataclass(frozen=True, slots=True)
class ArgumentDescription:
    """An argument of a kernel."""

    space: int
    """0 for a value, 1 global, 2 constant, 3 local memory."""
    access: str
    """Of images: ``read_only``; else ``none``."""
    type: str
    qualifiers: str
    name: str


@dataclass(frozen=True, slots=True)
class KernelDescription:
    """A kernel of a program."""

    name: str
    required: tuple[int, ...]
    """The work-group's size that it demands; empty if any will do."""
    arguments: tuple[ArgumentDescription, ...]

    @property
    def lines(self) -> Iterator[str]:
        """What the runtime library reads: parts with tabs between."""
        x, y, z = (*self.required, 0, 0, 0)[:3]
        yield f"kernel\t{self.name}\t{x}\t{y}\t{z}"
        for each in self.arguments:
            held = (each.access, each.type, each.qualifiers, each.name)
            yield "\t".join(("argument", str(each.space), *held))


def described_kernels(code: str) -> tuple[KernelDescription, ...]:
    """The kernels of a module in LLVM's text form, in its order."""
    nodes = dict(_NODE.findall(code))
    return tuple(_kernel(found[1], _line(code, found), nodes) for found in _KERNEL.finditer(code))


def _line(code: str, found: re.Match[str]) -> str:
    return code[found.start() : code.find("\n", found.start())]


def missing_functions(code: str) -> tuple[str, ...]:
    """Functions that a module calls and no library has, by their names in OpenCL C."""
    found = (_plain(name) for name in _DECLARED.findall(code))
    return tuple(dict.fromkeys(name for name in found if not name.startswith(_PROVIDED)))


def _plain(mangled: str) -> str:
    """The name in a mangled one: ``_Z6printfPU3AS4Kcz`` is ``printf``."""
    found = _MANGLED.match(mangled)
    return mangled[found.end() :][: int(found[1])] if found is not None else mangled


def _kernel(name: str, line: str, nodes: Mapping[str, str]) -> KernelDescription:
    held = {key: _parts(nodes.get(number, "")) for key, number in _ATTACHED.findall(line)}
    columns = [
        held.get(f"kernel_arg_{key}", [])
        for key in ("addr_space", "access_qual", "type", "type_qual", "name")
    ]
    count = len(columns[0])
    rows = zip(*(_padded(column, count) for column in columns), strict=True)
    arguments = tuple(ArgumentDescription(int(space), *rest) for space, *rest in rows)
    required = tuple(map(int, held.get("reqd_work_group_size", ())))
    return KernelDescription(name, required, arguments)


def _padded(column: Sequence[str], count: int) -> list[str]:
    return [*column, *[""] * (count - len(column))]


def _parts(node: str) -> list[str]:
    return [text or number for text, number in _PART.findall(node)]


def with_required_sizes(ptx: str, kernels: Sequence[KernelDescription]) -> str:
    """PTX in which kernels demand their work-group's size of the assembler, too."""
    for kernel in kernels:
        if kernel.required and not re.search(
            rf"{_ENTRY.format(re.escape(kernel.name))}\s*\.reqntid", ptx
        ):
            sizes = ", ".join(map(str, kernel.required))
            entry = re.compile(_ENTRY.format(re.escape(kernel.name)))
            ptx = entry.sub(rf"\1\n.reqntid {sizes}", ptx, count=1)
    return ptx
