"""A kernel's code and its launches as the executor writes them, with counts made by hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

KERNEL = "_Z5saxpyifPKfPf"
NAME = "saxpy(int, float, float const*, float*)"
SOURCE = "/project/src/main.cu"

Json = dict[str, Any]


def instruction(
    at: int, opcode: str, block: int, line: int = 5, *, predicated: int = -1, site: int = -1
) -> Json:
    return {
        "at": 16 * at, "opcode": opcode, "block": block, "predicated": predicated, "site": site,
        "file": 0, "line": line,
    }  # fmt: skip


CODE: Json = {
    "kernel": KERNEL,
    "arch": "sm_86",
    "files": [SOURCE],
    "instructions": [
        instruction(0, "S2R", 0, 4),
        instruction(1, "IMAD", 0, 4),
        instruction(2, "ISETP.GE.AND", 0, 5),
        instruction(3, "EXIT", 0, 5, predicated=0),
        instruction(4, "LDG.E", 1, site=0),
        instruction(5, "FFMA", 1),
        instruction(6, "FMUL", 1, predicated=1),
        instruction(7, "STG.E.64", 1, site=1),
        instruction(8, "STS.128", 1, site=2),
        instruction(9, "EXIT", 1, 6),
    ],
}
"""All threads run block 0, those inside the array also block 1."""


def launch(code: Path, **values: object) -> Json:
    """Four blocks of 64 threads, 250 of them inside the array; half of these multiply again."""
    held: Json = {
        "kernel": KERNEL, "code": str(code), "gpu": "NVIDIA GeForce RTX 3080",
        "grid": [4, 1, 1], "block": [64, 1, 1], "dynamic_shared_bytes": 256, "registers": 16,
        "static_shared_bytes": 1024, "local_bytes": 0, "launch": 0, "invocation": 0,
        "blocks_run": 4,
        "block_counts": [[8, 256], [8, 250]],
        "predicated": [6, 125],
        "sites": [[8, 250, 32, 8, 0], [8, 250, 64, 16, 0], [8, 250, 0, 80, 32]],
        "traffic": {
            "l1_sectors": 96, "l1_hits": 0, "l2_sectors": 96, "l2_hits": 30,
            "dram_read_bytes": 1000, "dram_write_bytes": 500, "dirty_bytes": 1500,
        },
        "error": "",
    }  # fmt: skip
    return {**held, **values}


def write_code(folder: Path) -> Path:
    path = folder / "saxpy.json"
    path.write_text(json.dumps(CODE))
    return path


def write_launches(path: Path, *launches: Json) -> Path:
    path.write_text("".join(json.dumps(each) + "\n" for each in launches))
    return path
