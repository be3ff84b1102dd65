"""``roofline-lsp completion``: what a shell needs to complete commands, options and values."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from roofline_lsp.cli.exit_codes import OK
from roofline_lsp.cli.output import write
from roofline_lsp.cli.parsers import MODES, CommandOption, CommandTold, commands_told

_BASH: Final = """\
# bash completion of roofline-lsp. To use it:  eval "$(roofline-lsp completion bash)"
_roofline_lsp() {{
    local current=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}}
    local command=${{COMP_WORDS[1]}}
    COMPREPLY=()
    if [ "$COMP_CWORD" -eq 1 ]; then
        case $current in
            -*) COMPREPLY=($(compgen -W {first} -- "$current")) ;;
            *) COMPREPLY=($(compgen -W {commands} -- "$current") $(compgen -f -- "$current")) ;;
        esac
        return
    fi
    # Of an option with = bash makes three words.
    if [ "$current" = = ]; then
        current=
    elif [ "$before" = = ]; then
        before=${{COMP_WORDS[COMP_CWORD-2]}}
    fi
    case $command in
        {modes}) command=${{command#--}} ;;
        -*) command=check ;;
    esac
    case "$command $before" in
{values}
    esac
    case $current in
        -*)
            case $command in
{options}
            esac
            return
            ;;
    esac
    if [ "$COMP_CWORD" -eq 2 ]; then
        case $command in
{positionals}
        esac
    fi
    case $command in
        {no_files}) ;;
        *) COMPREPLY=($(compgen -f -- "$current")) ;;
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
    local command=${{words[2]}}
    if (( CURRENT == 2 )) && [[ $command != -* ]]; then
        _describe command commands
        _files
        return
    fi
    case $command in
        {modes}) (( CURRENT == 2 )) || command=${{command#--}} ;;
    esac
    if [[ $command != -* ]]; then
        shift words
        (( CURRENT -= 1 ))
    fi
    case $command in
        -*) _arguments {first} ;;
{cases}
        *) _files ;;
    esac
}}
compdef _roofline_lsp roofline-lsp
"""
_FISH: Final = """\
# fish completion of roofline-lsp
function __roofline_lsp_command
    set -l words (commandline -opc)
    test (count $words) -ge 2; or return
    switch $words[2]
        case {modes}
            string sub --start 3 -- $words[2]
        case '-*'
            echo check
        case '*'
            echo $words[2]
    end
end
function __roofline_lsp_is
    set -l command (__roofline_lsp_command)
    contains -- "$command" $argv
end
function __roofline_lsp_begins
    __roofline_lsp_is $argv; and test (count (commandline -opc)) -eq 2
end
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
        first=shlex.quote(" ".join([*_MODES, *_names(_check(commands))])),
        modes=" | ".join(_MODES),
        values="\n".join(_bash_values(commands)),
        options="\n".join(
            f"                {each.name}) {_bash_words(_names(each))} ;;" for each in commands
        ),
        positionals="\n".join(
            f"            {each.name}) {_bash_words(choices)}; return ;;"
            for each in commands
            if (choices := _choices(each))
        ),
        no_files=" | ".join(each.name for each in commands if not each.takes_files),
    )


def _bash_words(words: Sequence[str]) -> str:
    return f'COMPREPLY=($(compgen -W {shlex.quote(" ".join(words))} -- "$current"))'


def _bash_values(commands: Sequence[CommandTold]) -> Iterator[str]:
    for command in commands:
        for option in command.options:
            if not option.value:
                continue
            patterns = "|".join(f'"{command.name} {name}"' for name in option.names)
            if option.choices:
                reply = _bash_words(option.choices)
            elif option.is_path:
                reply = 'COMPREPLY=($(compgen -f -- "$current"))'
            else:
                reply = ":"
            yield f"        {patterns}) {reply}; return ;;"


# ---- zsh


def _zsh(commands: Sequence[CommandTold]) -> str:
    return _ZSH.format(
        commands="\n".join(f"        {_quoted(each.name, each.what)}" for each in commands),
        modes=" | ".join(_MODES),
        first=" ".join(
            [
                *(shlex.quote(f"{name}[{what}]") for name, what in _MODES.items()),
                *_zsh_arguments(_check(commands)),
            ]
        ),
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
            # Its value is the next word or follows, after = where the name is a word.
            follows = "" if not option.value else "=" if name.startswith("--") else "+"
            yield shlex.quote(f"*{name}{follows}[{text}]{action}")
    choices = _choices(command)
    if choices:
        yield shlex.quote(f"1:what:({' '.join(choices)})")
    yield shlex.quote("*:file:_files" if command.takes_files else "*:: :")


def _quoted(name: str, what: str) -> str:
    return shlex.quote(f"{name}:{what}")


# ---- fish


def _fish(commands: Sequence[CommandTold]) -> str:
    lines = [_fish_line("''", f"-l {name[2:]}", what) for name, what in _MODES.items()]
    for command in commands:
        lines.append(_fish_line("''", f"-a {command.name}", command.what))
        seen = "check ''" if command.name == "check" else command.name
        lines += [_fish_option(option, seen) for option in command.options]
        choices = _choices(command)
        if choices:
            words = shlex.quote(" ".join(choices))
            lines.append(_fish_line(command.name, f"-f -a {words}", asks="begins"))
        if not command.takes_files:
            lines.append(_fish_line(command.name, "-f"))
    return _FISH.format(modes=" ".join(_MODES)) + "\n".join(lines) + "\n"


def _fish_line(commands: str, what: str, told: str = "", *, asks: str = "is") -> str:
    condition = shlex.quote(f"__roofline_lsp_{asks} {commands}")
    description = f" -d {shlex.quote(told)}" if told else ""
    return f"complete -c roofline-lsp -n {condition} {what}{description}"


def _fish_option(option: CommandOption, commands: str) -> str:
    names = " ".join(
        f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}" for name in option.names
    )
    value = ""
    if option.choices:
        value = f" -x -a {shlex.quote(' '.join(option.choices))}"
    elif option.value:
        value = " -r" if option.is_path else " -x"
    return _fish_line(commands, f"{names}{value}", option.help)


# ---- all of them


def _check(commands: Sequence[CommandTold]) -> CommandTold:
    """The command whose options stand without a command, too."""
    return next(each for each in commands if each.name == "check")


def _names(command: CommandTold) -> list[str]:
    return [name for option in command.options for name in option.names]


def _choices(command: CommandTold) -> tuple[str, ...]:
    return tuple(choice for _, _, choices in command.positionals for choice in choices)


_MODES: Final[Mapping[str, str]] = {f"--{name}": what for name, what in MODES.items()}
_SHELLS: Final[Mapping[str, Callable[[Sequence[CommandTold]], str]]] = {
    "bash": _bash,
    "zsh": _zsh,
    "fish": _fish,
}
