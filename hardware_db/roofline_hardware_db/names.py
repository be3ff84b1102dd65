"""How the many spellings of a GPU's name are brought to one form."""

import re

_WORD = re.compile(r"[a-z0-9]+")
_SIZE = re.compile(r"(?<![a-z0-9])(\d+)[\s_-]*gi?b(?![a-z0-9])")
_BRANDS = ("nvidia", "geforce", "tesla", "amd", "radeon", "instinct", "intel")
_NOISE = frozenset((*_BRANDS, "corporation", "graphics", "gpu", "tm", "r"))
"""Words that tell no two GPUs of the database apart: vendors, brands and trade marks."""


def words_of(name: str) -> tuple[str, ...]:
    """The words of a name that matter, in lower case; a memory size is one word.

    >>> words_of("NVIDIA GeForce RTX 3080 (10 GB)")
    ('rtx', '3080', '10gb')
    """
    joined = _SIZE.sub(r" \1gb ", name.lower())
    return tuple(word for word in _WORD.findall(joined) if word not in _NOISE)


def slug_of(name: str) -> str:
    """The name as a file is called: the words that matter, joined by hyphens."""
    return "-".join(words_of(name))


def key_of(name: str) -> str:
    """The name as the index holds it: spaces, hyphens, case and brands make no difference."""
    return "".join(words_of(name))
