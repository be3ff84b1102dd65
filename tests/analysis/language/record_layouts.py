"""Records size, alignment and field offsets of the classes in layouts/ in layouts.json."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from . import compilers

ABOUT = (
    "Written by record.py, part layouts, from the questions in layouts/*.cu. By file and question: "
    "size and align in bytes, fields as [offset, size] in bytes, bits as [first bit, bits]. "
    "A number that the first compiler refuses is null. `differs` has by compiler what it says "
    "otherwise, `refused` the questions that it does not answer."
)
_QUESTION = re.compile(r"^using ([a-z][a-z0-9_]*) = ([^;]+);(?:\s*//(.*))?$", re.MULTILINE)
_WORDS = 3
"""How many words of eight bytes of a class are looked at for bit-fields."""

Layout = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Question:
    """A class asked about: the alias that names it, its spelling, its fields and bit-fields."""

    name: str
    spelled: str
    fields: tuple[str, ...]
    bits: tuple[str, ...]


def questions(text: str) -> list[Question]:
    """The aliases in lower case at the beginning of a line, with what their comments ask for."""
    found = []
    for name, spelled, comment in _QUESTION.findall(text):
        parts = dict(part.split(":", 1) for part in comment.split(";") if ":" in part)
        asked = {key.strip(): tuple(re.findall(r"[\w.]+", names)) for key, names in parts.items()}
        found.append(Question(name, spelled, asked.get("fields", ()), asked.get("bits", ())))
    return found


def record(folder: Path, scratch: Path) -> str:
    """Ask about every class and write layouts.json."""
    askers = [
        compilers.plain_host("g++"),
        compilers.nvcc_host(),
        compilers.nvcc_device(),
        compilers.hip_host(),
        compilers.hip_device(),
    ]
    kernels = compilers.nvcc_kernels()
    said: dict[str, dict[str, dict[str, Layout]]] = {asker.name: {} for asker in askers}
    for source in sorted((folder / "layouts").glob("*.cu")):
        text = source.read_text(encoding="utf-8")
        for asker in askers:
            if asker.name.startswith("hip") and "#include <cu" in text:
                continue
            place = scratch / f"{source.stem}-{asker.name}".replace(" ", "-")
            place.mkdir()
            bits = kernels if asker.name == "nvcc device" else asker
            said[asker.name][source.name] = _layouts(asker, bits, text, place)
        print(f"  {source.name}", flush=True)
    versions = {asker.name: asker.version for asker in askers}
    (folder / "layouts.json").write_text(written(versions, said), encoding="utf-8")
    return f"{sum(map(len, said['g++'].values()))} classes"


def _layouts(
    asker: compilers.Compiler, bits: compilers.Compiler, text: str, place: Path
) -> dict[str, Layout]:
    """What a compiler says of each question of a file, None for what it refuses."""
    asked = questions(text)
    told = asker.ask(text, dict(_size_questions(asked)), place)
    # Compilers for AMD GPUs are not asked for bits: their host code is the one of g++.
    if not asker.name.startswith("hip"):
        told |= bits.ask("#include <cstring>\n" + text, dict(_bit_questions(asked)), place)
    numbers = {key: value if isinstance(value, int) else None for key, value in told.items()}
    layouts: dict[str, Layout] = {}
    for q in asked:
        layout: Layout = {"size": numbers[f"{q.name} size"], "align": numbers[f"{q.name} align"]}
        for field in q.fields:
            place_of = [numbers[f"{q.name} offset {field}"], numbers[f"{q.name} size {field}"]]
            layout.setdefault("fields", {})[field] = place_of
        for field in () if asker.name.startswith("hip") else q.bits:
            words = [numbers[f"{q.name} bits {field} {i}"] for i in range(_WORDS)]
            layout.setdefault("bits", {})[field] = _run_of_ones(words)
        layouts[q.name] = layout
    return layouts


def _size_questions(asked: Iterable[Question]) -> Iterable[tuple[str, str]]:
    for q in asked:
        yield f"{q.name} size", f"sizeof({q.name})"
        yield f"{q.name} align", f"alignof({q.name})"
        for field in q.fields:
            yield f"{q.name} offset {field}", f"__builtin_offsetof({q.name}, {field})"
            yield f"{q.name} size {field}", f"sizeof((({q.name}*)0)->{field})"


def _bit_questions(asked: Iterable[Question]) -> Iterable[tuple[str, str]]:
    """The words of a class in which one field has all bits set and the others none."""
    for q in asked:
        for field in q.bits:
            for word in range(_WORDS):
                yield f"{q.name} bits {field} {word}", _word_with_ones(q.name, field, word)


def _word_with_ones(name: str, field: str, word: int) -> str:
    """A word of an object of the class that is zero but for one field."""
    return (
        f"[] {{ {name} s; long long w[{_WORDS}] = {{}}; memset(&s, 0, sizeof s);"
        f" s.{field} = (decltype(s.{field}))(-1); memcpy(w, &s, sizeof s); return w[{word}]; }}()"
    )


def _run_of_ones(words: list[int | None]) -> list[int] | None:
    """First bit and number of bits of the ones in the words."""
    known = [word for word in words if word is not None]
    if len(known) < len(words):
        return None
    whole = sum((word % 2**64) << (64 * i) for i, word in enumerate(known))
    first = (whole & -whole).bit_length() - 1
    if whole >> first != (1 << whole.bit_count()) - 1:
        raise ValueError(f"not one run of bits: {whole:x}")
    return [first, whole.bit_count()]


def written(
    versions: Mapping[str, str], said: Mapping[str, Mapping[str, Mapping[str, Layout]]]
) -> str:
    """The file's text: one line a class."""
    first, *others = said
    differs = {asker: _differing(said[first], said[asker]) for asker in others}
    refused = {asker: list(_refused(said[asker])) for asker in said}
    parts = [
        f'"about": {json.dumps(ABOUT)}',
        f'"compilers": {json.dumps(versions, indent=1)}',
        f'"layouts": {_files(said[first])}',
        '"differs": {\n' + ",\n".join(f"{json.dumps(a)}: {_files(d)}" for a, d in differs.items()),
        '"refused": ' + json.dumps(refused, indent=1),
    ]
    parts[3] += "\n}"
    return "{\n" + ",\n".join(parts) + "\n}\n"


