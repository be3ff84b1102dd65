"""The less common functions of CUDA's mathematics library to measure, as data."""

from typing import Final

from .probes import Arguments, Probe

_ONE: Final = ((0.37,), (2.6,))
_PAIR: Final = ((2.75, 1.4), (0.3, 7.1))
_TRIPLE: Final = ((2.75, 1.4, 0.7), (0.3, 7.1, 1.9))

_OF_FLOATS: Final[tuple[tuple[str, str, tuple[Arguments, ...], str | None], ...]] = (
    # Name without suffix, arguments, argument sets, what Python says of the result.
    ("j0", "x", _ONE, None),
    ("j1", "x", _ONE, None),
    ("y0", "x", _ONE, None),
    ("y1", "x", _ONE, None),
    ("cyl_bessel_i0", "x", _ONE, None),
    ("cyl_bessel_i1", "x", _ONE, None),
    ("erfcx", "x", _ONE, "math.exp(x * x) * math.erfc(x)"),
    ("erfcinv", "x", ((0.37,), (0.7,)), None),
    ("normcdfinv", "x", ((0.37,), (0.7,)), None),
    ("logb", "x", _ONE, "math.frexp(x)[1] - 1"),
    ("nextafter", "x, y", _PAIR, None),
    ("rhypot", "x, y", _PAIR, "1 / math.hypot(x, y)"),
    ("norm3d", "x, y, z", _TRIPLE, "math.hypot(x, y, z)"),
    ("rnorm3d", "x, y, z", _TRIPLE, "1 / math.hypot(x, y, z)"),
    ("norm4d", "x, y, z, z", _TRIPLE, "math.hypot(x, y, z, z)"),
    ("rnorm4d", "x, y, z, z", _TRIPLE, "1 / math.hypot(x, y, z, z)"),
)
_FAST: Final = [
    Probe("functions", "__tanhf", ("float",), "float", "__tanhf(x)", _ONE, (), None),
    Probe("functions", "fdividef", ("float", "float"), "float", "fdividef(x, y)", _PAIR),
    Probe(
        "functions",
        "__sincosf",
        ("float",),
        "float",
        "s",
        _ONE,
        prelude="float s, c; __sincosf(x, &s, &c); *q = c;",
    ),
]
_BY_INTEGERS: Final = ("ldexp", "scalbn", "scalbln")


def rare_probes() -> list[Probe]:
    """Return the probes of these functions in single and double precision."""
    return [probe for width in ("float", "double") for probe in _probes(width)] + _FAST


def _probes(width: str) -> list[Probe]:
    suffix = "f" if width == "float" else ""
    probes = [
        Probe(
            "functions",
            name + suffix,
            (width,) * len(sets[0]),
            width,
            f"{name}{suffix}({arguments})",
            sets,
            (),
            expected,
        )
        for name, arguments, sets, expected in _OF_FLOATS
    ]
    probes.extend(
        Probe(
            "functions",
            name + suffix,
            (width, "int"),
            width,
            f"{name}{suffix}(x, y)",
            ((2.75, 3), (0.3, -4)),
            (),
            "math.ldexp(x, y)",
        )
        for name in _BY_INTEGERS
    )
    whole = f"{width} whole; {width} part = modf{suffix}(x, &whole); *q = whole;"
    exponent = f"int exponent; {width} part = frexp{suffix}(x, &exponent); *q = exponent;"
    for name, prelude in (("modf", whole), ("frexp", exponent)):
        probes.append(
            Probe("functions", name + suffix, (width,), width, "part", _ONE, prelude=prelude)
        )
    return probes
