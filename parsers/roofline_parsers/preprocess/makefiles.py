"""Macros and folders that a plain Makefile passes to the compiler in a default build.

Only what a small, hand-written Makefile holds is understood: assignments, ``$(VAR)``, a few text
functions, ``ifeq`` and its kin, ``include``, rules. Nothing is run; what is included comes from the
caller's ``reader``.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from roofline_parsers.preprocess.compile_flags import CompileFlags, common_flags, parse_flags
from roofline_parsers.preprocess.makefile_functions import FUNCTIONS
from roofline_parsers.preprocess.result import Reader

_ASSIGNMENT = re.compile(
    r"\s*(?:(?:override|export|private)\s+)*([A-Za-z_][\w.-]*)\s*(=|:{1,3}=|\?=|\+=)\s*(.*)",
    re.DOTALL,
)
_INCLUDE = re.compile(r"\s*(?:-|s)?include\s+(.+)")
_RULE = re.compile(r"([^:=#]+?)\s*::?(?!=)\s*([^;=]*)(?:;(.*))?$", re.DOTALL)
_CONDITION = re.compile(r"\s*(?:else\s+)?(ifeq|ifneq|ifdef|ifndef)\b\s*(.*)", re.DOTALL)
_REFERENCE = re.compile(r"\$(?:\$|\(([^()${}]*)\)|\{([^(){}$]*)\}|([A-Za-z@<^?*+%|]))")
_SUBSTITUTION = re.compile(r"([\w.-]+):([^=]*)=(.*)", re.DOTALL)
_COMPILERS = re.compile(
    r"(?:^|[\s/@-])(?:nvcc|hipcc|mpicxx|mpic\+\+|mpicc|(?:amd)?clang(?:\+\+)?|g\+\+|gcc|cc|c\+\+|icpx|icc|"
    r"nvc(?:\+\+)?|CC)(?:-[\d.]+)?(?=\s)"
)
_DEFAULTS = {"CC": "cc", "CXX": "g++", "MAKE": "make"}
_SOURCE_SUFFIXES = (".cu", ".cpp", ".cc", ".cxx", ".c", ".hip")
_MAX_TEXT = 1 << 16
_MAX_STEPS = 2000
_MAX_INCLUDES = 32
"""Files that one Makefile includes, directly or not: it may include itself."""


@dataclass(slots=True)
class _Rule:
    targets: list[str]
    prerequisites: list[str]
    recipe: list[str] = field(default_factory=list)


def makefile_hints(
    text: bytes,
    directory: Path = Path(),
    source_name: str | None = None,
    reader: Reader | None = None,
) -> CompileFlags:
    """The flags that ``make`` without arguments would compile with.

    Relative folders are taken relative to ``directory``. With ``source_name`` (``main.cu``), the
    rule that compiles that file counts; without, the defines that all compilations share. Gives
    empty flags for a Makefile that it does not understand.
    """
    makefile = _Makefile.of(text, directory, reader)
    commands = makefile.compile_commands(source_name)
    return common_flags([parse_flags(_split(command), directory) for command in commands])


def makefile_defines(
    text: bytes,
    source_names: Iterable[str],
    directory: Path = Path(),
    reader: Reader | None = None,
) -> dict[str, tuple[tuple[str, str], ...]]:
    """The defines of files (``haar.cu``) that rules of their own compile, by name.

    Of a file that is compiled several times, the command that defines most counts: a program
    built for host and device says ``-DGPU`` in one of them.
    """
    makefile = _Makefile.of(text, directory, reader)
    result = {}
    for name in source_names:
        flags = [parse_flags(_split(line)) for line in makefile.own_commands(name)]
        if flags:
            result[name] = max((found.defines for found in flags), key=len)
    return result


def _split(command: str) -> list[str]:
    try:
        return shlex.split(command)
    except ValueError:
        return command.split()


class _Makefile:
    def __init__(self, directory: Path, reader: Reader | None) -> None:
        self._directory = directory
        self._reader = reader
        self._includes = 0
        self._variables: dict[str, str] = dict(_DEFAULTS)
        self._rules: list[_Rule] = []
        self._conditions: list[tuple[bool, bool, bool]] = []
        """Of each open ``ifeq``: whether it stands in read text, is read now, was ever read."""

    @classmethod
    def of(cls, text: bytes, directory: Path, reader: Reader | None) -> _Makefile:
        """The Makefile of a text; ``include`` is relative to the folder that make runs in."""
        makefile = cls(directory, reader)
        makefile.read(text.decode("utf-8", "replace"))
        return makefile

    # ---- Reading

    def read(self, text: str) -> None:
        """Reads assignments and rules, top to bottom."""
        in_definition = False
        for line in re.sub(r"[ \t]*\\\r?\n[ \t]*", " ", text).splitlines():
            if in_definition or re.match(r"\s*define\b", line):
                in_definition = not re.match(r"\s*endef\b", line)
                continue
            recipe = line.startswith("\t")
            if not recipe or not self._rules:
                line = re.sub(r"(?<!\\)#.*", "", line)  # noqa: PLW2901
            if self._directive(line.strip()) or not self._reading:
                continue
            if recipe and self._rules:
                self._rules[-1].recipe.append(line.strip())
            elif line.strip():
                self._statement(line)

    @property
    def _reading(self) -> bool:
        return all(condition[1] for condition in self._conditions)

    def _directive(self, line: str) -> bool:
        """Handles a conditional's line; False if it is none."""
        found = _CONDITION.match(line)
        word = line.split(" ", 1)[0]
        if word == "endif":
            if self._conditions:
                self._conditions.pop()
        elif word == "else" and self._conditions:
            outer, _, taken = self._conditions.pop()
            now = outer and not taken and (found is None or self._holds(found[1], found[2]))
            self._conditions.append((outer, now, taken or now))
        elif found and word != "else":
            outer = self._reading
            now = outer and self._holds(found[1], found[2])
            self._conditions.append((outer, now, now))
        else:
            return False
        return True

    def _holds(self, keyword: str, text: str) -> bool:
        if keyword.endswith("def"):
            value = self._variables.get(self.expand(text).strip(), "")
            return bool(value) == (keyword == "ifdef")
        text = text.strip()
        if text[:1] == "(":
            left, _, right = text[1:].rpartition(")")[0].partition(",")
        else:
            words = re.findall(r"\"([^\"]*)\"|'([^']*)'", text)
            left, right = ("".join(word) for word in (*words, ("", ""), ("", ""))[:2])
        return (self.expand(left).strip() == self.expand(right).strip()) == (keyword == "ifeq")

    def _statement(self, line: str) -> None:
        included = _INCLUDE.fullmatch(line)
        if included:
            self._include(self.expand(included[1]).split())
            return
        assignment = _ASSIGNMENT.fullmatch(line)
        if assignment:
            self._assign(*assignment.group(1, 2, 3))
            return
        rule = _RULE.fullmatch(self.expand(line.strip()))
        if rule:
            recipe = [rule[3].strip()] if rule[3] else []
            self._rules.append(_Rule(rule[1].split(), rule[2].split(), recipe))

    def _include(self, names: Iterable[str]) -> None:
        for name in names:
            self._includes += 1
            if self._reader is None or self._includes > _MAX_INCLUDES:
                return
            text = self._reader(Path(os.path.normpath(self._directory / name)))
            if text is not None:
                self.read(text[:_MAX_TEXT].decode("utf-8", "replace"))

    def _assign(self, name: str, operator: str, value: str) -> None:
        value = value.strip()
        if operator == "+=":
            self._variables[name] = f"{self._variables.get(name, '')} {value}".strip()[:_MAX_TEXT]
        elif operator == "=":
            self._variables[name] = value
        elif operator != "?=":
            self._variables[name] = self.expand(value)
        elif name not in self._variables:
            self._variables[name] = value

    # ---- Expansion

    def expand(self, text: str) -> str:
        """Replaces references, innermost first; unknown variables and functions are empty."""
        for _ in range(_MAX_STEPS):
            found = _REFERENCE.search(text)
            if not found or len(text) > _MAX_TEXT:
                break
            text = text[: found.start()] + self._reference(found) + text[found.end() :]
        return text.replace("\0", "$")

    def _reference(self, found: re.Match[str]) -> str:
        if found[0] == "$$":
            return "\0"
        inner = found[1] or found[2] or found[3] or ""
        function, _, rest = inner.partition(" ")
        if function in FUNCTIONS and rest:
            return FUNCTIONS[function]([part.strip() for part in rest.split(",")])
        substitution = _SUBSTITUTION.fullmatch(inner)
        if substitution:
            words = self._variables.get(substitution[1], "")
            old, new = substitution[2], substitution[3]
            if "%" not in old:
                old, new = f"%{old}", f"%{new}"
            return FUNCTIONS["patsubst"]([old, new, self.expand(words)])
        value = self._variables.get(inner, "")
        return "" if re.search(rf"\$[({{]{re.escape(inner)}[)}}]", value) else value

    # ---- Rules

    def compile_commands(self, source_name: str | None) -> list[str]:
        """The commands of a default build that compile; else the usual flag variables."""
        rules = self._chosen_rules(source_name)
        commands = self._compiler_calls(rules)
        compiling = [line for line in commands if _makes_object(line)]
        if compiling or commands:
            return compiling or commands
        if any(rule.recipe for rule in rules):
            return []
        names = [name for name in self._variables if name.endswith("FLAGS") and "LD" not in name]
        return [self.expand(" ".join(f"$({name})" for name in names))] if names else []

    def own_commands(self, source_name: str) -> list[str]:
        """The commands that compile one file, by a rule for it or a pattern for its suffix.

        Those that compile and link at once are left out: of several programs from the same files
        the first is as good as any.
        """
        name = PurePosixPath(source_name)
        rules = self._reachable_rules()
        by_suffix = [rule for rule in rules if _compiles(rule, name.suffix)]
        lines = self._compiler_calls(self._explicit_rules(rules, name) or by_suffix)
        return [line for line in lines if _makes_object(line)]

    def _compiler_calls(self, rules: Iterable[_Rule]) -> list[str]:
        commands = [self.expand(line) for rule in rules for line in rule.recipe]
        return [line for line in commands if _COMPILERS.search(f" {line} ")]

    def _explicit_rules(self, rules: Iterable[_Rule], name: PurePosixPath) -> list[_Rule]:
        """Rules that make something of one file, which they need or name in their recipe."""
        return [
            rule
            for rule in rules
            if rule.recipe
            and any(
                PurePosixPath(word).name == name.name
                for word in (*rule.prerequisites, *self.expand(" ".join(rule.recipe)).split())
            )
        ]

    def _chosen_rules(self, source_name: str | None) -> list[_Rule]:
        rules = self._reachable_rules()
        if source_name is not None:
            name = PurePosixPath(source_name)
            explicit = self._explicit_rules(rules, name)
            by_suffix = [rule for rule in rules if _compiles(rule, name.suffix)]
            return explicit or by_suffix or rules
        return [rule for rule in rules if _compiles(rule, ".cu")] or rules

    def _reachable_rules(self) -> list[_Rule]:
        """The default goal's rule, those of all it depends on, and pattern rules."""
        ordinary = [rule for rule in self._rules if not rule.targets[0].startswith(".")]
        wanted = set(ordinary[0].targets[:1]) if ordinary else set()
        reached: list[_Rule] = []
        growing = True
        while growing:
            growing = False
            for rule in self._rules:
                pattern = any("%" in t or t.startswith(".c") for t in rule.targets)
                if rule not in reached and (pattern or wanted.intersection(rule.targets)):
                    reached.append(rule)
                    wanted.update(rule.prerequisites)
                    growing = True
        return reached


def _makes_object(line: str) -> bool:
    return " -c " in f" {line} " or " -dc " in f" {line} "


def _compiles(rule: _Rule, suffix: str) -> bool:
    """Whether a pattern rule makes something from files with the suffix."""
    return bool(rule.recipe) and any(
        name.endswith(f"%{suffix}") or name.startswith(f"{suffix}.")
        for name in (*rule.prerequisites, *rule.targets)
    )
