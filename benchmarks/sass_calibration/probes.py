"""The operations to measure, as data.

A probe is one expression over operands ``x``, ``y``, ``z`` (and the writable places ``p``, ``q``).
Its ordinary arguments choose the path that its cost follows; ``slow`` names arguments that leave
the fast path, where there are such, ``zero`` those of a division of 0. Several ordinary argument
sets are averaged.
"""

from collections.abc import Sequence
from dataclasses import dataclass

Value = float | int
Arguments = tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Probe:
    """One operation: its key in the table and the code that shows it."""

    section: str
    """``functions``, ``operators`` or ``conversions``."""
    key: str
    """The key in the table, such as ``expf`` or ``int / var``."""
    types: tuple[str, ...]
    """C types of the operands x, y, z, each loaded from memory."""
    result: str
    """C type of the result."""
    expression: str
    """The C expression whose cost is wanted."""
    ordinary: tuple[Arguments, ...]
    """Argument sets on the ordinary path; the cost is their mean."""
    slow: tuple[Arguments, ...] = ()
    """Argument sets off the fast path; empty where there is no other path worth naming."""
    expected: str | None = None
    """Python expression of the result in x, y, z and ``math``, to check the machine model."""
    prelude: str = ""
    """Statements before the expression."""
    setup: str = ""
    """Statements that both the kernel and its empty twin have."""
    twin: str | None = None
    """Expression of the twin, where the operation is measured inside another; else no work."""
    zero: tuple[Arguments, ...] = ()
    """Argument sets of a division whose dividend is 0, which leaves the fast path, too."""


