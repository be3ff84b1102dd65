"""OpenCL's functions as a library of LLVM's bitcode, compiled once for each compiler and GPU.

``scalars.cl`` has those of numbers that are not alike; the text of the others, of vectors and of
conversions is made here.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path
from typing import Final

from roofline_profiling.emulate.opencl.clang import UNOPTIMISED, Clang, run
from roofline_profiling.errors import ProfilerError

_SCALARS: Final = Path(__file__).with_name("scalars.cl")
_WIDTHS: Final = (2, 3, 4, 8, 16)
_REALS: Final = (("float", "f", "int"), ("double", "", "long"))
"""Types of real numbers, the end of their functions' names in libdevice, and results of tests."""
_SIGNED: Final = {"char": "uchar", "short": "ushort", "int": "uint", "long": "ulong"}
_WHOLE: Final = tuple(name for pair in _SIGNED.items() for name in pair)
_BITS: Final = {"char": 8, "short": 16, "int": 32, "long": 64, "float": 32, "double": 64}
_SPACES: Final = ("__global", "__local", "__private")
_HEX: Final = "0123456789abcdef"

_ONE: Final = (
    "acos acosh asin asinh atan atanh cbrt ceil cos cosh cospi erf erfc exp exp2 exp10 expm1 fabs"
    " floor lgamma log log2 log10 log1p logb round rsqrt sin sinh sinpi sqrt tan tanh tgamma"
    " trunc"
).split()
_TWO: Final = (
    "atan2 copysign fdim fmax fmin fmod hypot nextafter pow remainder"
).split()
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
_TESTS: Final = {
    1: "isnan isinf isfinite isnormal signbit",
    2: "isequal isnotequal isgreater isgreaterequal isless islessequal islessgreater isordered"
    " isunordered",
}
_ROUNDINGS: Final = ("", "_rte", "_rtz", "_rtp", "_rtn")
_ROUND: Final = {"_rte": "rint", "_rtz": "trunc", "_rtp": "ceil", "_rtn": "floor"}


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
            *UNOPTIMISED, "-ffp-contract=fast", "-w", "-emit-llvm", "-c", str(source), "-o", str(made),
        ]  # fmt: skip
        done = run(words)
        if done.returncode:
            said = next((x for x in done.stderr.splitlines() if "error" in x), done.stderr[:300])
            raise ProfilerError(f"{clang.path} cannot compile OpenCL's functions: {said}")
        os.replace(made, path)
    return path


