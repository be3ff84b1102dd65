"""The values of a launch with where they came from, in words that text and hover share."""

from __future__ import annotations

from collections.abc import Sequence

from roofline_analysis.report.report import ArgumentUsed, LaunchReport, Prediction, UnknownUsed


def numbers(launch: LaunchReport) -> tuple[ArgumentUsed, ...]:
    """The arguments that are numbers: they decide how much work there is."""
    return tuple(argument for argument in launch.arguments if argument.used is not None)


def buffers(launch: LaunchReport) -> tuple[ArgumentUsed, ...]:
    """The arguments that point to memory of which a size was used."""
    return tuple(argument for argument in launch.arguments if argument.buffer_bytes is not None)


def source_of(
    origin: str | None, assumed: Sequence[UnknownUsed], launch: LaunchReport, name: str = ""
) -> tuple[str | None, str | None]:
    """Where a value came from, and why it is a guess, each None where there is nothing to say.

    That a number is written in the launch itself goes without saying.
    """
    if assumed:
        return None, "; ".join(dict.fromkeys(_why(unknown, name) for unknown in assumed))
    here = f"{launch.path.name}:{launch.line}"
    return (origin if origin != here else None), None


def not_told(prediction: Prediction, launch: LaunchReport | None) -> tuple[UnknownUsed, ...]:
    """The unknowns of a prediction that the values of its launch do not name already."""
    told: set[tuple[str, str]] = set()
    if launch is not None:
        shown = [each.assumed for each in launch.arguments if each.used is not None]
        for assumed in (*shown, launch.grid_assumed, launch.block_assumed):
            told.update((unknown.name, unknown.why) for unknown in assumed)
    left = (each for each in prediction.unknowns if (each.name, each.why) not in told)
    return tuple(dict.fromkeys(left))


def _why(unknown: UnknownUsed, name: str) -> str:
    quoted = f"'{unknown.name}'" if "'" not in unknown.name else unknown.name
    text = unknown.why if unknown.name == name else f"{quoted}: {unknown.why}"
    if unknown.path is None or unknown.line is None:
        return text
    return f"{text} ({unknown.path.name}:{unknown.line})"
