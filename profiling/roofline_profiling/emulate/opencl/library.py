"""OpenCL's functions as a library of LLVM's bitcode, compiled once for each compiler and GPU.

``scalars.cl`` has those of numbers that are not alike; the text of the others, of vectors and of
conversions is made here.
"""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path
from typing import Final

from roofline_profiling.emulate.opencl.clang import UNOPTIMISED, Clang, run
from roofline_profiling.emulate.opencl.element_types import (
    BITS,
    HEX,
    SIGNED,
    SPACES,
    WHOLE,
    WIDTHS,
)
from roofline_profiling.emulate.opencl.memory_functions import (
    conversions,
    image_reads,
    memory,
    shuffles,
)
from roofline_profiling.errors import ProfilerError

_SCALARS: Final = Path(__file__).with_name("scalars.cl")
_REALS: Final = (("float", "f", "int"), ("double", "", "long"))
"""Types of real numbers, the end of their functions' names in libdevice, and results of tests."""

_ONE: Final = (
    "acos acosh asin asinh atan atanh cbrt ceil cos cosh cospi erf erfc exp exp2 exp10 expm1 fabs"
    " floor lgamma log log2 log10 log1p logb round rsqrt sin sinh sinpi sqrt tan tanh tgamma"
    " trunc"
).split()
_TWO: Final = ("atan2 copysign fdim fmax fmin fmod hypot nextafter pow remainder").split()
"""Functions of one and two real numbers that libdevice has by the same name; ``fma`` is besides."""
_OF_REALS: Final = {
    1: "rint acospi asinpi atanpi tanpi degrees radians sign",
    2: "powr maxmag minmag max min atan2pi step",
    3: "mad clamp mix smoothstep bitselect fma",
}
"""Further functions of real numbers alone, by how many they take."""
_FAST: Final = {
    1: "sin cos tan exp exp2 exp10 log log2 log10 sqrt rsqrt recip",
    2: "divide powr",
}
_OF_WHOLE: Final = {
    1: "popcount clz",
    2: "min max hadd rhadd rotate add_sat sub_sat mul_hi",
    3: "clamp mad_hi mad_sat bitselect",
}
"""Functions of whole numbers of one type."""
_TESTS: Final = {
    1: "isnan isinf isfinite isnormal signbit",
    2: "isequal isnotequal isgreater isgreaterequal isless islessequal islessgreater isordered"
    " isunordered",
}


def library(clang: Clang, cache: Path) -> Path:
    """The library's file in the cache, compiled unless it is there. Raises ProfilerError."""
    text = library_text()
    digest = hashlib.sha256(f"{clang.key}\0{UNOPTIMISED}\0{text}".encode()).hexdigest()[:24]
    path = cache / f"opencl-{digest}.bc"
    if path.exists():
        return path
    with tempfile.TemporaryDirectory(prefix="roofline-", dir=cache) as held:
        source, made = Path(held) / "library.cl", Path(held) / "library.bc"
        source.write_text(text, encoding="utf-8")
        words = [
            *clang.command, "-cl-std=CL1.2", "-cl-no-stdinc", "-include", "opencl-c-base.h",
            *UNOPTIMISED, "-ffp-contract=fast", "-w", "-emit-llvm", "-c", str(source), "-o",
            str(made),
        ]  # fmt: skip
        done = run(words)
        if done.returncode:
            said = next((x for x in done.stderr.splitlines() if "error" in x), done.stderr[:300])
            raise ProfilerError(f"{clang.path} cannot compile OpenCL's functions: {said}")
        made.replace(path)
    return path


def library_text() -> str:
    """The library in OpenCL C."""
    parts = (
        _opening(), [_SCALARS.read_text(encoding="utf-8")], _of_integers(), _of_vectors(),
        memory(), conversions(), shuffles(), image_reads(),
    )  # fmt: skip
    return "\n".join(line for part in parts for line in part) + "\n"


def _opening() -> Iterator[str]:
    """What libdevice has by the same name."""
    yield "#pragma OPENCL EXTENSION cl_khr_fp64 : enable"
    for type_, suffix, _ in _REALS:
        of = {1: _ONE, 2: _TWO, 3: ["fma"]}
        for count, names in of.items():
            for name in names:
                given = ", ".join(f"{type_} a{n}" for n in range(count))
                passed = ", ".join(f"a{n}" for n in range(count))
                yield f"{type_} __nv_{name}{suffix}({given});"
                yield (
                    f"{type_} __attribute__((overloadable, always_inline, const)) {name}({given})"
                    f" {{ return __nv_{name}{suffix}({passed}); }}"
                )


def _of_integers() -> Iterator[str]:
    """Functions of whole numbers; those of vectors follow from them."""
    for type_, unsigned in SIGNED.items():
        yield from _integer(type_, unsigned, BITS[type_], signed=True)
        yield from _integer(unsigned, unsigned, BITS[type_], signed=False)