def library_text() -> str:
    """The library in OpenCL C."""
    parts = (
        _opening(), [_SCALARS.read_text(encoding="utf-8")], _of_integers(), _of_vectors(),
        _memory(), _conversions(), _shuffles(), _images(),
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
    for type_, unsigned in _SIGNED.items():
        yield from _integer(type_, unsigned, _BITS[type_], signed=True)
        yield from _integer(unsigned, unsigned, _BITS[type_], signed=False)


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
    for condition in (next(s for s, other in _SIGNED.items() if other == u), u):
        yield f"{head} select({t} a, {t} b, {condition} c) {{ return c ? b : a; }}"
    if bits > 8:
        half = _half_of(t)
        yield (
            f"{head} upsample({half} high, {_SIGNED.get(half, half)} low)"
            f" {{ return ({t})((({u})high << {bits // 2}) | low); }}"
        )


def _half_of(type_: str) -> str:
    kinds = list(_SIGNED) if type_ in _SIGNED else list(_SIGNED.values())
    return kinds[kinds.index(type_) - 1]


def _of_vectors() -> Iterator[str]:
    """Functions of vectors, element by element."""
    for type_, _, test in _REALS:
        for count, names in {1: _ONE, 2: _TWO}.items():
            for name in names:
                yield from _each(name, type_, [type_] * count)
        for count, spelled in _OF_REALS.items():
            for name in spelled.split():
                yield from _each(name, type_, [type_] * count)
        for name in ("ldexp", "pown", "rootn"):
            yield from _each(name, type_, [type_, "int"])
        yield from _each("ilogb", "int", [type_])
        yield from _each("nan", type_, [f"u{test}"])
        for count, spelled in _TESTS.items():
            for name in spelled.split():
                yield from _each(name, test, [type_] * count, test=True)
        yield from _with_numbers(type_)
        for space, (name, second) in product(
            _SPACES, (("fract", type_), ("modf", type_), ("sincos", type_))
        ):
            yield from _two_results(name, type_, [type_], second, space)
        for space in _SPACES:
            yield from _two_results("frexp", type_, [type_], "int", space)
            yield from _two_results("lgamma_r", type_, [type_], "int", space)
            yield from _two_results("remquo", type_, [type_, type_], "int", space)
        for chooser in (test, f"u{test}"):
            yield from _selections(type_, chooser)
    for prefix, (count, spelled) in product(("native_", "half_"), _FAST.items()):
        for name in spelled.split():
            yield from _each(prefix + name, "float", ["float"] * count)
    yield from _integer_vectors()


def _integer_vectors() -> Iterator[str]:
    signed = {other: one for one, other in _SIGNED.items()}
    for t in _WHOLE:
        unsigned = _SIGNED.get(t, t)
        for name in ("min", "max", "hadd", "rhadd", "rotate", "add_sat", "sub_sat", "mul_hi"):
            yield from _each(name, t, [t, t])
        for name in ("clamp", "mad_hi", "mad_sat", "bitselect"):
            yield from _each(name, t, [t, t, t])
        yield from _each("abs", unsigned, [t])
        yield from _each("abs_diff", unsigned, [t, t])
        for name in ("popcount", "clz"):
            yield from _each(name, t, [t])
        for n, name in product(_WIDTHS, ("min", "max")):
            yield f"{t}{n} READS {name}({t}{n} x, {t} y) {{ return {name}(x, ({t}{n})(y)); }}"
        for n in _WIDTHS:
            yield (
                f"{t}{n} READS clamp({t}{n} x, {t} low, {t} high)"
                f" {{ return clamp(x, ({t}{n})(low), ({t}{n})(high)); }}"
            )
        for chooser in (signed.get(unsigned, t), unsigned):
            yield from _selections(t, chooser)
        if t in ("int", "uint"):
            yield from _each("mul24", t, [t, t])
            yield from _each("mad24", t, [t, t, t])
        if t not in ("char", "uchar"):
            half = _half_of(t)
            yield from _each("upsample", t, [half, _SIGNED.get(half, half)])
        if t in _SIGNED:
            for name, mark, start in (("any", "|", "0"), ("all", "&", "-1")):
                yield f"int READS {name}({t} x) {{ return x < 0; }}"
                for n in _WIDTHS:
                    joined = f" {mark} ".join(f"x.s{_HEX[k]}" for k in range(n))
                    yield f"int READS {name}({t}{n} x) {{ return ({joined}) < 0; }}"


def _each(
    name: str, result: str, given: Sequence[str], *, test: bool = False
) -> Iterator[str]:
    """A function for vectors of each width; ``test``: true is -1, where it is 1 for a number."""
    for n in _WIDTHS:
        formal = ", ".join(f"{type_}{n} a{at}" for at, type_ in enumerate(given))
        calls = (
            f"{'-' if test else ''}{name}({', '.join(f'a{at}.s{_HEX[k]}' for at in range(len(given)))})"
            for k in range(n)
        )
        yield f"{result}{n} READS {name}({formal}) {{ return ({result}{n})({', '.join(calls)}); }}"


def _with_numbers(t: str) -> Iterator[str]:
    """Functions that take a number for a vector."""
    for n in _WIDTHS:
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


def _two_results(
    name: str, t: str, given: Sequence[str], second: str, space: str
) -> Iterator[str]:
    for n in _WIDTHS:
        formal = ", ".join(f"{type_}{n} a{at}" for at, type_ in enumerate(given))
        steps = (
            f"r.s{_HEX[k]} = {name}({', '.join(f'a{at}.s{_HEX[k]}' for at in range(len(given)))},"
            f" (__private {second} *)&one); two.s{_HEX[k]} = one;"
            for k in range(n)
        )
        yield (
            f"{t}{n} FUNCTION {name}({formal}, {space} {second}{n} *other)"
            f" {{ {t}{n} r; {second}{n} two; {second} one; {' '.join(steps)} *other = two;"
            " return r; }"
        )


def _selections(t: str, chooser: str) -> Iterator[str]:
    """``select`` of vectors, where the highest bit tells."""
    sign = {other: one for one, other in _SIGNED.items()}.get(chooser, chooser)
    for n in _WIDTHS:
        parts = (
            f"({sign})c.s{_HEX[k]} < 0 ? b.s{_HEX[k]} : a.s{_HEX[k]}" for k in range(n)
        )
        yield (
            f"{t}{n} READS select({t}{n} a, {t}{n} b, {chooser}{n} c)"
            f" {{ return ({t}{n})({', '.join(parts)}); }}"
        )


def _memory() -> Iterator[str]:
    """``vload`` and ``vstore``: elements one by one, as only these are aligned."""
    loads = (*_SPACES, "__constant")
    for t, n in product((*_WHOLE, "float", "double"), _WIDTHS):
        for space in loads:
            parts = ", ".join(f"p[{n} * i + {k}]" for k in range(n))
            yield (
                f"{t}{n} FUNCTION vload{n}(size_t i, const {space} {t} *p)"
                f" {{ return ({t}{n})({parts}); }}"
            )
        for space in _SPACES:
            steps = " ".join(f"p[{n} * i + {k}] = v.s{_HEX[k]};" for k in range(n))
            yield f"void FUNCTION vstore{n}({t}{n} v, size_t i, {space} {t} *p) {{ {steps} }}"
    for space in loads:
        read = f"const {space} half *p"
        yield (
            f"float FUNCTION vload_half(size_t i, {read}) {{ ushort h ="
            f" ((const {space} ushort *)p)[i]; float f; __asm__(\"cvt.f32.f16 %0, %1;\" :"
            ' "=f"(f) : "h"(h)); return f; }'
        )
        for n in _WIDTHS:
            for name, step in ((f"vload_half{n}", n), (f"vloada_half{n}", 4 if n == 3 else n)):
                parts = ", ".join(f"vload_half({step} * i + {k}, p)" for k in range(n))
                yield f"float{n} FUNCTION {name}(size_t i, {read}) {{ return (float{n})({parts}); }}"
    for space, rounding in product(_SPACES, _ROUNDINGS):
        mode = {"": "rn", "_rte": "rn", "_rtz": "rz", "_rtp": "rp", "_rtn": "rm"}[rounding]
        # There is no direct conversion upwards or downwards to half precision on all GPUs.
        mode = mode if mode in ("rn", "rz") else "rn"
        yield (
            f"void FUNCTION vstore_half{rounding}(float f, size_t i, {space} half *p) {{ ushort h;"
            f' __asm__("cvt.{mode}.f16.f32 %0, %1;" : "=h"(h) : "f"(f));'
            f" (({space} ushort *)p)[i] = h; }}"
        )
        for n in _WIDTHS:
            pairs = (
                (f"vstore_half{n}{rounding}", n),
                (f"vstorea_half{n}{rounding}", 4 if n == 3 else n),
            )
            for name, step in pairs:
                steps = " ".join(
                    f"vstore_half{rounding}(v.s{_HEX[k]}, {step} * i + {k}, p);" for k in range(n)
                )
                yield f"void FUNCTION {name}(float{n} v, size_t i, {space} half *p) {{ {steps} }}"


def _conversions() -> Iterator[str]:
    types = (*_WHOLE, "float", "double")
    for to, came in product(types, types):
        yield from _conversion(to, came)


def _conversion(to: str, came: str) -> Iterator[str]:
    """``convert_`` with and without saturation, in each way of rounding."""
    whole = to in _WHOLE
    for saturates, rounding in product(("", "_sat") if whole else ("",), _ROUNDINGS):
        name = f"{to}{{}}{saturates}{rounding}"
        value = "x"
        if whole and came not in _WHOLE and rounding in _ROUND:
            value = f"{_ROUND[rounding]}(x)"
        if saturates:
            value = _saturated(to, came, value)
        body = f"({to})({value})"
        yield f"{to} READS convert_{name.format('')}({came} x) {{ return {body}; }}"
        for n in _WIDTHS:
            calls = ", ".join(f"convert_{name.format('')}(x.s{_HEX[k]})" for k in range(n))
            yield (
                f"{to}{n} READS convert_{name.format(n)}({came}{n} x)"
                f" {{ return ({to}{n})({calls}); }}"
            )


def _saturated(to: str, came: str, value: str) -> str:
    signed = to in _SIGNED
    bits = _BITS[to if signed else next(s for s, u in _SIGNED.items() if u == to)]
    low = f"(-1l << {bits - 1})" if signed else "0"
    high = f"((1ul << {bits - 1}) - 1)" if signed else f"(~0ul >> {64 - bits})"
    if came in _WHOLE:
        least = "" if came not in _SIGNED else f"(long){value} < (long){low} ? ({to}){low} : "
        above = f"(ulong){value} > (ulong){high}"
        if came in _SIGNED:
            above = f"({value} > 0 && {above})"
        return f"{least}{above} ? ({to}){high} : ({to}){value}"
    return (
        f"{value} != {value} ? ({to})0 : {value} <= ({came})({low}) ? ({to}){low}"
        f" : {value} >= ({came})({high}) ? ({to}){high} : ({to}){value}"
    )


def _shuffles() -> Iterator[str]:
    kinds = {8: ("char", "uchar"), 16: ("short", "ushort"), 32: ("int", "uint", "float")}
    kinds[64] = ("long", "ulong", "double")
    masks = {8: "uchar", 16: "ushort", 32: "uint", 64: "ulong"}
    for bits, types in kinds.items():
        for t, have, want in product(types, (2, 4, 8, 16), (2, 4, 8, 16)):
            mask = f"{masks[bits]}{want}"
            one = ", ".join(f"((const {t} *)&a)[m.s{_HEX[k]} & {have - 1}]" for k in range(want))
            yield f"{t}{want} READS shuffle({t}{have} a, {mask} m) {{ return ({t}{want})({one}); }}"
            two = ", ".join(
                f"(m.s{_HEX[k]} & {have} ? ((const {t} *)&b) : ((const {t} *)&a))"
                f"[m.s{_HEX[k]} & {have - 1}]"
                for k in range(want)
            )
            yield (
                f"{t}{want} READS shuffle2({t}{have} a, {t}{have} b, {mask} m)"
                f" {{ return ({t}{want})({two}); }}"
            )


def _images() -> Iterator[str]:
    """Reads of images. An image is the first of its handles as a texture, a sampler a number to add.

    Their types cannot be taken apart in OpenCL C, so functions are defined by their mangled names,
    and pointers stand for both.
    """
    yield "__constant void *__translate_sampler_initializer(int bits) {"
    yield "  return (__constant void *)(ulong)bits; }"
    axes = {1: ("1d", "image1d", "x"), 2: ("2d", "image2d", "xy"), 3: ("3d", "image3d", "xyz")}
    kinds = {"f": ("float4", "f32", "=f"), "i": ("int4", "s32", "=r"), "ui": ("uint4", "u32", "=r")}
    for (dimensions, axis), (end, kind) in product(axes.items(), kinds.items()):
        for coordinates in ("float", "int"):
            yield from _image_read(dimensions, axis, end, kind, coordinates)


def _image_read(
    dimensions: int,
    axis: tuple[str, str, str],
    end: str,
    kind: tuple[str, str, str],
    coordinates: str,
) -> Iterator[str]:
    shape, image, names = axis
    result, ptx, output = kind
    width = {1: "", 2: "2", 3: "4"}[dimensions]
    letter = coordinates[0]
    mangled = f"Dv{width}_{letter}" if width else letter
    function = f"read_image{end}"
    head = f"_Z{len(function)}{function}{len(image) + 7}ocl_{image}_ro"
    given = [f"at.{name}" if width else "at" for name in names]
    if dimensions == 3:
        given.append(given[-1])  # a vector of four, whose last is not looked at
    register = "f" if coordinates == "float" else "r"
    places = ", ".join(f"%{5 + n}" for n in range(len(given)))
    inputs = ", ".join(f'"{register}"({each})' for each in given)
    outputs = ", ".join(f'"{output}"(v.{each})' for each in "xyzw")
    at = places if dimensions == 1 else f"{{{places}}}"
    read = (
        f'__asm__("tex.{shape}.v4.{ptx}.{"f32" if register == "f" else "s32"}'
        f' {{%0, %1, %2, %3}}, [%4, {at}];" : {outputs} : "l"(handle), {inputs});'
    )
    body = f"{{ {result} v; const ulong handle = HANDLE; {read} return v; }}"
    picture = "__global const void *image"
    yield (
        f"{result} {head}11ocl_sampler{mangled}({picture}, __constant const void *sampler,"
        f" {coordinates}{width} at) {body.replace('HANDLE', '(ulong)image + (ulong)sampler')}"
    )
    if coordinates == "int":
        plain = "(ulong)image + (CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE)"
        yield f"{result} {head}{mangled}({picture}, int{width} at) {body.replace('HANDLE', plain)}"
