"""What types and functions usually are of which no declaration is found, by their names."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from roofline_analysis.language.symbols import Symbols
from roofline_analysis.language.types import TYPE_NOT_GIVEN
from roofline_core.program.types import Type

_WORDS: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_WHOLE: Final = frozenset((
    "i", "int", "integer", "index", "indices", "idx", "itype", "offset", "offsets", "size", "count",
    "counter", "indptr", "row", "rows", "col", "cols", "column", "key", "keys", "label", "id",
    "ordinal", "vertex", "edge", "bits",
))  # fmt: skip
"""Words that name whole numbers: indices into arrays, what is counted, keys that are sorted."""
_WHOLE_TYPE: Final = Type("int")
_INTEGERS: Final = frozenset("int integer index indices idx offset size count ordinal".split())
_REALS: Final = frozenset(
    "real float scalar mixed data dtype fptype value elem element input output".split()
)
"""Words that name numbers where no template says so. A class may be named ``Key``."""
_PLAIN: Final = frozenset(("real", "mixed", "scalar"))
_ADDED: Final = frozenset("t type my u".split())
_MATHEMATICS: Final = frozenset(
    "sqrt rsqrt exp log pow sin cos tan acos asin atan erf erfc fabs floor ceil fma".split()
)
"""Functions that a build's macros name by capitals: ``-DSQRT=sqrtf``."""
_MAKER: Final = re.compile(r"make_(\w+)")
_VECTOR: Final = re.compile(r"([A-Za-z_]\w*?)([234])")


@lru_cache(maxsize=4096)
def type_not_given(name: str) -> Type:
    """The type that is taken for a template's type parameter of this name: int or float."""
    words = (word.lower() for word in _WORDS.findall(name))
    return _WHOLE_TYPE if not _WHOLE.isdisjoint(words) else TYPE_NOT_GIVEN


@lru_cache(maxsize=4096)
def number_named(name: str) -> Type | None:
    """The number or vector that a type whose declaration is not found is taken for, by its name.

    ``real4`` is a ``float4``, ``El::Int`` an ``int``, ``DATA_TYPE`` a ``float``; None for other
    names.
    """
    prefix, _, last = name.rpartition("::")
    if prefix and last.islower() and last.endswith("_type"):
        return None  # As ``size_type``, which depends on the class.
    vector = _VECTOR.fullmatch(last)
    base, width = (vector[1], vector[2]) if vector is not None else (last, "")
    words = [word.lower() for word in _WORDS.findall(base)]
    if "".join(words) != base.replace("_", "").lower():
        return None
    telling = [word for word in words if word not in _ADDED]
    if base.islower() and telling == words and not _PLAIN.issuperset(words):
        return None  # ``offset`` and ``value`` are variables.
    for known, taken in ((_INTEGERS, _WHOLE_TYPE), (_REALS, TYPE_NOT_GIVEN)):
        if telling and known.issuperset(telling):
            return Type(f"{taken.name}{width}")
    return None


def inner_names(symbols: Symbols) -> frozenset[str]:
    """The names of template parameters and of classes' own types: asked outside, none is declared.

    A name among them may be one of these wherever it stands, and is not to be taken for a number.
    """
    structs = [struct for found in symbols.structs.values() for struct in found]
    lists = [
        *(function.template_params for function in symbols.all_functions),
        *(struct.template_params for struct in structs),
        *(alias.params for found in symbols.aliases.values() for alias in found),
    ]
    parameters = {parameter.name for found in lists for parameter in found}
    return frozenset(parameters.union(*(struct.aliases for struct in structs)))


@lru_cache(maxsize=4096)
def function_named(name: str) -> str | None:
    """The built-in function that one whose declaration is not found is taken for, by its name.

    ``make_real4`` is ``make_float4``, ``SQRT`` is ``sqrtf``, ``LIB_KERNEL_ASSERT`` is ``assert``;
    None for other names.
    """
    if name.isupper() and "ASSERT" in name.split("_"):
        return "assert"
    maker = _MAKER.fullmatch(name)
    made = number_named(maker[1]) if maker is not None else None
    if made is not None:
        return f"make_{made.name}"
    return f"{name.lower()}f" if name.isupper() and name.lower() in _MATHEMATICS else None
