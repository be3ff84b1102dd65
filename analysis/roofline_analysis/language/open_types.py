"""What a template's type parameter that nothing instantiates usually is, by its name."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from roofline_analysis.language.types import TYPE_NOT_GIVEN
from roofline_core.program.types import Type

_WORDS: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_WHOLE: Final = frozenset((
    "i", "int", "integer", "index", "indices", "idx", "itype", "offset", "offsets", "size", "count",
    "counter", "key", "keys", "label", "id", "ordinal", "vertex", "edge", "bits",
))  # fmt: skip
"""Words that name whole numbers: indices into arrays, what is counted, keys that are sorted."""
_WHOLE_TYPE: Final = Type("int")


@lru_cache(maxsize=4096)
def type_not_given(name: str) -> Type:
    """The type that is taken for a template's type parameter of this name: int or float."""
    words = (word.lower() for word in _WORDS.findall(name))
    return _WHOLE_TYPE if not _WHOLE.isdisjoint(words) else TYPE_NOT_GIVEN