def _files(files: Mapping[str, Mapping[str, Layout]]) -> str:
    made = []
    for name, layouts in files.items():
        rows = ",\n".join(f"  {json.dumps(q)}: {json.dumps(told)}" for q, told in layouts.items())
        made.append(f" {json.dumps(name)}: {{\n{rows}\n }}")
    return "{\n" + ",\n".join(made) + "\n}" if made else "{}"


def _differing(
    first: Mapping[str, Mapping[str, Layout]], other: Mapping[str, Mapping[str, Layout]]
) -> dict[str, dict[str, Layout]]:
    """Of each class only what another compiler says otherwise, where both say something."""
    found: dict[str, dict[str, Layout]] = {}
    for file, layouts in other.items():
        for name, layout in layouts.items():
            changed = _changed(first[file][name], layout)
            if changed:
                found.setdefault(file, {})[name] = changed
    return found


def _changed(first: Layout, other: Layout) -> Layout:
    changed: Layout = {}
    for key, value in other.items():
        if isinstance(value, dict):
            inner = _changed(first[key], value)
            if inner:
                changed[key] = inner
        elif value != first[key] and not _is_unknown(value):
            changed[key] = value
    return changed


def _is_unknown(value: object) -> bool:
    return value is None or (isinstance(value, list) and None in value)


def _refused(files: Mapping[str, Mapping[str, Layout]]) -> Iterable[str]:
    for file, layouts in files.items():
        for name, layout in layouts.items():
            entries = {k: v for k, v in layout.items() if not isinstance(v, dict)}
            for group in ("fields", "bits"):
                entries |= {f"{group} {k}": v for k, v in layout.get(group, {}).items()}
            yield from (f"{file} {name} {k}" for k, v in entries.items() if _is_unknown(v))
