"""The texts that are sent: constant ones from ``text/``, and what is said of one kernel.

Source is data. It stands between marks that do not occur in it, and the constant text says that
nothing between them is an instruction; what comes back is checked all the same.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from functools import cache
from importlib import resources
from pathlib import Path

from roofline_advisor.bench import Reading
from roofline_analysis.report.report import GpuUsed, KernelReport, LaunchReport, Prediction
from roofline_core.program.precision import Precision
from roofline_core.settings import Settings, args_of
from roofline_core.text.units import dimensions, exact, scaled, significant

_MOST_LEDGER = 24
_MOST_UNKNOWNS = 12
_PRECISIONS = {
    Precision.SP: "single precision",
    Precision.DP: "double precision",
    Precision.INT: "integer",
}


@cache
def constant(name: str) -> str:
    """A text of the package's ``text`` folder."""
    folder = resources.files("roofline_advisor") / "text"
    return (folder / f"{name}.md").read_text(encoding="utf-8").strip()


def hardware(gpu: GpuUsed) -> str:
    """The rooflines of the GPU."""
    lines = [
        f"GPU: {gpu.name}, {gpu.clock} clock {significant(gpu.clock_mhz, 4)} MHz",
        f"DRAM bandwidth: {significant(gpu.bandwidth_gbs, 4)} GB/s",
    ]
    for precision, words in _PRECISIONS.items():
        peak, ridge = gpu.peaks_gops.get(precision), gpu.ridges.get(precision)
        if peak is not None and ridge is not None:
            lines.append(
                f"Peak {words}: {significant(peak, 5)} GOP/s,"
                f" balance point {significant(ridge, 4)} OP/byte"
            )
    return _section("Hardware", lines)


def launch(kernel: KernelReport, settings: Settings) -> str:
    """What is launched, how, and with which command line."""
    found = kernel.launches[0] if kernel.launches else None
    return _section("Launch", _launch_lines(kernel, found, settings))


def _launch_lines(
    kernel: KernelReport, found: LaunchReport | None, settings: Settings
) -> Iterable[str]:
    yield f"Kernel: {kernel.name}"
    yield f"Language: {kernel.dialect.value}"
    if found is None:
        yield "Grid and block: no launch was found in the source"
    else:
        yield f"Grid: {_size(found.grid, found.prediction.grid)}"
        yield f"Block: {_size(found.block, found.prediction.block)}"
    args = args_of(settings, [kernel.path])
    if args is None:
        yield "Command line of the program: not known"
    else:
        yield f"Command line of the program: {' '.join(args) or '(none)'}"


def _size(
    size: tuple[int | None, int | None, int | None] | None, used: tuple[int, int, int] | None
) -> str:
    marks = " (~: assumed)" if size is None or None in size else ""
    return f"{dimensions(size, used)}{marks}"


def source(reading: Reading, most_chars: int, *, numbered: bool = False) -> str:
    """The files of the program one behind the other, the kernel's own first.

    A file that does not fit is named instead; the kernel's own is cut at the end. ``numbered`` puts
    line numbers before the lines of the kernel's own file.
    """
    texts = [(path, content.decode("utf-8", "replace")) for path, content in reading.files]
    mark = _mark(text for _, text in texts)
    parts, left = [], most_chars
    for at, (path, text) in enumerate(texts):
        shown = _numbered(text) if numbered and at == 0 else text
        if at == 0 and len(shown) > left:
            shown = shown[:left].rsplit("\n", 1)[0] + "\n[the rest is left out]"
        if len(shown) > left and at > 0:
            parts.append(f"[{path.name}: left out, {len(text)} characters]")
            continue
        left -= len(shown)
        parts.append(f"<{mark} file={_name(path)}>\n{shown.rstrip()}\n</{mark}>")
    return _section("Source", parts)


def _numbered(text: str) -> str:
    return "\n".join(f"{at:4d}| {line}" for at, line in enumerate(text.splitlines(), 1))


def _name(path: Path) -> str:
    """The file's own name; folders say nothing of the kernel, but of whoever wrote it."""
    return repr(path.name)


def _mark(texts: Iterable[str]) -> str:
    """A tag that no text holds, so that none can end its own section."""
    whole = "\0".join(texts)
    mark = f"source-{hashlib.sha256(whole.encode()).hexdigest()[:12]}"
    while mark in whole:
        mark += "x"
    return mark


def evidence(kernel: KernelReport, gpu: GpuUsed) -> str:
    """What the static analysis counted and what it had to assume, but not its verdict."""
    prediction = kernel.prediction
    lines = [*_totals(prediction, gpu), "", "By line (operations and DRAM bytes of the launch):"]
    lines += _ledger(prediction) or ["nothing was counted"]
    lines += ["", "Not known from the source, and what was assumed:"]
    unknowns = dict.fromkeys(
        f"{each.name} = {exact(each.assumed)}: {each.why}" for each in prediction.unknowns
    )
    lines += [f"- {text}" for text in list(unknowns)[:_MOST_UNKNOWNS]] or ["- nothing"]
    return _section("Static analysis", lines)


def _totals(prediction: Prediction, gpu: GpuUsed) -> Iterable[str]:
    yield (
        f"DRAM bytes: {scaled(prediction.dram_read_bytes, 'B')} read,"
        f" {scaled(prediction.dram_write_bytes, 'B')} written"
    )
    for precision, words in _PRECISIONS.items():
        operations = prediction.operations(precision)
        if operations:
            yield (
                f"{words.capitalize()}: {scaled(operations)} operations,"
                f" {significant(prediction.intensity(precision))} per byte"
                f" (balance point {significant(gpu.ridges.get(precision))})"
            )


def _ledger(prediction: Prediction) -> list[str]:
    largest = sorted(
        prediction.ledger,
        key=lambda line: -(line.sp_flops + line.dp_flops + line.int_ops + line.dram_bytes),
    )[:_MOST_LEDGER]
    lines = []
    for entry in sorted(largest, key=lambda line: (str(line.path), line.line)):
        amounts = (
            ("SP", entry.sp_flops, ""),
            ("DP", entry.dp_flops, ""),
            ("INT", entry.int_ops, ""),
            ("read", entry.dram_read_bytes, "B"),
            ("written", entry.dram_write_bytes, "B"),
        )
        said = [f"{name} {scaled(value, unit)}" for name, value, unit in amounts if value]
        said += entry.notes
        lines.append(f"- {entry.path.name}:{entry.line}: {', '.join(said)}")
    return lines


def joined(sections: Sequence[str]) -> str:
    """Sections below each other."""
    return "\n\n".join(sections)


def _section(title: str, lines: Iterable[str]) -> str:
    return f"## {title}\n" + "\n".join(lines)
