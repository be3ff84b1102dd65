"""Read the constants that a cubin carries: banks 2 and 4 and the initialised global data.

A 64-bit ELF file; of its relocations only those of bank 4, addresses of global tables, matter.
"""

import struct
from dataclasses import dataclass
from pathlib import Path

GLOBAL_BASE = 0x7000_0000
"""Where the machine model puts the initialised global data."""


@dataclass(frozen=True, slots=True)
class Constants:
    """Constant banks by kernel, and the global tables."""

    banks: dict[tuple[int, str], bytes]
    """(bank number, kernel name) to the bank's bytes; bank 3 and 4 have the name ``""``."""
    global_data: bytes
    """What lies at GLOBAL_BASE."""


def read_constants(path: Path) -> Constants:
    """Return the constants of a cubin."""
    data = path.read_bytes()
    (table,) = struct.unpack_from("<Q", data, 0x28)
    size, count, names_at = struct.unpack_from("<HHH", data, 0x3A)
    rows = [struct.unpack_from("<IIQQQQIIQQ", data, table + size * i) for i in range(count)]
    strings = data[rows[names_at][4] :][: rows[names_at][5]]

    def name_of(row: tuple[int, ...]) -> str:
        """The name of a section, which its header gives as an offset."""
        return strings[row[0] : strings.index(b"\0", row[0])].decode()

    sections = {name_of(r): (i, r, data[r[4] :][: r[5]]) for i, r in enumerate(rows)}
    banks: dict[tuple[int, str], bytes] = {}
    for name, (_, _, content) in sections.items():
        for bank in (2, 3, 4):
            if name.startswith(f".nv.constant{bank}"):
                banks[bank, name.removeprefix(f".nv.constant{bank}").lstrip(".")] = content
    symbols = sections[".symtab"][2]
    index_global = sections.get(".nv.global.init", (-1, (), b""))[0]
    for name, (_, _, content) in sections.items():
        if name.startswith((".rel.nv.constant4", ".rela.nv.constant4")):
            addresses = bytearray(banks[4, ""])
            step = 24 if name.startswith(".rela") else 16
            for at in range(0, len(content), step):
                offset, info = struct.unpack_from("<QQ", content, at)
                symbol = struct.unpack_from("<IBBHQQ", symbols, 24 * (info >> 32))
                section, value = symbol[3], symbol[4]
                if section == index_global:
                    added = struct.unpack_from("<q", content, at + 16)[0] if step == 24 else 0
                    struct.pack_into("<Q", addresses, offset, GLOBAL_BASE + value + added)
            banks[4, ""] = bytes(addresses)
    found = sections.get(".nv.global.init")
    return Constants(banks, found[2] if found else b"")
