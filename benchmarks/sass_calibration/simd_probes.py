"""The intrinsics on words of two or four numbers to measure, and those of three words at once."""

from .probes import Arguments, Probe

_ONE = ("__vabs", "__vabsss", "__vneg", "__vnegss")
_TWO = (
    *(f"__v{name}{sign}" for name in ("absdiff", "avg", "max", "min", "sad") for sign in "su"),
    *("__vadd", "__vaddss", "__vaddus", "__vsub", "__vsubss", "__vsubus", "__vhaddu"),
    *(f"__v{kind}{test}" for kind in ("cmp", "set") for test in ("eq", "ne")),
    *(f"__v{kind}{test}{sign}" for kind in ("cmp", "set") for test in ("ge", "gt", "le", "lt")
      for sign in "su"),
)  # fmt: skip
_FORMS = ("s32", "u32", "s16x2", "u16x2")
_RELU = ("s32", "s16x2")


def simd_probes() -> list[Probe]:
    """Return the probes of ``__vadd2`` and its kin, of ``__viaddmax`` and of ``__vimax3``."""
    names = [(f"{name}{width}", 1) for name in _ONE for width in "24"]
    names += [(f"{name}{width}", 2) for name in _TWO for width in "24"]
    for word in ("viaddmax", "viaddmin", "vimax3", "vimin3"):
        names += [(f"__{word}_{form}", 3) for form in _FORMS]
        names += [(f"__{word}_{form}_relu", 3) for form in _RELU]
    names += [(f"__{word}_{form}_relu", 2) for word in ("vimax", "vimin") for form in _RELU]
    return [_probe(name, count) for name, count in names]


def _probe(name: str, count: int) -> Probe:
    values: Arguments = (0x7F80_1234, 0x0102_F0F4, 0x1111_2222)
    signed = "s32" in name
    c_type = "int" if signed else "unsigned"
    operands = ", ".join("xyz"[:count])
    return Probe("functions", name, (c_type,) * count, c_type, f"{name}({operands})",
                 (values[:count],))  # fmt: skip
