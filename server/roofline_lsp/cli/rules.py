"""``roofline-lsp rules``: what the rules are, and what one of them is about."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from roofline_analysis.rules import RULES, UnknownRuleError, find_rule
from roofline_core.settings import nearest
from roofline_core.text.table import aligned
from roofline_lsp.cli.exit_codes import OK
from roofline_lsp.cli.output import write
from roofline_lsp.formats.rules import rule_page

COLUMNS = ("code", "name", "level", "fix", "what it finds")


def parser() -> argparse.ArgumentParser:
    """The options of the command."""
    made = argparse.ArgumentParser(
        prog="roofline-lsp rules",
        description="List the rules that find what could be faster, or explain one of them.",
        allow_abbrev=False,
    )
    made.add_argument("rule", nargs="?", metavar="RULE", help="a code such as RL201, or a name")
    return made


def run(argv: Sequence[str]) -> int:
    """Print the table or a rule's page, and return the exit code. Raises UnknownRuleError."""
    word = parser().parse_args(argv).rule
    if word is None:
        rows = [
            COLUMNS,
            *(
                (rule.code, rule.name, rule.level.value, "yes" if rule.fixes else "", rule.title)
                for rule in RULES.values()
            ),
        ]
        write("\n".join(aligned(rows)) + "\n")
        return OK
    rule = find_rule(word)
    if rule is None:
        close = nearest(word, [*RULES, *(each.name for each in RULES.values())])
        hint = f"; did you mean '{close}'?" if close else "; roofline-lsp rules lists them"
        raise UnknownRuleError(f"there is no rule '{word}'{hint}")
    write(rule_page(rule))
    return OK
