"""``roofline-lsp completion``: what a shell needs to complete commands, options and values."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from roofline_lsp.cli.exit_codes import OK
from roofline_lsp.cli.output import write
from roofline_lsp.cli.parsers import CommandOption, CommandTold, commands_told

_BASH: Final = """\
# bash completion of roofline-lsp. To use it:  eval "$(roofline-lsp completion bash)"
_roofline_lsp() {{
    local current=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}}
    local command=${{COMP_WORDS[1]}}
    COMPREPLY=()
    if [ "$COMP_CWORD" -eq 1 ]; then
        COMPREPLY=($(compgen -W {commands} -- "$current") $(compgen -f -- "$current"))
        return
    fi
    case $command in --*) command=check ;; esac
    case "$command $before" in
{values}
    esac
    case $current in
        -*)
            case $command in
{options}
            esac
            ;;
        *)
            case $command in
{positionals}
                *) COMPREPLY=($(compgen -f -- "$current")) ;;
            esac
            ;;
    esac
}}
complete -o filenames -F _roofline_lsp roofline-lsp
"""
_ZSH: Final = """\
#compdef roofline-lsp
# zsh completion of roofline-lsp. To use it:  eval "$(roofline-lsp completion zsh)"
_roofline_lsp() {{
    local -a commands
    commands=(
{commands}
    )
    if (( CURRENT == 2 )); then
        _describe command commands
        _files
        return
    fi
    local command=${{words[2]}}
    [[ $command == --* ]] && command=check
    shift words
    (( CURRENT -= 1 ))
    case $command in
{cases}
        *) _files ;;
    esac
}}
compdef _roofline_lsp roofline-lsp
"""


def parser() -> argparse.ArgumentParser:
    """The options of the command."""
    made = argparse.ArgumentParser(
        prog="roofline-lsp completion",
        description="Print a script with which a shell completes commands, options and values.",
        epilog='examples:\n  eval "$(roofline-lsp completion bash)"       in ~/.bashrc\n'
        '  eval "$(roofline-lsp completion zsh)"        in ~/.zshrc, after compinit\n'
        "  roofline-lsp completion fish > ~/.config/fish/completions/roofline-lsp.fish",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    made.add_argument("shell", choices=tuple(_SHELLS))
    return made


def run(argv: Sequence[str]) -> int:
    """Print it, and return the exit code."""
    write(_SHELLS[parser().parse_args(argv).shell](commands_told()))
    return OK


# ---- bash


def _bash(commands: Sequence[CommandTold]) -> str:
    return _BASH.format(
        commands=shlex.quote(" ".join(each.name for each in commands)),
        values="\n".join(_bash_values(commands)),
        options="\n".join(
            f"                {each.name}) COMPREPLY=($(compgen -W"
            f' {shlex.quote(" ".join(_names(each)))} -- "$current")) ;;'
            for each in commands
        ),
        positionals="\n".join(
            f"                {each.name}) COMPREPLY=($(compgen -W"
            f' {shlex.quote(" ".join(choices))} -- "$current")) ;;'
            for each in commands
            if (choices := _choices(each))
        ),
    )


def _bash_values(commands: Sequence[CommandTold]) -> Iterator[str]:
    for command in commands:
        for option in command.options:
            if not option.value:
                continue
            patterns = "|".join(f'"{command.name} {name}"' for name in option.names)
            if option.choices:
                words = shlex.quote(" ".join(option.choices))
                reply = f'COMPREPLY=($(compgen -W {words} -- "$current"))'
            elif option.is_path:
                reply = 'COMPREPLY=($(compgen -f -- "$current"))'
            else:
                reply = ":"
            yield f"        {patterns}) {reply}; return ;;"


# ---- zsh


def _zsh(commands: Sequence[CommandTold]) -> str:
    return _ZSH.format(
        commands="\n".join(f"        {_quoted(each.name, each.what)}" for each in commands),
        cases="\n".join(
            f"        {each.name}) _arguments {' '.join(_zsh_arguments(each))} ;;"
            for each in commands
        ),
    )


def _zsh_arguments(command: CommandTold) -> Iterator[str]:
    for option in command.options:
        text = option.help.replace("[", "(").replace("]", ")").replace(":", ";")
        for name in option.names:
            action = ""
            if option.choices:
                action = f":value:({' '.join(option.choices)})"
            elif option.value:
                action = ":value:_files" if option.is_path else ":value: "
            yield shlex.quote(f"*{name}[{text}]{action}")
    choices = _choices(command)
    yield shlex.quote(f"*:what:({' '.join(choices)})" if choices else "*:file:_files")


def _quoted(name: str, what: str) -> str:
    return shlex.quote(f"{name}:{what}")


# ---- fish


def _fish(commands: Sequence[CommandTold]) -> str:
    lines = ["# fish completion of roofline-lsp"]
    for command in commands:
        lines.append(
            f"complete -c roofline-lsp -n __fish_use_subcommand -a {command.name}"
            f" -d {shlex.quote(command.what)}"
        )
        seen = f"'__fish_seen_subcommand_from {command.name}'"
        lines += [_fish_option(option, seen) for option in command.options]
        choices = _choices(command)
        if choices:
            lines.append(
                f"complete -c roofline-lsp -n {seen} -f -a {shlex.quote(' '.join(choices))}"
            )
    return "\n".join(lines) + "\n"


def _fish_option(option: CommandOption, seen: str) -> str:
    names = " ".join(
        f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}" for name in option.names
    )
    value = ""
    if option.choices:
        value = f" -x -a {shlex.quote(' '.join(option.choices))}"
    elif option.value:
        value = " -r" if option.is_path else " -x"
    return f"complete -c roofline-lsp -n {seen} {names}{value} -d {shlex.quote(option.help)}"


def _names(command: CommandTold) -> list[str]:
    return [name for option in command.options for name in option.names]


def _choices(command: CommandTold) -> tuple[str, ...]:
    return tuple(choice for _, _, choices in command.positionals for choice in choices)


_SHELLS: Final[Mapping[str, Callable[[Sequence[CommandTold]], str]]] = {
    "bash": _bash,
    "zsh": _zsh,
    "fish": _fish,
}
