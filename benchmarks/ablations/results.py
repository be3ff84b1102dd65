"""What was judged so far, kept in a file, so that a run that was stopped goes on where it was.

A file of JSON lines: the setting first, then a line for each part that is done: the baseline, the
census, one switch. A last line that was not written to its end is ignored.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from ablations.replacing import Calls
from ablations.running import ProgramOutcome
from roofline_analysis.report.report import Verdict
from roofline_study.predictions import Predicted

Outcomes = Mapping[str, ProgramOutcome]
"""By program."""


class ResultsError(Exception):
    """A file of results that does not belong to what is asked for."""


@dataclass(slots=True)
class Results:
    """The parts that are done, by mode, and where they are kept."""

    setting: Mapping[str, Any]
    path: Path | None = None
    parts: dict[str, Outcomes] = field(default_factory=dict)

    def add(self, mode: str, outcomes: Outcomes) -> None:
        """Keep a part that is done."""
        self.parts[mode] = outcomes
        if self.path is not None:
            programs = [_as_json(each) for each in outcomes.values()]
            _append(self.path, {"mode": mode, "programs": programs})


def opened(path: Path | None, setting: Mapping[str, Any]) -> Results:
    """The results in a file, or new ones.

    Raises ResultsError where the file's are of other data, settings or code.
    """
    results = Results(setting, path)
    if path is None:
        return results
    lines = [] if not path.exists() else _lines(path)
    if not lines:
        _append(path, {"setting": setting})
        return results
    if lines[0].get("setting") != setting:
        raise ResultsError(f"{path} has results of other data, settings or code")
    for line in lines[1:]:
        found = [_from_json(each) for each in line["programs"]]
        results.parts[line["mode"]] = {each.program: each for each in found}
    return results


def code_hash() -> str:
    """A hash of the source files of the project's packages; the benchmarks are not among them."""
    root = Path(__file__).resolve().parents[2]
    found = hashlib.sha256()
    for path in sorted(root.glob("*/roofline_*/**/*.py")):
        found.update(path.relative_to(root).as_posix().encode() + path.read_bytes())
    return found.hexdigest()


def _lines(path: Path) -> list[dict[str, Any]]:
    found = []
    for text in path.read_text(encoding="utf-8").splitlines():
        try:
            found.append(json.loads(text))
        except json.JSONDecodeError:
            break
    return found


def _append(path: Path, line: Mapping[str, Any]) -> None:
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(line, separators=(",", ":")) + "\n")


def _as_json(outcome: ProgramOutcome) -> dict[str, Any]:
    kernels = {
        name: [held.verdict.value if held.verdict else None, dict(held.counts)]
        for name, held in outcome.kernels.items()
    }
    calls = {name: [held.made, held.telling] for name, held in outcome.calls.items()}
    return {**asdict(outcome), "kernels": kernels, "calls": calls}


def _from_json(held: dict[str, Any]) -> ProgramOutcome:
    kernels = {
        name: Predicted(Verdict(verdict) if verdict else None, counts)
        for name, (verdict, counts) in held["kernels"].items()
    }
    calls = {name: Calls(*each) for name, each in held["calls"].items()}
    return ProgramOutcome(**{**held, "kernels": kernels, "calls": calls})