def _integer(t: str, u: str, bits: int, *, signed: bool) -> Iterator[str]:
    low = f"(({t})((({u})1) << {bits - 1}))" if signed else f"(({t})0)"
    high = f"(({t})~{low})"
    count = "ll" if bits == 64 else ""
    wide = "ulong" if bits == 64 else "uint"
    head = f"{t} READS"
    same = {
        "min": f"({t} x, {t} y) {{ return x < y ? x : y; }}",
        "max": f"({t} x, {t} y) {{ return x > y ? x : y; }}",
        "clamp": f"({t} x, {t} low, {t} high) {{ return min(max(x, low), high); }}",
        "hadd": f"({t} x, {t} y) {{ return (x & y) + ((x ^ y) >> 1); }}",
        "rhadd": f"({t} x, {t} y) {{ return (x | y) - ((x ^ y) >> 1); }}",
        "rotate": f"({t} x, {t} n) {{ return ({t})((({u})x << (n & {bits - 1}))"
        f" | (({u})x >> (-n & {bits - 1}))); }}",
        "popcount": f"({t} x) {{ return __builtin_popcount{count}(({wide})({u})x); }}",
        "clz": f"({t} x) {{ return ({u})x == 0 ? {bits}"
        f" : __builtin_clz{count}(({wide})({u})x) - {max(0, 32 - bits)}; }}",
        "mad_hi": f"({t} a, {t} b, {t} c) {{ return mul_hi(a, b) + c; }}",
        "bitselect": f"({t} a, {t} b, {t} c) {{ return (a & ~c) | (b & c); }}",
    }
    if signed:
        same |= {
            "add_sat": f"({t} x, {t} y) {{ {t} r; return __builtin_add_overflow(x, y, &r)"
            f" ? (x < 0 ? {low} : {high}) : r; }}",
            "sub_sat": f"({t} x, {t} y) {{ {t} r; return __builtin_sub_overflow(x, y, &r)"
            f" ? (x < 0 ? {low} : {high}) : r; }}",
        }
        yield f"{u} READS abs({t} x) {{ return ({u})(x < 0 ? -x : x); }}"
        yield (
            f"{u} READS abs_diff({t} x, {t} y)"
            f" {{ return x > y ? ({u})x - ({u})y : ({u})y - ({u})x; }}"
        )
    else:
        same |= {
            "add_sat": f"({t} x, {t} y) {{ const {t} r = x + y; return r < x ? {high} : r; }}",
            "sub_sat": f"({t} x, {t} y) {{ return x > y ? x - y : 0; }}",
        }
        yield f"{t} READS abs({t} x) {{ return x; }}"
        yield f"{t} READS abs_diff({t} x, {t} y) {{ return x > y ? x - y : y - x; }}"
    for name, rest in same.items():
        yield f"{head} {name}{rest}"
    saturated = f"{'add_sat'}((({t})(a * b)), c)"
    if bits < 64:
        saturated = f"convert_sat_{t}((long)a * b + c)"
        yield (
            f"static inline {t} convert_sat_{t}(long x)"
            f" {{ return x < (long){low} ? {low} : x > (long){high} ? {high} : ({t})x; }}"
        )
    elif signed:
        saturated = (
            f"mul_hi(a, b) == (a * b) >> 63 ? add_sat(a * b, c) : (a ^ b) < 0 ? {low} : {high}"
        )
    else:
        saturated = f"mul_hi(a, b) != 0 ? {high} : add_sat(a * b, c)"
    yield f"{head} mad_sat({t} a, {t} b, {t} c) {{ return {saturated}; }}"
    for condition in (next(s for s, other in SIGNED.items() if other == u), u):
        yield f"{head} select({t} a, {t} b, {condition} c) {{ return c ? b : a; }}"
    if bits > 8:
        half = _half_of(t)
        yield (
            f"{head} upsample({half} high, {SIGNED.get(half, half)} low)"
            f" {{ return ({t})((({u})high << {bits // 2}) | low); }}"
        )


def _half_of(type_: str) -> str:
    kinds = list(SIGNED) if type_ in SIGNED else list(SIGNED.values())
    return kinds[kinds.index(type_) - 1]


def _of_vectors() -> Iterator[str]:
    """Functions of vectors, element by element."""
    for type_, _, test in _REALS:
        for name, given in _of_reals(type_):
            yield from _each(name, type_, given)
        yield from _each("ilogb", "int", [type_])
        yield from _each("nan", type_, [f"u{test}"])
        for count, spelled in _TESTS.items():
            for name in spelled.split():
                yield from _each(name, test, [type_] * count, test=True)
        yield from _with_numbers(type_)
        for space in SPACES:
            yield from _with_second_results(type_, space)
        for chooser in (test, f"u{test}"):
            yield from _selections(type_, chooser)
    for prefix, (count, spelled) in product(("native_", "half_"), _FAST.items()):
        for name in spelled.split():
            yield from _each(prefix + name, "float", ["float"] * count)
    for type_ in WHOLE:
        yield from _of_whole_vectors(type_)


def _of_reals(type_: str) -> Iterator[tuple[str, list[str]]]:
    """Functions whose result has the type of their first argument, and what they take."""
    named = {1: " ".join(_ONE), 2: " ".join(_TWO)}
    for table in (named, _OF_REALS):
        for count, spelled in table.items():
            yield from ((name, [type_] * count) for name in spelled.split())
    yield from ((name, [type_, "int"]) for name in ("ldexp", "pown", "rootn"))


