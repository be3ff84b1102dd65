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
from dataclasses import replace
from pathlib import Path, PurePosixPath

from roofline_parsers.preprocess.compile_flags import CompileFlags, common_flags, parse_flags
from roofline_parsers.preprocess.makefile_functions import FUNCTIONS
from roofline_parsers.preprocess.makefile_rules import (
    COMPILERS,
    RUNNING,
    MakeRule,
    compiles,
    goal,
    joined,
    makes_object,
    reachable,
)
from roofline_parsers.preprocess.result import Reader

_ASSIGNMENT = re.compile(
    r"\s*(?:(?:override|export|private)\s+)*([A-Za-z_][\w.-]*)\s*(=|:{1,3}=|\?=|\+=)\s*(.*)",
    re.DOTALL,
)
_INCLUDE = re.compile(r"\s*(?:-|s)?include\s+(.+)")
_CONDITION = re.compile(r"\s*(?:else\s+)?(ifeq|ifneq|ifdef|ifndef)\b\s*(.*)", re.DOTALL)
_REFERENCE = re.compile(r"\$(?:\$|\(([^()${}]*)\)|\{([^(){}$]*)\}|([A-Za-z@<^?*+%|]))")
_SUBSTITUTION = re.compile(r"([\w.-]+):([^=]*)=(.*)", re.DOTALL)
_DEFAULTS = {"CC": "cc", "CXX": "g++", "MAKE": "make"}
_IMPLICIT = {
    ".c": "$(CC) $(CFLAGS) $(CPPFLAGS) -c",
    **dict.fromkeys((".cc", ".cpp", ".C"), "$(CXX) $(CXXFLAGS) $(CPPFLAGS) -c"),
}
"""What make runs where no rule makes an object file."""
_FLAG_VARIABLES = ("DEFINES", "DEFS", "INCLUDES", "INC")
"""Variables with flags, besides those whose names end with ``FLAGS``."""
_SOURCES = (".cu", ".cpp", ".cc", ".cxx", ".c", ".C", ".hip")
_HEADERS = (".h", ".hh", ".hpp", ".hxx", ".cuh")
_GENERATED = b"# CMAKE generated file"
_MAX_TEXT = 1 << 16
"""The longest line, value or expansion."""
_MAX_STEPS = 2000
"""References that one expansion replaces."""
_MAX_ALL_STEPS = 50_000
"""References that are replaced for one Makefile."""
_MAX_BYTES = 1 << 20
_MAX_RULES = 4000
_MAX_COMMANDS = 500
"""The most commands of a build that are looked at."""
_MAX_INCLUDES = 32
"""Files that one Makefile includes, directly or not: it may include itself."""


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
    return Makefile(text, directory, reader).flags(source_name)


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
    makefile = Makefile(text, directory, reader)
    own = {name: makefile.own_flags(name) for name in source_names}
    return {name: found.defines for name, found in own.items() if found is not None}


def _split(command: str) -> list[str]:
    try:
        return shlex.split(command)
    except ValueError:
        return command.split()


