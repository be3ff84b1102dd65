"""Records what the functions ``answer_...`` of calls/ return in calls.json."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path

from . import compilers

ABOUT = (
    "Written by record.py, part calls. By file and function: what it returns, as the program that "
    "g++ compiled prints it. `differs` has by compiler what it says otherwise, `refused` the "
    "functions that it does not compile, or on the device not to a constant, with its message. "
    "`nvcc device` is the initial value of a variable, and of what is no constant expression "
    "`nvcc kernel` what an optimised kernel stores."
)
_FUNCTION = re.compile(r"\bint (answer_\w+)\(\)")

Told = dict[str, dict[str, int | str]]
"""By file and function a number or a message."""


def functions(text: str) -> list[str]:
    """The names of the functions of a file that are asked for their result."""
    return _FUNCTION.findall(text)


def record(folder: Path, scratch: Path) -> str:
    """Ask for every function's result and write calls.json."""
    host = [compilers.plain_host("g++"), compilers.nvcc_host()]
    device = [compilers.nvcc_device(), compilers.nvcc_kernels()]
    told: dict[str, Told] = {asker.name: {} for asker in [*host, *device]}
    for source in sorted((folder / "calls").glob("*.cu")):
        text = source.read_text(encoding="utf-8")
        names = functions(text)
        for asker in host:
            told[asker.name][source.name] = _ask(asker, text, names, scratch / source.stem)
        constant = _ask(device[0], text, names, scratch / source.stem)
        others = [name for name in names if isinstance(constant[name], str)]
        told[device[0].name][source.name] = constant
        told[device[1].name][source.name] = _ask(device[1], text, others, scratch / source.stem)
        print(f"  {source.name}: {len(names)}", flush=True)
    versions = {asker.name: asker.version for asker in [*host, *device]}
    (folder / "calls.json").write_text(written(versions, told), encoding="utf-8")
    return f"{sum(map(len, told['g++'].values()))} functions"


def _ask(
    asker: compilers.Compiler, text: str, names: list[str], scratch: Path
) -> dict[str, int | str]:
    place = Path(f"{scratch}-{asker.name}".replace(" ", "-"))
    place.mkdir()
    return asker.ask(text, {name: f"{name}()" for name in names}, place)


def written(versions: Mapping[str, str], told: Mapping[str, Told]) -> str:
    """The file's text: one line a function."""
    first, *others = told
    differs = {asker: _differing(told[first], told[asker]) for asker in others}
    refused = {asker: _refused(told, asker) for asker in told}
    parts = {"answers": told[first]}
    lines = [
        f'"about": {json.dumps(ABOUT)}',
        f'"compilers": {json.dumps(versions, indent=1)}',
        f'"answers": {json.dumps(parts["answers"], indent=1, ensure_ascii=False)}',
        f'"differs": {json.dumps(differs, indent=1)}',
        f'"refused": {json.dumps(refused, indent=1, ensure_ascii=False)}',
    ]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _differing(first: Told, other: Told) -> dict[str, dict[str, int]]:
    found: dict[str, dict[str, int]] = {}
    for file, answers in other.items():
        for name, value in answers.items():
            if isinstance(value, int) and value != first[file][name]:
                found.setdefault(file, {})[name] = value
    return found


def _refused(told: Mapping[str, Told], asker: str) -> Told:
    """What a compiler gives no number for; on the device what neither way of asking does."""
    found: Told = {}
    for file, answers in told[asker].items():
        for name, value in answers.items():
            by_kernel = told["nvcc kernel"][file].get(name) if asker == "nvcc device" else None
            if isinstance(value, str) and not isinstance(by_kernel, int):
                found.setdefault(file, {})[name] = value
    return found
