"""Control flow of CMake: branches, loops, functions, included files and subfolders."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self

from roofline_parsers.preprocess.cmake.commands import HANDLERS
from roofline_parsers.preprocess.cmake.conditions import CMakeCondition, Truth
from roofline_parsers.preprocess.cmake.state import RunState
from roofline_parsers.preprocess.cmake.syntax import (
    CMakeArgument,
    CMakeCommand,
    CommandBlock,
    Node,
    parse,
)
from roofline_parsers.preprocess.cmake.targets import CMakeFolder
from roofline_parsers.preprocess.cmake.values import CMakeScope, elements
from roofline_parsers.preprocess.result import Reader

_MOST_NESTED: Final = 40
"""The deepest nesting of calls, included files and folders together."""
_MOST_TRIPS: Final = 200
"""The most elements that a loop is run for."""
_MACRO_ARGUMENT: Final = re.compile(r"\$\{(ARG[CNV]\d*|\w+)\}")
_LANGUAGES: Final = ("C", "CXX", "CUDA", "HIP")


@dataclass(frozen=True, slots=True)
class _Routine:
    """A function or macro of the project."""

    names: tuple[str, ...]
    body: list[Node]
    is_macro: bool


class Interpreter(RunState):
    """Executes build files. Nothing that they say makes it raise."""

    def __init__(self, top: Path, reader: Reader, given: dict[str, str]) -> None:
        super().__init__(top, reader, given)
        self._routines: dict[str, _Routine] = {}
        self._depth = 0
        self._branches = 0

    def copied(self, reader: Reader) -> Self:
        """As ``RunState`` has it, with the routines."""
        found = super().copied(reader)
        found._routines = dict(self._routines)
        return found

    # ---- Folders and files

    def folder(self, path: Path, outer: CMakeFolder | None = None) -> None:
        """Execute a folder's ``CMakeLists.txt``, in the scope of the present one."""
        text = self.read(path / "CMakeLists.txt")
        if text is None or path in self.folders:
            return
        entries = [*outer.entries] if outer is not None else []
        before, self.here = self.here, CMakeFolder(path, self.when, entries)
        self.folders[path] = self.here
        scope = self.variables.scope
        self.variables.scope = CMakeScope(scope) if outer is not None else scope
        self.scopes[path] = self.variables.scope
        binary = self.top / "build" / path.relative_to(self.top)
        for name, value in {
            "CMAKE_SOURCE_DIR": self.top,
            "CMAKE_BINARY_DIR": self.top / "build",
            "CMAKE_CURRENT_SOURCE_DIR": path,
            "CMAKE_CURRENT_BINARY_DIR": binary,
        }.items():
            self.variables.set(name, str(value))
        self._file(path / "CMakeLists.txt", text)
        self._finish_folder()
        self.variables.scope = scope
        self.here = before

    def resume(self, outer: Path, path: Path) -> None:
        """Execute a folder that the run did not enter, as if ``outer`` entered it at its end."""
        self.here = self.folders[outer]
        self.when = self.here.when
        self.variables.scope = self.scopes[outer].copied()  # the folder may write to it
        self.folder(path, self.here)

    def _finish_folder(self) -> None:
        """Keep what CMake looks at only at a folder's end."""
        get = self.variables.get
        here = self.here
        here.build = get("CMAKE_BUILD_TYPE") or ""
        for language in _LANGUAGES:
            flags = [get(f"CMAKE_{language}_FLAGS")]
            if here.build:
                flags.append(get(f"CMAKE_{language}_FLAGS_{here.build.upper()}"))
            here.flags[language] = " ".join(each for each in flags if each)
        here.nvcc_flags = get("CUDA_NVCC_FLAGS") or ""

    def _file(self, path: Path, text: str) -> str | None:
        held = self.variables.get("CMAKE_CURRENT_LIST_FILE")
        self._set_list_file(str(path))
        ended = self._run(parse(text))
        self._set_list_file(held)
        return ended

    def _set_list_file(self, path: str | None) -> None:
        self.variables.set("CMAKE_CURRENT_LIST_FILE", path)
        self.variables.set("CMAKE_CURRENT_LIST_DIR", path and str(Path(path).parent))

    def _include(self, words: list[str]) -> None:
        name = words[0] if words else ""
        folders = elements(self.variables.get("CMAKE_MODULE_PATH") or "")[:20]
        candidates = [self.path(folder) / f"{name}.cmake" for folder in folders if "/" not in name]
        candidates.append(self.path(name))
        for path in candidates:
            text = self.read(path)
            if text is not None:
                self._file(path, text)
                return

    def _subfolder(self, words: list[str]) -> None:
        if words:
            path = self.path(words[0])
            if self.top in path.parents:
                self.folder(path, self.here)

    # ---- Blocks

    def _run(self, nodes: list[Node]) -> str | None:
        """Execute commands; how they ended: ``return``, ``break``, ``continue`` or None."""
        if self._depth >= _MOST_NESTED:
            self.limits[f"build files are nested more than {_MOST_NESTED} deep"] = None
            return None
        self._depth += 1
        ended = None
        for node in nodes:
            if not self.step():
                ended = "return"
            elif isinstance(node, CommandBlock):
                ended = self._block(node)
            else:
                ended = self._command(node)
            if ended is not None:
                break
        self._depth -= 1
        return ended

    def _block(self, block: CommandBlock) -> str | None:
        opener, body = block.clauses[0]
        if opener.name == "if":
            return self._if(block)
        if opener.name == "block":
            return self._run(body)
        if opener.name in {"function", "macro"}:
            self._define(opener, body)
        elif opener.name == "while":
            self._maybe(body)
        else:
            return self._foreach(opener, body)
        return None

    def _if(self, block: CommandBlock) -> str | None:
        earlier: Truth = False
        """Whether a clause before was taken."""
        for command, body in block.clauses:
            truth = True if command.name == "else" else self._holds(command)
            if truth is False:
                self._note_options(command, body)
                continue
            if truth and earlier is False:
                return self._run(body)
            self._maybe(body)
            if truth:
                break
            earlier = None
        return None

    def _holds(self, command: CMakeCommand) -> Truth:
        return CMakeCondition(command.arguments, self.variables, self.asked).truth()

    def _note_options(self, command: CMakeCommand, body: list[Node]) -> None:
        """Remember a branch that is not taken because an option is off."""
        names = {argument.text for argument in command.arguments if not argument.quoted}
        if not names & {"NOT", "OR"} and (options := names & self.options):
            self.switched_off.append((frozenset(options), self.here.path, body))

    def _maybe(self, body: list[Node]) -> None:
        """Execute what may be executed or not."""
        self._branches += 1
        when, self.when = self.when, self.when | {self._branches}
        self.variables.enter()
        self._run(body)
        self.variables.leave()
        self.when = when

    def _foreach(self, opener: CMakeCommand, body: list[Node]) -> str | None:
        words = self.variables.arguments(opener.arguments)
        name = words[0] if words else ""
        held = self.variables.get(name)
        ended = None
        for item in self._items(words[1:]):
            self.variables.set(name, item)
            ended = self._run(body)
            if ended not in {None, "continue"}:
                break
        self.variables.set(name, held)
        return ended if ended == "return" else None

    def _items(self, words: list[str]) -> Iterator[str]:
        if words[:1] == ["RANGE"]:
            if all(word.isdecimal() for word in words[1:]) and len(words) in {2, 3, 4}:
                bounds = [int(word[:9]) for word in words[1:]]
                start, stop = (0, bounds[0]) if len(bounds) == 1 else bounds[:2]
                step = bounds[2] if len(bounds) > 2 else 1
                yield from map(str, range(start, stop + 1, step or 1)[:_MOST_TRIPS])
            return
        items: list[str] = []
        if words[:1] == ["IN"]:
            kind = ""
            for word in words[1:]:
                if word in {"LISTS", "ITEMS", "ZIP_LISTS"}:
                    kind = word
                elif kind == "LISTS":
                    items += elements(self.variables.get(word) or "")
                else:
                    items.append(word)
        else:
            items = words
        if len(items) > _MOST_TRIPS:
            self.limits[f"a loop runs more than {_MOST_TRIPS} times"] = None
        yield from items[:_MOST_TRIPS]

    # ---- Commands and routines

    def _command(self, command: CMakeCommand) -> str | None:
        name = command.name
        if name in {"return", "break", "continue"}:
            # Where nobody knows whether it is reached, it is not: the file is compiled.
            return None if self._uncertain_here() else name
        words = self.variables.arguments(command.arguments)
        if name in self._routines:
            self._call(self._routines[name], words)
        elif name == "include":
            self._include(words)
        elif name == "add_subdirectory":
            self._subfolder(words)
        elif name == "cmake_language" and words[:1] == ["CALL"] and len(words) > 1:
            rest = tuple(CMakeArgument(word, quoted=True, literal=True) for word in words[2:])
            return self._command(CMakeCommand(words[1].lower(), rest)) if self.step() else None
        elif name in HANDLERS:
            HANDLERS[name](self, words)
        else:
            self.unknown(words)
        return None

    def _uncertain_here(self) -> bool:
        return self.when != self.here.when

    def _define(self, opener: CMakeCommand, body: list[Node]) -> None:
        words = self.variables.arguments(opener.arguments)
        if words:
            name, *names = words
            self._routines[name.lower()] = _Routine(tuple(names), body, opener.name == "macro")

    def _call(self, routine: _Routine, words: list[str]) -> None:
        named = dict(zip(routine.names, words, strict=False))
        named |= {f"ARGV{at}": word for at, word in enumerate(words[:20])}
        named["ARGC"] = str(len(words))
        named["ARGV"] = ";".join(words)
        named["ARGN"] = ";".join(words[len(routine.names) :])
        if routine.is_macro:
            self._run([_replaced(node, named) for node in routine.body])
            return
        scope = self.variables.scope
        if scope.depth >= _MOST_NESTED:
            return
        self.variables.scope = CMakeScope(scope)
        for name, value in named.items():
            self.variables.set(name, value)
        self._run(routine.body)
        self.variables.scope = scope


def _replaced(node: Node, named: dict[str, str]) -> Node:
    """A macro's command with its arguments put in the place of their names."""
    if isinstance(node, CMakeCommand):
        return CMakeCommand(
            node.name, tuple(_replaced_argument(each, named) for each in node.arguments)
        )
    return CommandBlock(
        tuple(
            (
                CMakeCommand(
                    opener.name, tuple(_replaced_argument(a, named) for a in opener.arguments)
                ),
                [_replaced(each, named) for each in body],
            )
            for opener, body in node.clauses
        )
    )


def _replaced_argument(argument: CMakeArgument, named: dict[str, str]) -> CMakeArgument:
    if argument.literal or "${" not in argument.text:
        return argument
    text = _MACRO_ARGUMENT.sub(lambda found: named.get(found[1], found[0]), argument.text)
    return CMakeArgument(text, argument.quoted)
