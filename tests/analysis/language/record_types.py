"""Records sizes and alignments of the spellings of types_asked.toml in types.toml."""

from __future__ import annotations

import itertools
import json
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from . import compilers

Recorder = Callable[[Path, Path], str]
"""From the folder of the tests and one for scratch files to a line on what was written."""

HEAD = """\
# Written by record.py, part types, from types_asked.toml.
#
# Sizes and alignments in bytes: [size, align].
# `types` is what the first compiler of `compilers` that knows the type says, so host code's where
# there is host code. `differs` has by compiler the types of which it says something else, `refused`
# those that it does not know or that have no size, with its message. The others all agree.
# The target is Linux on x86-64, so the data model is LP64, the standard library libstdc++.
"""
_ASKERS: Mapping[str, Callable[[], compilers.Compiler]] = {
    "g++": lambda: compilers.plain_host("g++"),
    "nvcc host": compilers.nvcc_host,
    "nvcc device": compilers.nvcc_device,
    "hip host": compilers.hip_host,
    "hip device": compilers.hip_device,
    "opencl spir64": lambda: compilers.opencl("spir64"),
    "opencl nvptx64": lambda: compilers.opencl("nvptx64"),
    "opencl amdgcn": lambda: compilers.opencl("amdgcn"),
}

Layout = list[int]
"""Size and alignment in bytes."""


def record(folder: Path, scratch: Path) -> str:
    """Ask for every spelling and write types.toml."""
    asked = tomllib.loads((folder / "types_asked.toml").read_text(encoding="utf-8"))
    names = sorted({name for group in asked.values() for name in group["compilers"]})
    askers = {name: _ASKERS[name]() for name in names}
    lines = [HEAD, "[compilers]"]
    lines += [f"{_quoted(name)} = {_quoted(asker.version)}" for name, asker in askers.items()]
    count = 0
    for title, group in asked.items():
        by = {
            name: _sizes(askers[name], group, scratch / f"{title}-{name}".replace(" ", "-"))
            for name in group["compilers"]
        }
        lines += _group_lines(title, group, by)
        count += len(spellings(group))
        print(f"  {title}: {len(spellings(group))} spellings", flush=True)
    (folder / "types.toml").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return f"{count} spellings"


def spellings(group: Mapping[str, Any]) -> list[str]:
    """The types of a group, those in every order of their words first."""
    orders = [
        " ".join(words)
        for entry in group.get("orders", [])
        for words in sorted(set(itertools.permutations(entry.split())))
    ]
    return list(dict.fromkeys([*orders, *group["types"]]))


def _sizes(
    asker: compilers.Compiler, group: Mapping[str, Any], scratch: Path
) -> dict[str, Layout | str]:
    """By spelling size and alignment, or the compiler's message."""
    scratch.mkdir()
    align = "__alignof__" if asker.suffix == ".cl" else "alignof"
    questions = {}
    for name in spellings(group):
        questions[f"sizeof {name}"] = f"sizeof({name})"
        questions[f"align {name}"] = f"{align}({name})"
    includes = "".join(f"#include <{header}>\n" for header in group["includes"])
    answers = asker.ask(includes + group.get("prelude", ""), questions, scratch)
    found: dict[str, Layout | str] = {}
    for name in spellings(group):
        size, alignment = answers[f"sizeof {name}"], answers[f"align {name}"]
        if isinstance(size, int) and isinstance(alignment, int):
            found[name] = [size, alignment]
        else:
            found[name] = size if isinstance(size, str) else str(alignment)
    return found


def _group_lines(
    title: str, group: Mapping[str, Any], by: Mapping[str, Mapping[str, Layout | str]]
) -> list[str]:
    keys = {key: group[key] for key in ("dialects", "compilers", "includes")}
    lines = ["", f"[{title}]", *(f"{key} = {json.dumps(value)}" for key, value in keys.items())]
    if "prelude" in group:
        lines.append(f'prelude = """{group["prelude"]}"""')
    said = {name: [by[asker][name] for asker in by] for name in spellings(group)}
    seen = {
        name: next(layout for layout in layouts if isinstance(layout, list))
        for name, layouts in said.items()
        if any(isinstance(layout, list) for layout in layouts)
    }
    lines += _table(f"{title}.types", seen)
    for asker, answers in by.items():
        other = {n: a for n, a in answers.items() if isinstance(a, list) and a != seen[n]}
        lines += _table(f"{title}.differs.{_quoted(asker)}", other)
    for asker, answers in by.items():
        messages = {n: a for n, a in answers.items() if isinstance(a, str)}
        lines += _table(f"{title}.refused.{_quoted(asker)}", messages)
    return lines


def _table(title: str, entries: Mapping[str, Any]) -> list[str]:
    if not entries:
        return []
    rows = [f"{_quoted(k)} = {json.dumps(v, ensure_ascii=False)}" for k, v in entries.items()]
    return ["", f"[{title}]", *rows]


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