def _floats(width: str) -> list[Probe]:  # noqa: C901, PLR0915  a list
    """Return the probes of ``float`` or ``double`` functions and operators."""
    f = "f" if width == "float" else ""
    tiny = 1e-40 if width == "float" else 1e-310
    huge = 3e5 if width == "float" else 3e12
    probes: list[Probe] = []

    def unary(
        name: str, values: Sequence[float], expected: str | None, slow: Sequence[float] = ()
    ) -> None:
        """Add a function of one number; ``slow`` has arguments that take its slow path."""
        probes.append(
            Probe("functions", name + f, (width,), width, f"{name}{f}(x)",
                  tuple((v,) for v in values), tuple((v,) for v in slow), expected)
        )  # fmt: skip

    def operator(name: str, expression: str, slow: tuple[Arguments, ...], expected: str,
                 zero: tuple[Arguments, ...] = ()) -> None:  # fmt: skip
        """Add an operator of ``x``, and of ``y`` if the expression has one."""
        types = (width, width, width)[: 2 if "y" in expression else 1]
        probes.append(
            Probe("operators", f"{width} {name}", types, width, expression,
                  tuple(v[: len(types)] for v in ((2.75, 1.4), (0.3, 7.1))),
                  tuple(v[: len(types)] for v in slow), expected, zero=zero)
        )  # fmt: skip

    operator("+", "x + y", (), "x + y")
    operator("-", "x - y", (), "x - y")
    operator("*", "x * y", (), "x * y")
    operator("/", "x / y", ((tiny, 3.1),), "x / y", ((0.0, 3.1),))
    operator("/ const", "x / 3.0f" if f else "x / 3.0", ((tiny,),), "x / 3.0", ((0.0,),))
    operator("/ pow2", "x / 4.0f" if f else "x / 4.0", (), "x / 4.0")
    operator("1 /", "1.0f / x" if f else "1.0 / x", ((tiny,),), "1.0 / x")
    operator("compare", "(x < y) ? x : y", (), "min(x, y)")
    operator("*+", "x * y + x", (), "x * y + x")
    for name, slow in (("sqrt", (tiny,)), ("exp", ()), ("expm1", ()), ("sinh", ()), ("cosh", ())):
        unary(name, (0.37, 2.6), f"math.{name}(x)", slow)
    unary("exp2", (0.37, 2.6), "2.0 ** x")
    unary("exp10", (0.37, 2.6), "10.0 ** x")
    unary("rsqrt", (0.37, 2.6), "x ** -0.5", (tiny,))
    unary("cbrt", (0.37, 2.6), "x ** (1 / 3)")
    unary("rcbrt", (0.37, 2.6), "x ** (-1 / 3)")
    for name in ("log", "log2", "log10", "log1p"):
        unary(name, (0.37, 2.6), f"math.{name}(x)", (tiny,) if name != "log1p" else ())
    for name in ("sin", "cos", "tan"):
        unary(name, (0.37, 2.6, 11.0), f"math.{name}(x)", (huge,))
    unary("sinpi", (0.37, 2.6), "math.sin(math.pi * x)")
    unary("cospi", (0.37, 2.6), "math.cos(math.pi * x)")
    for name in ("asin", "acos"):
        unary(name, (0.2, 0.8), f"math.{name}(x)")
    for name in ("atan", "tanh", "erf", "erfc"):
        unary(name, (0.37, 1.6), f"math.{name}(x)")
    unary("asinh", (0.37, 1.6), "math.asinh(x)")
    unary("acosh", (1.37, 2.6), "math.acosh(x)")
    unary("atanh", (0.37, 0.7), "math.atanh(x)")
    unary("lgamma", (1.7, 4.3), "math.lgamma(x)")
    unary("tgamma", (1.7, 4.3), "math.gamma(x)")
    unary("normcdf", (0.37, 1.6), "0.5 * math.erfc(-x / math.sqrt(2))")
    unary("erfinv", (0.37, 0.7), None)
    unary("floor", (2.6, -0.3), "math.floor(x)")
    unary("ceil", (2.6, 0.3), "math.ceil(x)")
    unary("trunc", (2.6, 0.3), "math.trunc(x)")
    unary("round", (2.6, 0.3), "math.floor(x + 0.5)")
    unary("rint", (2.6, 0.3), "round(x)")
    unary("nearbyint", (2.6, 0.3), "round(x)")
    # A sign or an absolute value is a modifier of the operand of what uses it.
    for section, name, changed in (("functions", "fabs" + f, f"fabs{f}(x)"),
                                   ("operators", f"{width} negate", "-x")):  # fmt: skip
        probes.append(Probe(section, name, (width,) * 3, width, f"{changed} + y * z",
                            ((2.6, -0.3, 1.7),), twin="x + y * z"))  # fmt: skip
    for whole in (2, 3):
        probes.append(
            Probe(
                "functions",
                f"pow ({width}, int {whole})",
                (width,),
                width,
                f"pow(x, {whole})",
                ((0.37,), (2.6,)),
                (),
                f"x ** {whole}",
            )
        )
    for exponent in ("2", "3", "4", "0.5", "1.5", "-1"):
        literal = (f"{exponent}.0" if "." not in exponent else exponent) + f
        probes.append(
            Probe(
                "functions",
                f"pow{f} (exponent {exponent})",
                (width,),
                width,
                f"pow{f}(x, {literal})",
                ((0.37,), (2.6,)),
                (),
                f"x ** {exponent}",
            )
        )

    def binary(name: str, values: tuple[Arguments, ...], expected: str | None,
               slow: tuple[Arguments, ...] = ()) -> None:  # fmt: skip
        """Add a function of two numbers."""
        probes.append(
            Probe("functions", name + f, (width, width), width, f"{name}{f}(x, y)", values, slow,
                  expected)
        )  # fmt: skip

    pair = ((2.75, 1.4), (0.3, 7.1))
    binary("pow", pair, "x ** y", ((tiny, 0.5),))
    binary("atan2", pair, "math.atan2(x, y)")
    binary("hypot", pair, "math.hypot(x, y)")
    binary("fmod", ((7.3, 1.4), (0.3, 7.1)), "math.fmod(x, y)", ((1e15, 1.4),))
    binary("remainder", ((7.3, 1.4), (0.3, 7.1)), "math.remainder(x, y)")
    binary("fmin", pair, "min(x, y)")
    binary("fmax", pair, "max(x, y)")
    binary("fdim", pair, "max(x - y, 0.0)")
    binary("copysign", pair, "math.copysign(x, y)")
    probes.append(Probe("functions", "fma" + f, (width,) * 3, width, f"fma{f}(x, y, z)",
                        ((2.75, 1.4, 0.7),), (), "x * y + z"))  # fmt: skip
    for name in ("sincos", "sincospi"):
        probes.append(Probe("functions", name + f, (width,), width, "s",
                            ((0.37,), (2.6,)), ((huge,),) if name == "sincos" else (), None,
                            f"{width} s, c; {name}{f}(x, &s, &c); *q = c;"))  # fmt: skip
    return probes


def float_probes() -> list[Probe]:
    """Return the probes of single and double precision."""
    return _floats("float") + _floats("double")
