"""A table of the times of tasks in editors: medians, with the number of actions.

Reads lines with tabs between on standard input: editor, task, seconds, actions; prints Markdown.
Raises SystemExit where a task was not done in as many rounds as the others of its editor.
"""

from __future__ import annotations

import statistics
import sys
from collections.abc import Iterable


def table(lines: Iterable[str]) -> str:
    """One row a task and one column an editor, in the order in which they come."""
    found: dict[tuple[str, str], list[tuple[float, int]]] = {}
    for line in lines:
        editor, task, seconds, actions = line.rstrip("\n").split("\t")
        found.setdefault((task, editor), []).append((float(seconds), int(actions)))
    tasks = list(dict.fromkeys(task for task, _ in found))
    editors = list(dict.fromkeys(editor for _, editor in found))
    rounds = {len(each) for each in found.values()}
    if len(rounds) != 1 or len(found) != len(tasks) * len(editors):
        raise SystemExit("some task is missing")
    rows = [f"| {' | '.join(('task', *editors))} |", f"| :-- |{' --: |' * len(editors)}"]
    for task in tasks:
        cells = [_cell(found[task, editor]) for editor in editors]
        rows.append(f"| {' | '.join((task, *cells))} |")
    return "\n".join(rows)


def _cell(times: list[tuple[float, int]]) -> str:
    seconds = statistics.median(seconds for seconds, _ in times)
    actions = max(actions for _, actions in times)
    return f"{seconds:.1f} s, {actions} action{'s' if actions > 1 else ''}"


if __name__ == "__main__":
    print(table(sys.stdin))
