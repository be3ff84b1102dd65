"""What numbers of some names usually are: a ``kernel_size`` is 3, and never 1024.

A size that no source fixes is taken for an extent, large enough to fill a GPU. Some names say that
it is none. The numbers are common ones of image processing, neural networks and simulations,
chosen without measurement; a launch that is followed goes before them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

_WORDS: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_LAST: Final = re.compile(r"\w+(?=\W*$)")
_COUNTED: Final = r"(?:(?:n|num|nr|number|number_of|max|max_num|total)_)?"
_EXTENT: Final = r"(?:_(?:size|sizes|dim|width|height|depth|length|len|h|w|d|x|y|z|t))?"
_WINDOW: Final = "(?:window|win|patch|blur|median|search|filter|kernel|stencil|support)"
_SIDE: Final = "(?:in_|out_|input_|output_)?"
_USUAL: Final[tuple[tuple[str, int], ...]] = (
    (
        rf"(?:n_)?(?:conv_|pool_)?(?:kernel|filter|ksize|pool|conv){_EXTENT}|k_?(?:size|h|w)",
        3,
    ),
    (r"(?:conv_|pool_)?strides?_(?:h|w|d|t|height|width|depth)|(?:n_)?anchor", 1),
    (r"(?:roi_)?(?:pooled|aligned)_(?:h|w|height|width|size)", 7),
    (r"(?:up|down)_?[xy]", 2),
    (r"(?:points|pts|faces|fragments)_per_pixel", 8),
    (r"n_?samples?", 32),
    (r"(?:n|num|nb|nof)_?rhs(?:_\w+)?", 1),
    (r"(?:kernel|filter|conv)_vol(?:ume)?", 27),
    (r"max_(?:num_)?(?:pts|points)_(?:(?:per|each|in)_)?(?:voxel|pillar|cell|bin)", 32),
    (rf"{_COUNTED}(?:boxes|bboxes|rois)|(?:boxes|bboxes|rois)_num", 128),
    (rf"(?:pad|padding){_EXTENT}(?:_(?:top|left|right|bottom|begin|end))?", 1),
    (rf"(?:dilation|dilate){_EXTENT}", 1),
    (rf"{_COUNTED}deformable_groups?|{_COUNTED}conv_groups?", 1),
    (rf"{_COUNTED}(?:gpus|ngpus?|devices)|(?:n|num)_(?:gpu|device)", 1),
    (r"(?:(?:local|global|total)_)?(?:gpu|device)s?_(?:num|count)", 1),
    (r"(?:n|num|nr|number_of)_sms?|n?sms|(?:sm|mp|multi_?processor)_(?:num|count)", 80),
    (rf"{_COUNTED}(?:ranks|nranks|world_size)|(?:n|num)_rank", 8),
    (rf"(?:radius|halo|apron|border){_EXTENT}", 2),
    (rf"{_WINDOW}_radius(?:_[xyz])?", 4),
    (rf"{_WINDOW}_(?:step|stride)(?:_[xyz])?", 1),
    (rf"(?:\w+_)?{_COUNTED}(?:iterations|iters|niters?|maxiters?|iter_max)|(?:n|num|max)_iter", 16),
    (rf"(?:n|num)_(?:kv_)?head|{_COUNTED}(?:heads|nheads?)", 16),
    (rf"{_COUNTED}(?:batch|batches|batch_size|nbatch|batchsize)", 8),
    (rf"{_SIDE}{_COUNTED}(?:channels|nchannels)|{_COUNTED}{_SIDE}channels", 64),
    (r"c_?(?:in|out)|(?:in|out|input|output)_(?:c|ch)", 64),
    (rf"(?:\w+_)?{_COUNTED}top_?k|{_COUNTED}experts_per_(?:token|tok|row)", 8),
    (rf"{_COUNTED}(?:experts|nexperts?)|(?:n|num)_expert", 64),
    (r"(?:attn_|qk_|vo?_)?head_(?:dim|size)|(?:dim|size)_(?:per_)?head|d_head", 128),
    (r"(?:token_)?emb(?:ed|edding)?s?(?:_vec(?:tor)?)?_(?:dim|size|width)", 128),
    (rf"{_COUNTED}(?:neighbou?rs|nneighbou?rs|nsamples?_per_group)|knn", 16),
    (rf"{_COUNTED}(?:bits|nbits)|bit_?(?:width|depth)", 8),
    (r"(?:num_)?beams?(?:_(?:size|width))?", 4),
    (rf"{_COUNTED}(?:levels|octaves|components|ncomp|nlevels)", 4),
    (r"(?:\w+_)?(?:poly|polynomial|spline)_(?:degree|order)|degree", 4),
    (r"(?:\w+_)?tile_(?:size|dim|width|height|w|h|x|y)", 16),
    (r"(?:(?:up|down|re|sub)_?(?:scale|sample|sampling)|scale)(?:_?(?:factor|[xyzhw]))?", 2),
    (r"k_?mer(?:_(?:size|len|length))?", 21),
)
_USUAL_OF_TEMPLATES: Final[tuple[tuple[str, int], ...]] = (
    (r"(?:\w+_)?(?:block_?dim|block_size|threads(?:_per_(?:block|cta))?|nthreads|tpb)(?:_x)?", 256),
    (r"(?:\w+_)?n?warps(?:_\w+)?", 4),
    (r"(?:\w+_)?(?:ctas|blocks)_per_\w+", 1),
    (r"(?:\w+_)?bytes(?:_\w+)?", 16),
    (r"(?:hidden|embed(?:ding)?|feature)s?(?:_(?:size|dim))?|cols|columns|row_size", 1024),
    (r"log_?2?_\w+|\w+_log_?2", 10),
    (r"(?:\w+_)?(?:vec|unroll|pack|items|elts|elems|per_thread|ilp)(?:_\w+)?", 4),
    (r"(?:\w+_)?(?:stages?)(?:_\w+)?", 2),
    (r"(?:\w+_)?(?:tile|block)_?(?:size_?)?[mnk]|b[mnk]", 64),
)
_AXIS: Final = re.compile(r"(\w+)\.(?:sizes?_?|shape)[\[(](\d+|-1)[\])]")
_RESULT: Final = re.compile(r"(?:result of )?(?:.*(?:::|\.|->))?(?:[Gg]et_?)?(\w+)\(\)")
_PLACES: Final = re.compile(
    r"(?:\w+_)?(?:points?|pts|xyz|coords?|coordinates|positions?|verts|vertices|normals?|centers?"
    r"|centroids?|colou?rs?|rgbs?)(?:_\w+)?|p_\d"
)
"""Tensors of places in space, and of colours: ``(batch, number, 3)``."""
_ROWS: Final = re.compile(
    r"(?:\w+_)?(?:width|cols?|columns|ncols?|num_?cols?|pitch|ld[a-d]?|row_(?:size|length|stride)"
    r"|(?:size|dim|len)_x|nx|hidden(?:_(?:size|dim|units))?|vocab(?:_size)?|d_model"
    r"|(?:num_|n_?)?inputs?(?:_(?:size|dim|units))?|in_(?:dim|size|features)"
    r"|(?:num_|n_?)features?)"
)
"""The length of a row of a matrix or an image, or of a vector, in the last words of a name."""
_MATRIX: Final = frozenset("MN")
"""The usual names of the extents of matrices; K is as often a few neighbours."""
TEMPLATE_NUMBER: Final = 32
"""The assumed value of a number among the template parameters of a host function that the program
does not instantiate, where its name says nothing."""
_PATTERNS: Final = tuple((re.compile(pattern), number) for pattern, number in _USUAL)
_PATTERNS_OF_TEMPLATES: Final = tuple((re.compile(p), n) for p, n in _USUAL_OF_TEMPLATES)


@lru_cache(maxsize=4096)
def usual_number(name: str) -> int | None:
    """What a whole number of this name usually is; None where the name says nothing.

    ``name`` may be a path, of which the last part counts: ``params.kernel_h``, ``self->numGpus``,
    the extent of a tensor's axis: ``points.size(2)``, or ``result of get_gpu_count()``.
    """
    result = _RESULT.fullmatch(name)
    if result is not None:
        name = result[1]
    axis = _AXIS.fullmatch(name)
    if axis is not None and axis[2] in ("2", "-1") and _PLACES.fullmatch(_words_of(axis[1])):
        return 3
    last = _LAST.search(name)
    if last is None or name.endswith(("]", ")")):
        return None
    return _found(_PATTERNS, _words_of(last.group().removeprefix("m_")))


def is_row_length(name: str) -> bool:
    """Whether a number's name says that it is the length of a row, which has many elements."""
    last = _LAST.search(name)
    if last is None:
        return False
    return last.group() in _MATRIX or _ROWS.fullmatch(_words_of(last.group())) is not None


def template_number(name: str) -> int:
    """What is taken for a template's number of this name that nothing instantiates."""
    words = _words_of(name)
    return _found(_PATTERNS_OF_TEMPLATES, words) or _found(_PATTERNS, words) or TEMPLATE_NUMBER


def macro_number(name: str) -> int | None:
    """What a macro of this name that nothing defines usually is; None where it says nothing."""
    words = _words_of(name)
    return _found(_PATTERNS_OF_TEMPLATES, words) or _found(_PATTERNS, words)


def _words_of(name: str) -> str:
    return "_".join(word.lower() for word in _WORDS.findall(name))


def _found(patterns: Sequence[tuple[re.Pattern[str], int]], words: str) -> int | None:
    return next((number for pattern, number in patterns if pattern.fullmatch(words)), None)
