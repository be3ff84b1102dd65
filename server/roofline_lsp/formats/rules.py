"""A rule as a page of Markdown, for ``--explain`` and for docs/rules."""

from __future__ import annotations

from collections.abc import Iterable

from roofline_analysis.rules import Rule


def rule_page(rule: Rule) -> str:
    """What a rule is about, with its examples."""
    title, _, text = rule.text.strip().partition("\n")
    fix = "There is a quick fix." if rule.fixes else "There is no quick fix."
    return (
        f"# {rule.code}: {rule.name}\n\n"
        f"**{title}**\n\n"
        f"Level: {rule.level.value}. {fix}\n\n"
        f"{text.strip()}\n\n"
        f"## Bad\n\n```cuda\n{rule.bad}```\n\n"
        f"## Good\n\n```cuda\n{rule.good}```\n\n"
        f"## Switching it off\n\n"
        f"For a line, with a comment on it or above it: `// roofline: ignore[{rule.code}] reason`."
        f' For a project: `ignore = ["{rule.code}"]` in `roofline.toml`.\n'
    )


def index_page(rules: Iterable[Rule]) -> str:
    """A table of all rules."""
    rows = "".join(
        f"| [{rule.code}]({rule.code}.md) | `{rule.name}` | {rule.level.value} |"
        f" {'yes' if rule.fixes else ''} | {rule.title} |\n"
        for rule in rules
    )
    return (
        "# Rules\n\n"
        "What `roofline-lsp` finds in kernels and host code. A finding is shown where mending it\n"
        "shortens a launch by at least a few percent by the model; it says what is saved.\n\n"
        "| code | name | level | quick fix | what it finds |\n| --- | --- | --- | --- | --- |\n"
        f"{rows}"
    )