class Makefile:
    """A Makefile that was read. Nothing that it says makes this raise."""

    def __init__(self, text: bytes, directory: Path, reader: Reader | None) -> None:
        """``include`` is relative to ``directory``, the folder that make runs in."""
        self.limits: dict[str, None] = {}
        """What was not read because there was too much of it, in words; usually nothing."""
        self._directory = directory
        self._reader = reader
        self._includes = 0
        self._steps = 0
        self._named: dict[str, list[tuple[str, MakeRule]]] | None = None
        """The sources that rules need or name, by the last part of their paths."""
        self._variables: dict[str, str] = dict(_DEFAULTS)
        self._of_targets: dict[str, list[tuple[str, str, str]]] = {}
        """Assignments that hold for one target: ``gpu: FLAGS += -DGPU``."""
        self._rules: list[MakeRule] = []
        self._conditions: list[tuple[bool, bool, bool]] = []
        """Of each open ``ifeq``: whether it stands in read text, is read now, was ever read."""
        if not text.startswith(_GENERATED):
            self._read(text)

    # ---- Asking

    def flags(self, source_name: str | None = None) -> CompileFlags:
        """The flags of the rule that compiles a file; without one, what all compilations share.

        The folders of headers that the rules name are searched last: those of another program,
        which another compiler's Makefile names with ``-I``.
        """
        commands = self._compile_commands(source_name)
        found = common_flags([parse_flags(_split(each), self._directory) for each in commands])
        folders = dict.fromkeys((*found.include_dirs, *self._header_folders(source_name)))
        return replace(found, include_dirs=tuple(folders))

    def _header_folders(self, source_name: str | None) -> list[Path]:
        return [
            self._path(word).parent
            for rule in self._chosen_rules(source_name)
            for word in rule.prerequisites
            if word.endswith(_HEADERS) and "/" in word
        ]

    def own_flags(self, source_name: str) -> CompileFlags | None:
        """The flags of a file that a rule of its own compiles; None where there is none.

        Of several commands that which defines most counts.
        """
        flags = [parse_flags(_split(line)) for line in self._own_commands(source_name)]
        return max(flags, key=lambda found: len(found.defines), default=None)

    def names(self, source: Path) -> bool:
        """Whether a rule needs or names a file, by its path."""
        return bool(self._naming(source))

    def rule_flags(self, source: Path) -> CompileFlags | None:
        """The flags of the one rule that compiles a file; None where there is none, or several.

        Rules of the default build go before all others.
        """
        naming = self._naming(source)
        built = {id(rule) for rule in reachable(self._rules)}
        naming = [rule for rule in naming if id(rule) in built] or naming
        calls = [found for rule in naming if (found := self._compiler_calls((rule,)))]
        if len(calls) != 1:
            return None
        return common_flags([parse_flags(_split(each), self._directory) for each in calls[0]])

    def runs(self) -> list[tuple[str, str]]:
        """The commands of targets that run what was built, each after its target's name."""
        found = []
        for rule in self._rules:
            target = next((name for name in rule.targets if RUNNING.fullmatch(name)), None)
            for line in rule.recipe if target is not None else ():
                needed = rule.prerequisites[:1]
                own = line.replace("$<", "".join(needed)).replace("$@", target or "")
                found.append((target or "", self._expanded(rule, own)))
        return found[:_MAX_COMMANDS]

    def _naming(self, source: Path) -> list[MakeRule]:
        if self._named is None:
            self._named = {}
            for rule in self._rules:
                words = self._expanded(rule, " ".join(rule.recipe)[:_MAX_TEXT]).split()
                for word in dict.fromkeys((*rule.prerequisites, *words)):
                    if word.endswith(_SOURCES):
                        name = PurePosixPath(word).name
                        self._named.setdefault(name, []).append((word, rule))
        found = self._named.get(source.name, ())
        return [rule for word, rule in found if self._path(word) == source]

    def builds(self) -> bool:
        """Whether a default build has a command that compiles."""
        return bool(self._compiler_calls(reachable(self._rules)))

    def _path(self, word: str) -> Path:
        return Path(os.path.normpath(self._directory / word))

    # ---- Reading

    def _read(self, text: bytes) -> None:
        """Reads assignments and rules, top to bottom."""
        if len(text) > _MAX_BYTES:
            self.limits[f"it is longer than {_MAX_BYTES >> 20} MiB"] = None
            return
        in_definition = False
        for line in joined(text.decode("utf-8", "replace")):
            if len(line) > _MAX_TEXT:
                self.limits[f"a line is longer than {_MAX_TEXT >> 10} KiB"] = None
                continue
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
        return not self._conditions or self._conditions[-1][1]

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
        self._rule(self.expand(line.strip()))

    def _rule(self, line: str) -> None:
        """``targets: prerequisites; command``, or an assignment for some targets alone."""
        head, colon, rest = line.partition(":")
        rest = rest.removeprefix(":")
        own = _ASSIGNMENT.fullmatch(rest)
        targets = head.split()
        if not colon or not targets or "=" in head:
            return
        if own is not None:
            for target in targets:
                self._of_targets.setdefault(target, []).append((own[1], own[2], own[3]))
            return
        if len(self._rules) >= _MAX_RULES:
            self.limits[f"it has more than {_MAX_RULES} rules"] = None
            return
        needed, semicolon, command = rest.partition(";")
        recipe = [command.strip()] if semicolon else []
        self._rules.append(MakeRule(targets, needed.split(), recipe))

    def _include(self, names: Iterable[str]) -> None:
        for name in names:
            self._includes += 1
            if self._includes > _MAX_INCLUDES:
                self.limits[f"it includes more than {_MAX_INCLUDES} files"] = None
            if self._reader is None or self._includes > _MAX_INCLUDES:
                return
            text = self._reader(self._path(name))
            if text is not None:
                self._read(text)

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
            if not found:
                return text.replace("\0", "$")
            self._steps += 1
            if len(text) > _MAX_TEXT or self._steps > _MAX_ALL_STEPS:
                break
            text = text[: found.start()] + self._reference(found) + text[found.end() :]
        self.limits["its variables are too long"] = None
        return ""

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

    def _compile_commands(self, source_name: str | None) -> list[str]:
        """The commands of a default build that compile; else the usual flag variables."""
        rules = self._chosen_rules(source_name)
        commands = self._compiler_calls(rules)
        compiling = [line for line in commands if makes_object(line)]
        if compiling or commands:
            return compiling or commands
        if any(rule.recipe for rule in rules):
            return []
        names = [name for name in self._variables if _holds_flags(name)]
        return [self.expand(" ".join(f"$({name})" for name in names))] if names else []

    def _own_commands(self, source_name: str) -> list[str]:
        """The commands that compile one file, by a rule for it or a pattern for its suffix.

        Those that compile and link at once are left out: of several programs from the same files
        the first is as good as any.
        """
        name = PurePosixPath(source_name)
        rules = reachable(self._rules)
        by_suffix = [rule for rule in rules if compiles(rule, name.suffix)]
        chosen = self._explicit_rules(rules, name) or by_suffix
        lines = [line for line in self._compiler_calls(chosen) if makes_object(line)]
        if not chosen and name.suffix in _IMPLICIT:
            wanted = {word for rule in rules for word in rule.prerequisites}
            if any(PurePosixPath(word).name == f"{name.stem}.o" for word in wanted):
                lines = [self.expand(_IMPLICIT[name.suffix])]
        return lines

    def _compiler_calls(self, rules: Iterable[MakeRule]) -> list[str]:
        found: list[str] = []
        for rule in rules:
            for line in rule.recipe:
                command = self._expanded(rule, line)
                if COMPILERS.search(f" {command} "):
                    found.append(command)
                if len(found) >= _MAX_COMMANDS:
                    self.limits[f"it compiles with more than {_MAX_COMMANDS} commands"] = None
                    return found
        return found

    def _expanded(self, rule: MakeRule, line: str) -> str:
        """A line of a recipe, with the variables that the default goal and the targets have."""
        own = [
            each
            for name in (*goal(self._rules), *rule.targets)
            for each in self._of_targets.get(name, ())
        ]
        if not own:
            return self.expand(line)
        held = dict(self._variables)
        for name, operator, value in dict.fromkeys(own):
            self._assign(name, operator, value)
        made = self.expand(line)
        self._variables = held
        return made

    def _explicit_rules(self, rules: Iterable[MakeRule], name: PurePosixPath) -> list[MakeRule]:
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

    def _chosen_rules(self, source_name: str | None) -> list[MakeRule]:
        rules = reachable(self._rules)
        if source_name is not None:
            name = PurePosixPath(source_name)
            explicit = self._explicit_rules(rules, name)
            by_suffix = [rule for rule in rules if compiles(rule, name.suffix)]
            return explicit or by_suffix or rules
        return [rule for rule in rules if compiles(rule, ".cu")] or rules


def _holds_flags(name: str) -> bool:
    return (name.endswith("FLAGS") and "LD" not in name) or name in _FLAG_VARIABLES
