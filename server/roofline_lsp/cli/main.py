"""The entry point: picks the command."""

from __future__ import annotations

import argparse
import importlib
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from roofline_core.program.errors import RooflineError
from roofline_core.settings import nearest
from roofline_lsp.cli.check_options import add_check_options
from roofline_lsp.cli.exit_codes import OK
from roofline_lsp.cli.guarding import guarded
from roofline_lsp.cli.guesses import (
    AS_OPTIONS,
    HelpfulParser,
    as_options,
    asks_for_help,
    paths_first,
)
from roofline_lsp.cli.options import (
    add_judging_options,
    analysis_layer,
)

COMMANDS: Mapping[str, str] = {
    "advise": "ask a language model how to make a kernel faster",
    "cache": "tell what is kept of a language model's replies, or forget it",
    "compare": "compare variants of a kernel: files, Git revisions or functions",
    "completion": "print what bash, zsh or fish needs to complete commands and options",
    "doctor": "tell what a report of a fault should say: versions, settings, last internal errors",
    "evaluate": "compare predictions with measured kernels",
    "explain": "tell step by step how the class of a kernel comes about",
    "gpus": "list the GPUs that kernels can be judged for",
    "import": "keep the measurements of profilers' reports beside the project",
    "init": "write a roofline.toml that explains every setting, and files for CI",
    "manual": "print the manual page, for man",
    "prompt": "show what would be sent to a language model about a kernel",
    "rules": "list the rules that find what could be faster, or explain one",
    "schema": "print a JSON Schema: of reports, or of what another command prints",
    "study": "make data sets, and the tables of papers again: `study --help` lists them",
    "sweep": "tell class and time of a kernel over a size, an argument, a block, or GPUs",
}
"""Each is a module of this package with ``parser()`` and ``run(argv)``; the values are for help."""

MODULES_BY_COMMAND: Mapping[str, str] = {"import": "import_reports"}
"""The module of a command whose name is a word of Python."""

MODES: Mapping[str, str] = {"--validate": "validate", "--profile": "profile"}
"""Options that choose a command with options of its own, and its module."""

EXIT_CODES = (
    ("0", "checked, and everything was read in full"),
    (
        "1",
        "checked, but a file could not be read in full, a contract is not kept, or --fail-on met",
    ),
    ("2", "nothing could be done: wrong usage or settings, unknown GPU, no file to check"),
    ("130", "ended by Ctrl-C"),
)
EPILOG = """\
examples:
  roofline-lsp check .                              every kernel below this folder
  roofline-lsp check main.cu --args "4096 100"      with the program's command line
  roofline-lsp check . --diff                       what quick fixes would change
  roofline-lsp explain main.cu:saxpy                why

commands:
  check      judge kernels and look for what could be faster: the options above
  validate   hold measurements against predictions
  profile    run a program under a profiler, or emulate it
{commands}
  roofline-lsp COMMAND --help tells the options of one

exit codes:
{codes}
"""


class UsageError(RooflineError):
    """A command line that asks for nothing known."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line (None: this process's) and return the exit code.

    Without arguments, or with ``--stdio``, serves the language server protocol.
    """
    given = list(sys.argv[1:] if argv is None else argv)
    return guarded(lambda: _dispatch(given))


def _dispatch(given: list[str]) -> int:
    if given and given[0] in COMMANDS:
        module = MODULES_BY_COMMAND.get(given[0], given[0])
        run = importlib.import_module(f"roofline_lsp.cli.{module}").run
        return int(run(given[1:]))
    given = as_options(given)
    # What follows `--` is a program's own command line.
    own = given[: given.index("--")] if "--" in given else given
    for option, module in MODES.items():
        if option in own:
            run = importlib.import_module(f"roofline_lsp.cli.{module}").run
            return int(run(given))
    if given and not given[0].startswith("-"):
        raise UsageError(_unknown_command(given[0]))
    if asks_for_help(own) or (not given and _at_terminal()):
        parser().print_help()
        return OK
    options = parser().parse_args(paths_first(given, parser()))
    if options.version:
        from roofline_lsp.formats.tool import tool_version  # noqa: PLC0415

        print(f"roofline-lsp {tool_version()}")
        return OK
    if options.explain is not None:
        from roofline_lsp.cli import rules  # noqa: PLC0415

        return rules.run([options.explain])
    if options.check is not None:
        from roofline_lsp.cli import answered  # noqa: PLC0415

        return answered.run(options, parser().parse_args([]))
    from roofline_lsp.cli.serving import serve  # noqa: PLC0415 - pygls takes long to import

    return serve(analysis_layer(options))


def _at_terminal() -> bool:
    """Whether a person sits there, rather than an editor that starts a server."""
    return sys.stdin is not None and sys.stdin.isatty() and sys.stdout.isatty()


def _unknown_command(word: str) -> str:
    if Path(word).exists():
        return f"unknown command '{word}'; to check it, run: roofline-lsp check {word}"
    close = nearest(word, (*COMMANDS, *AS_OPTIONS))
    hint = f"did you mean '{close}'?" if close else f"the commands are {', '.join(COMMANDS)}"
    return f"unknown command '{word}'; {hint}"


def parser() -> argparse.ArgumentParser:
    """The options of ``roofline-lsp`` without a command."""
    made = HelpfulParser(
        prog="roofline-lsp",
        usage="roofline-lsp check PATH... [options]\n       roofline-lsp COMMAND [options]",
        description="Say from the source of GPU kernels whether they are compute-bound (CB) or"
        " bandwidth-bound (BB). Without arguments, serve editors over standard input and output.",
        epilog=EPILOG.format(
            commands="\n".join(f"  {name:10} {what}" for name, what in COMMANDS.items()),
            codes="\n".join(f"  {code:4} {what}" for code, what in EXIT_CODES),
        ),
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    add = made.add_argument
    add("--version", "-V", action="store_true", help="print the version")
    add("--explain", metavar="RULE", help="explain a rule, by its code or name")
    add("--stdio", action="store_true", help="serve the language server protocol; the default")
    add(
        "--check",
        nargs="+",
        metavar="PATH",
        help="analyse these files, folders and glob patterns and print a report",
    )
    add(
        "--validate",
        nargs="*",
        metavar="REPORT",
        help="hold measurements against predictions; --validate --help tells its options",
    )
    add(
        "--profile",
        action="store_true",
        help="run a program, given after --, under a profiler; --profile --help tells its options",
    )
    add_judging_options(made)
    add_check_options(made)
    return made


if __name__ == "__main__":
    sys.exit(main())
