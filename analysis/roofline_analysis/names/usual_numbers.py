"""What numbers of some names usually are: a ``kernel_size`` is 3, and never 1024.

A size that no source fixes is taken for an extent, large enough to fill a GPU. Some names say that
it is none. The numbers are common ones of image processing, neural networks and simulations,
chosen without measurement; a launch that is followed goes before them.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final

_WORDS: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_LAST: Final = re.compile(r"\w+(?=\W*$)")
_COUNTED: Final = r"(?:(?:n|num|nr|number|number_of|max|max_num|total)_)?"
_EXTENT: Final = r"(?:_(?:size|sizes|dim|width|height|depth|length|len|h|w|d|x|y|z|t))?"
_USUAL: Final[tuple[tuple[str, int], ...]] = (
    (rf"(?:conv_|pool_)?(?:kernel|filter|ksize|pool|conv){_EXTENT}|k_?(?:size|h|w)", 3),
    (rf"(?:pad|padding){_EXTENT}(?:_(?:top|left|right|bottom|begin|end))?", 1),
    (rf"(?:dilation|dilate){_EXTENT}", 1),
    (rf"{_COUNTED}deformable_groups?|{_COUNTED}conv_groups?", 1),
    (r"(?:n|num|number_of)_(?:dims?|dimensions)|ndims?", 3),
    (rf"{_COUNTED}(?:gpus|ngpus?|devices|ranks|nranks)|(?:n|num)_(?:gpu|device|rank)", 1),
    (rf"(?:radius|halo|apron|border){_EXTENT}", 2),
    (rf"(?:\w+_)?{_COUNTED}(?:iterations|iters|niters?|maxiters?|iter_max)|(?:n|num|max)_iter", 16),
    (rf"(?:n|num)_(?:kv_)?head|{_COUNTED}(?:heads|nheads?)", 16),
    (rf"{_COUNTED}(?:batch|batches|batch_size|nbatch|batchsize)", 8),
    (rf"(?:in_|out_|input_|output_)?{_COUNTED}(?:channels|nchannels)", 64),
    (rf"{_COUNTED}(?:levels|octaves|components|ncomp|nlevels)", 4),
)
_PATTERNS: Final = tuple((re.compile(pattern), number) for pattern, number in _USUAL)


@cache
def usual_number(name: str) -> int | None:
    """What a whole number of this name usually is; None where the name says nothing.

    ``name`` may be a path, of which the last part counts: ``params.kernel_h``, ``self->numGpus``.
    """
    last = _LAST.search(name)
    if last is None or name.endswith(("]", ")")):
        return None
    words = "_".join(word.lower() for word in _WORDS.findall(last.group().removeprefix("m_")))
    return next((number for pattern, number in _PATTERNS if pattern.fullmatch(words)), None)