def _with_second_results(type_: str, space: str) -> Iterator[str]:
    """Functions that store a second result in a kind of memory."""
    for name in ("fract", "modf", "sincos"):
        yield from _two_results(name, type_, [type_], type_, space)
    for name, count in (("frexp", 1), ("lgamma_r", 1), ("remquo", 2)):
        yield from _two_results(name, type_, [type_] * count, "int", space)


def _of_whole_vectors(t: str) -> Iterator[str]:
    unsigned = SIGNED.get(t, t)
    signed = next(one for one, other in SIGNED.items() if other == unsigned)
    for count, spelled in _OF_WHOLE.items():
        for name in spelled.split():
            yield from _each(name, t, [t] * count)
    yield from _each("abs", unsigned, [t])
    yield from _each("abs_diff", unsigned, [t, t])
    for n in WIDTHS:
        v = f"{t}{n}"
        for name in ("min", "max"):
            yield f"{v} READS {name}({v} x, {t} y) {{ return {name}(x, ({v})(y)); }}"
        yield f"{v} READS clamp({v} x, {t} a, {t} b) {{ return clamp(x, ({v})(a), ({v})(b)); }}"
    for chooser in (signed, unsigned):
        yield from _selections(t, chooser)
    if unsigned == "uint":
        yield from _each("mul24", t, [t, t])
        yield from _each("mad24", t, [t, t, t])
    if unsigned != "uchar":
        half = _half_of(t)
        yield from _each("upsample", t, [half, SIGNED.get(half, half)])
    if t == signed:
        yield from _tests_of_all(t)


def _tests_of_all(t: str) -> Iterator[str]:
    """``any`` and ``all``: of the highest bits."""
    for name, mark in (("any", "|"), ("all", "&")):
        yield f"int READS {name}({t} x) {{ return x < 0; }}"
        for n in WIDTHS:
            joined = f" {mark} ".join(f"x.s{HEX[k]}" for k in range(n))
            yield f"int READS {name}({t}{n} x) {{ return ({joined}) < 0; }}"


def _each(name: str, result: str, given: Sequence[str], *, test: bool = False) -> Iterator[str]:
    """A function for vectors of each width; ``test``: true is -1, where it is 1 for a number."""
    sign = "-" if test else ""
    for n in WIDTHS:
        formal = ", ".join(f"{type_}{n} a{at}" for at, type_ in enumerate(given))
        calls = (f"{sign}{name}({_elements(len(given), k)})" for k in range(n))
        yield f"{result}{n} READS {name}({formal}) {{ return ({result}{n})({', '.join(calls)}); }}"


def _elements(count: int, k: int) -> str:
    """The same element of several vectors."""
    return ", ".join(f"a{at}.s{HEX[k]}" for at in range(count))


def _with_numbers(t: str) -> Iterator[str]:
    """Functions that take a number for a vector."""
    for n in WIDTHS:
        v = f"{t}{n}"
        for name in ("fmin", "fmax", "min", "max"):
            yield f"{v} READS {name}({v} x, {t} y) {{ return {name}(x, ({v})(y)); }}"
        yield f"{v} READS clamp({v} x, {t} a, {t} b) {{ return clamp(x, ({v})(a), ({v})(b)); }}"
        yield f"{v} READS mix({v} x, {v} y, {t} a) {{ return mix(x, y, ({v})(a)); }}"
        yield f"{v} READS step({t} a, {v} x) {{ return step(({v})(a), x); }}"
        yield (
            f"{v} READS smoothstep({t} a, {t} b, {v} x)"
            f" {{ return smoothstep(({v})(a), ({v})(b), x); }}"
        )
        yield f"{v} READS ldexp({v} x, int n) {{ return ldexp(x, (int{n})(n)); }}"


def _two_results(name: str, t: str, given: Sequence[str], second: str, space: str) -> Iterator[str]:
    for n in WIDTHS:
        formal = ", ".join(f"{type_}{n} a{at}" for at, type_ in enumerate(given))
        steps = (
            f"r.s{HEX[k]} = {name}({_elements(len(given), k)},"
            f" (__private {second} *)&one); two.s{HEX[k]} = one;"
            for k in range(n)
        )
        yield (
            f"{t}{n} FUNCTION {name}({formal}, {space} {second}{n} *other)"
            f" {{ {t}{n} r; {second}{n} two; {second} one; {' '.join(steps)} *other = two;"
            " return r; }"
        )


def _selections(t: str, chooser: str) -> Iterator[str]:
    """``select`` of vectors, where the highest bit tells."""
    sign = {other: one for one, other in SIGNED.items()}.get(chooser, chooser)
    for n in WIDTHS:
        parts = (f"({sign})c.s{HEX[k]} < 0 ? b.s{HEX[k]} : a.s{HEX[k]}" for k in range(n))
        yield (
            f"{t}{n} READS select({t}{n} a, {t}{n} b, {chooser}{n} c)"
            f" {{ return ({t}{n})({', '.join(parts)}); }}"
        )
