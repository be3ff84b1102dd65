"""``roofline-lsp manual``: the manual page, made from the parsers."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence

from roofline_lsp.cli.exit_codes import OK
from roofline_lsp.cli.main import EXIT_CODES
from roofline_lsp.cli.output import write
from roofline_lsp.cli.parsers import CommandTold, commands_told
from roofline_lsp.formats.tool import tool_version

_EXAMPLES = (
    ("roofline-lsp check src --gpu A100", "judge the kernels below src for an A100"),
    ('roofline-lsp check main.cu --args "4096 100"', "with the program's command line"),
    ("roofline-lsp check . --diff", "what the quick fixes of findings would change"),
    ("roofline-lsp explain src/gemm.cu:gemm_tiled", "why a kernel has its class"),
    ("roofline-lsp sweep gemm.cu n=256..8192", "class and time over a size"),
)


def parser() -> argparse.ArgumentParser:
    """The options of the command."""
    return argparse.ArgumentParser(
        prog="roofline-lsp manual",
        description="Print the manual page, as man reads it.",
        epilog="example: roofline-lsp manual > ~/.local/share/man/man1/roofline-lsp.1",
        allow_abbrev=False,
    )


def run(argv: Sequence[str]) -> int:
    """Print it, and return the exit code."""
    parser().parse_args(argv)
    write(manual(commands_told()))
    return OK


def manual(commands: Sequence[CommandTold]) -> str:
    """The page in the macros of man."""
    return "\n".join(_page(commands)) + "\n"


def _page(commands: Sequence[CommandTold]) -> Iterator[str]:
    check = commands[0]
    yield f'.TH ROOFLINE-LSP 1 "" "roofline-lsp {_escaped(tool_version())}"'
    yield ".SH NAME"
    yield r"roofline-lsp \- tells whether GPU kernels are compute-bound or bandwidth-bound"
    yield ".SH SYNOPSIS"
    for usage in ("check PATH... [options]", "COMMAND [options]", "[--stdio]"):
        yield f".B roofline-lsp\n{_escaped(usage)}\n.br"
    yield ".SH DESCRIPTION"
    yield _escaped(check.description)
    yield ".SH COMMANDS"
    for command in commands:
        yield f".TP\n.B {_escaped(command.name)}\n{_escaped(command.what)}"
    yield ".SH OPTIONS OF CHECK"
    yield from _options(check)
    for command in commands[1:]:
        yield f'.SH "OPTIONS OF {command.name.upper()}"'
        yield _escaped(command.description)
        for name, text, _ in command.positionals:
            yield f".TP\n.I {_escaped(name)}\n{_escaped(text)}"
        yield from _options(command)
    yield ".SH EXIT STATUS"
    for code, what in EXIT_CODES:
        yield f".TP\n.B {code}\n{_escaped(what)}"
    yield ".SH EXAMPLES"
    for line, what in _EXAMPLES:
        yield f".TP\n.B {_escaped(line)}\n{_escaped(what)}"
    yield ".SH FILES"
    yield ".TP\n.I roofline.toml\nsettings of its folder; roofline\\-lsp init writes one"


def _options(command: CommandTold) -> Iterator[str]:
    for option in command.options:
        value = f" {option.value}" if option.value else ""
        names = ", ".join(f"{name}{value}" for name in option.names)
        yield f".TP\n.B {_escaped(names)}\n{_escaped(option.help)}"


def _escaped(text: str) -> str:
    """Text that troff shows as it stands, on one line that begins no request."""
    line = " ".join(text.replace("\\", "\\e").replace("-", "\\-").split())
    return f"\\&{line}" if line[:1] in (".", "'") else line
