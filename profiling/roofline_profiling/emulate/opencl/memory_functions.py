"""OpenCL's functions that load and store vectors, convert and shuffle them, and read images."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Final

from roofline_profiling.emulate.opencl.element_types import (
    BITS,
    HEX,
    SIGNED,
    SPACES,
    WHOLE,
    WIDTHS,
)

_ROUNDINGS: Final = ("", "_rte", "_rtz", "_rtp", "_rtn")
_ROUND: Final = {"_rte": "rint", "_rtz": "trunc", "_rtp": "ceil", "_rtn": "floor"}


def memory() -> Iterator[str]:
    """``vload`` and ``vstore``: elements one by one, as only these are aligned."""
    loads = (*SPACES, "__constant")
    for t, n in product((*WHOLE, "float", "double"), WIDTHS):
        for space in loads:
            parts = ", ".join(f"p[{n} * i + {k}]" for k in range(n))
            yield (
                f"{t}{n} FUNCTION vload{n}(size_t i, const {space} {t} *p)"
                f" {{ return ({t}{n})({parts}); }}"
            )
        for space in SPACES:
            steps = " ".join(f"p[{n} * i + {k}] = v.s{HEX[k]};" for k in range(n))
            yield f"void FUNCTION vstore{n}({t}{n} v, size_t i, {space} {t} *p) {{ {steps} }}"
    for space in loads:
        read = f"const {space} half *p"
        yield (
            f"float FUNCTION vload_half(size_t i, {read}) {{ ushort h ="
            f' ((const {space} ushort *)p)[i]; float f; __asm__("cvt.f32.f16 %0, %1;" :'
            ' "=f"(f) : "h"(h)); return f; }'
        )
        for n in WIDTHS:
            for name, step in ((f"vload_half{n}", n), (f"vloada_half{n}", 4 if n == 3 else n)):
                parts = ", ".join(f"vload_half({step} * i + {k}, p)" for k in range(n))
                head = f"float{n} FUNCTION {name}(size_t i, {read})"
                yield f"{head} {{ return (float{n})({parts}); }}"
    for space, rounding in product(SPACES, _ROUNDINGS):
        mode = {"": "rn", "_rte": "rn", "_rtz": "rz", "_rtp": "rp", "_rtn": "rm"}[rounding]
        # There is no direct conversion upwards or downwards to half precision on all GPUs.
        mode = mode if mode in ("rn", "rz") else "rn"
        yield (
            f"void FUNCTION vstore_half{rounding}(float f, size_t i, {space} half *p) {{ ushort h;"
            f' __asm__("cvt.{mode}.f16.f32 %0, %1;" : "=h"(h) : "f"(f));'
            f" (({space} ushort *)p)[i] = h; }}"
        )
        for n in WIDTHS:
            pairs = (
                (f"vstore_half{n}{rounding}", n),
                (f"vstorea_half{n}{rounding}", 4 if n == 3 else n),
            )
            for name, step in pairs:
                steps = " ".join(
                    f"vstore_half{rounding}(v.s{HEX[k]}, {step} * i + {k}, p);" for k in range(n)
                )
                yield f"void FUNCTION {name}(float{n} v, size_t i, {space} half *p) {{ {steps} }}"


def conversions() -> Iterator[str]:
    """``convert_`` of each type to each other."""
    types = (*WHOLE, "float", "double")
    for to, came in product(types, types):
        yield from _conversion(to, came)


def _conversion(to: str, came: str) -> Iterator[str]:
    """``convert_`` with and without saturation, in each way of rounding."""
    whole = to in WHOLE
    for saturates, rounding in product(("", "_sat") if whole else ("",), _ROUNDINGS):
        name = f"{to}{{}}{saturates}{rounding}"
        value = "x"
        if whole and came not in WHOLE and rounding in _ROUND:
            value = f"{_ROUND[rounding]}(x)"
        if saturates:
            value = _saturated(to, came, value)
        body = f"({to})({value})"
        yield f"{to} READS convert_{name.format('')}({came} x) {{ return {body}; }}"
        for n in WIDTHS:
            calls = ", ".join(f"convert_{name.format('')}(x.s{HEX[k]})" for k in range(n))
            yield (
                f"{to}{n} READS convert_{name.format(n)}({came}{n} x)"
                f" {{ return ({to}{n})({calls}); }}"
            )


def _saturated(to: str, came: str, value: str) -> str:
    signed = to in SIGNED
    bits = BITS[to if signed else next(s for s, u in SIGNED.items() if u == to)]
    low = f"(-1l << {bits - 1})" if signed else "0"
    high = f"((1ul << {bits - 1}) - 1)" if signed else f"(~0ul >> {64 - bits})"
    if came in WHOLE:
        least = "" if came not in SIGNED else f"(long){value} < (long){low} ? ({to}){low} : "
        above = f"(ulong){value} > (ulong){high}"
        if came in SIGNED:
            above = f"({value} > 0 && {above})"
        return f"{least}{above} ? ({to}){high} : ({to}){value}"
    return (
        f"{value} != {value} ? ({to})0 : {value} <= ({came})({low}) ? ({to}){low}"
        f" : {value} >= ({came})({high}) ? ({to}){high} : ({to}){value}"
    )


def shuffles() -> Iterator[str]:
    """``shuffle`` and ``shuffle2``."""
    kinds = {8: ("char", "uchar"), 16: ("short", "ushort"), 32: ("int", "uint", "float")}
    kinds[64] = ("long", "ulong", "double")
    masks = {8: "uchar", 16: "ushort", 32: "uint", 64: "ulong"}
    for bits, types in kinds.items():
        for t, have, want in product(types, (2, 4, 8, 16), (2, 4, 8, 16)):
            mask = f"{masks[bits]}{want}"
            one = ", ".join(f"((const {t} *)&a)[m.s{HEX[k]} & {have - 1}]" for k in range(want))
            yield f"{t}{want} READS shuffle({t}{have} a, {mask} m) {{ return ({t}{want})({one}); }}"
            two = ", ".join(
                f"(m.s{HEX[k]} & {have} ? ((const {t} *)&b) : ((const {t} *)&a))"
                f"[m.s{HEX[k]} & {have - 1}]"
                for k in range(want)
            )
            yield (
                f"{t}{want} READS shuffle2({t}{have} a, {t}{have} b, {mask} m)"
                f" {{ return ({t}{want})({two}); }}"
            )


def image_reads() -> Iterator[str]:
    """Reads of images: an image is the first of its textures' handles, a sampler a number to add.

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
