"""The study's structured prompt: a kernel, its arguments and its sizes, to train a model with.

A prompt has three parts under headings of their own, each of which an ablation can leave out: the
kernel's source, the arguments in the order of its parameters, and the sizes of launch and groups.
The completion is the log2 of the time in nanoseconds, which the paper's regression learns.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import Enum
from typing import Final

from roofline_study.llmperf.arguments import Argument, BufferArgument, LocalArgument
from roofline_study.llmperf.kernels import PlannedKernel, PlannedLaunch
from roofline_study.llmperf.records import Timed

MOST_TOKENS: Final = 2048
"""The longest prompt of the paper."""
_CHARACTERS_A_TOKEN: Final = 3.0
"""Of source code, for models' tokenisers. Assumed; tokenisers differ, and none is at hand."""


class Part(Enum):
    """The parts of a prompt; the values are what options and ablations call them."""

    SOURCE = "source"
    ARGUMENTS = "arguments"
    SIZES = "sizes"


def prompt_of(kernel: PlannedKernel, launch: PlannedLaunch, without: Iterable[Part] = ()) -> str:
    """The prompt for one launch."""
    left_out = set(without)
    texts = {
        Part.SOURCE: f"Kernel source:\n{kernel.source.strip()}",
        Part.ARGUMENTS: "\n".join(("Arguments:", *map(_argument, launch.arguments))),
        Part.SIZES: _sizes(launch),
    }
    parts = [text for part, text in texts.items() if part not in left_out]
    return "\n\n".join((*parts, f"Log2 of the time of {kernel.name} in ns:"))


def _argument(argument: Argument) -> str:
    if isinstance(argument, BufferArgument):
        return f"- {argument.name}: global {argument.element}, {argument.size_bytes} bytes"
    if isinstance(argument, LocalArgument):
        return f"- {argument.name}: local, {argument.size_bytes} bytes"
    return f"- {argument.name}: {argument.element} {argument.value:g}"


def _sizes(launch: PlannedLaunch) -> str:
    shape = launch.configuration
    texts = (
        "x".join(map(str, sizes)) for sizes in (shape.global_size, shape.local_size, shape.groups)
    )
    names = ("global size", "local size", "work-groups")
    return "\n".join(("Sizes:", *(f"- {n}: {t}" for n, t in zip(names, texts, strict=True))))


def estimated_tokens(text: str) -> int:
    """About how many tokens a text has."""
    return math.ceil(len(text) / _CHARACTERS_A_TOKEN)


def prompt_lines(
    kernels: Sequence[PlannedKernel],
    timed: Mapping[str, Timed],
    without: Iterable[Part] = (),
    most_tokens: int = MOST_TOKENS,
) -> Iterator[str | None]:
    """A JSON object for each launch that was timed; None for one whose prompt is too long.

    The object has ``prompt``, ``completion`` and, for choosing and scoring, ``kernel``,
    ``program``, ``regime``, ``class``, ``method``, ``strategies``, ``apart``, ``time_ns`` and
    ``tokens``.
    """
    left_out = tuple(without)
    for kernel in kernels:
        for launch in kernel.launches:
            time = timed.get(launch.key)
            if time is None:
                continue
            prompt = prompt_of(kernel, launch, left_out)
            tokens = estimated_tokens(prompt)
            if tokens > most_tokens:
                yield None
                continue
            yield json.dumps(_record(kernel, launch, time, prompt, tokens))


def _record(
    kernel: PlannedKernel, launch: PlannedLaunch, time: Timed, prompt: str, tokens: int
) -> dict[str, object]:
    return {
        "prompt": prompt,
        "completion": f"{math.log2(time.median_ns):.3f}",
        "kernel": kernel.name,
        "program": kernel.program,
        "regime": launch.regime.value,
        "class": kernel.kernel_class.value,
        "method": launch.method.value,
        "strategies": [each.value for each in launch.strategies],
        "apart": launch.apart,
        "time_ns": time.median_ns,
        "tokens": tokens,
    }
