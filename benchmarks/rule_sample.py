"""Findings over a folder of programs: how many each rule makes, what they cost, and some to read.

    python benchmarks/rule_sample.py DIR [--names=-cuda] [--args] [--sample 60 --seed 1]

Prints the findings of each rule, the share of the analysis that the rules take, and a random sample
of findings with the source around them, for a person to read and judge: is what it says right, and
would it help? The same seed gives the same sample of the same findings.
"""

from __future__ import annotations

import argparse
import pickle
import random
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from corpus.folders import program_folders, run_arguments
from corpus.limited import FailedError, limited

from roofline_analysis.api import analyze_paths
from roofline_analysis.report.report import Finding
from roofline_core.program.stages import Stage, measured
from roofline_core.settings import SOURCE_SUFFIXES, Settings

GPU = "RTX 3080"
Result = tuple[list[Finding], dict[str, float], int]


def analyse(folder: Path, with_arguments: bool) -> Result:
    """A program's findings, its seconds by stage, and its kernels."""
    files = [p for p in sorted(folder.rglob("*")) if p.suffix.lower() in SOURCE_SUFFIXES]
    arguments = run_arguments(folder) if with_arguments else None
    with measured() as clock:
        settings = Settings(gpu=GPU, args=arguments)
        reports = list(analyze_paths([p for p in files if p.is_file()], settings))
    findings = [finding for report in reports for finding in report.all_findings()]
    unique = {(f.code, f.path, f.span.line): f for f in findings}
    seconds = {stage.value: clock.seconds[stage] for stage in Stage}
    return list(unique.values()), seconds, sum(len(report.kernels) for report in reports)


def run_one(limit: float, with_arguments: bool, folder: Path) -> Result | str:
    """The findings of a program; what failed if it did not end in ``limit`` s."""
    try:
        return limited(partial(analyse, with_arguments=with_arguments), folder, limit)
    except FailedError as failure:
        return str(failure)


def show_finding(finding: Finding, number: int, around: int) -> None:
    """A finding with the lines around it."""
    where = f"{finding.path.parent.name}/{finding.path.name}:{finding.span.line}"
    print(f"\n[{number}] {finding.code} {where}\n    {finding.message}")
    for item in finding.related:
        print(f"    {item.path.name}:{item.line} {item.message}")
    lines = finding.path.read_text(errors="replace").splitlines()
    first = max(0, finding.span.line - 1 - around)
    for at, line in enumerate(lines[first : finding.span.line + around], first + 1):
        print(f"    {'>' if at == finding.span.line else ' '}{at:5} {line[:150]}")


def main() -> int:
    """Check all programs of a folder, or read what was kept, and print the findings."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("directory", type=Path)
    parser.add_argument("--names", default="", help="programs whose folder's name ends so")
    parser.add_argument("--jobs", type=int, default=1, help="programs at a time")
    parser.add_argument("--limit", type=float, default=60, help="seconds for a program")
    parser.add_argument("--every", type=int, default=1, help="take every so-manieth program")
    parser.add_argument("--offset", type=int, default=0, help="of the first of them")
    parser.add_argument("--args", action="store_true", help="run with the Makefile's arguments")
    parser.add_argument("--sample", type=int, default=0, help="findings to show")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rule", help="sample this rule alone")
    parser.add_argument("--around", type=int, default=8, help="lines of source to show around")
    parser.add_argument("--keep", type=Path, help="keep the findings in this file, to sample again")
    given = parser.parse_args()
    if given.keep is not None and given.keep.exists():
        results = pickle.loads(given.keep.read_bytes())
    else:
        folders = program_folders(given.directory, given.names)[given.offset :: given.every]
        with ThreadPoolExecutor(given.jobs) as pool:
            results = list(pool.map(partial(run_one, given.limit, given.args), folders))
        if given.keep is not None:
            given.keep.write_bytes(pickle.dumps(results))
    return show(results, given)


def show(results: list[Result | str], given: argparse.Namespace) -> int:
    """Prints the totals and the sample; the number of failures."""
    failures = [result for result in results if isinstance(result, str)]
    done = [result for result in results if not isinstance(result, str)]
    findings = [finding for found, _, _ in done for finding in found]
    seconds: Counter[str] = Counter()
    for _, spent, _ in done:
        seconds.update(spent)
    rules = seconds.pop(Stage.RULES.value, 0.0)
    whole = sum(seconds.values())
    kernels = sum(count for _, _, count in done)
    print(
        f"{len(done)} programs, {kernels} kernels, {len(findings)}"
        f" findings; rules {rules:.1f} s, {rules / max(whole, 1e-9):.1%} of the other {whole:.1f} s"
    )
    for code, count in sorted(Counter(f.code for f in findings).items()):
        fixes = sum(1 for f in findings if f.code == code and f.fix is not None)
        print(f"  {code} {count:5}  with a fix {fixes}")
    for failure in failures:
        print("---", failure)
    chosen = [f for f in findings if given.rule in (None, f.code)]
    chosen.sort(key=lambda f: (str(f.path), f.span.line, f.code))
    picked = random.Random(given.seed).sample(chosen, min(given.sample, len(chosen)))
    for number, finding in enumerate(picked, 1):
        show_finding(finding, number, given.around)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
