"""Random changes of a text: of bytes, tokens, numbers and lines, and pieces of other texts."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from typing import Final

TOKEN: Final = re.compile(rb"[A-Za-z_]\w*|\d[\w.]*|<<<|>>>|::|->|[-+*/%&|^=<>!]=?|\s+|.", re.DOTALL)
NUMBERS: Final = (
    *(b"0", b"1", b"-1", b"7", b"32", b"255", b"1024", b"65536", b"2147483647", b"2147483648"),
    *(b"4294967295", b"0xffffffffffffffff", b"18446744073709551616", b"1e308", b"1e400", b"0.0"),
    *(b"1.5f", b"-0.0", b"0x1p-1074", b"1u", b"3ull", b"1e-320", b"NAN", b"INFINITY", b"08"),
)
WORDS: Final = (
    *(b"__global__", b"__device__", b"__shared__", b"__constant__", b"__host__", b"kernel"),
    *(b"template <class T>", b"typename", b"struct S", b"union", b"enum", b"auto", b"const"),
    *(b"unsigned", b"long long", b"double", b"float4", b"half2", b"bool", b"void*", b"T&&"),
    *(b"if (a)", b"else", b"for (;;)", b"while (1)", b"do {", b"switch (n) {", b"case 1:"),
    *(b"break;", b"continue;", b"return;", b"goto end;", b"end:", b"try {", b"catch (...) {"),
    *(
        b"#if 1\n",
        b"#else\n",
        b"#endif\n",
        b"#define M(x) x x\n",
        b"#undef M\n",
        b"#pragma unroll\n",
    ),
    *(b"#include __FILE__\n", b'#include "a.h"\n', b"#pragma omp target teams loop\n", b"M(M(1))"),
    *(b"threadIdx.x", b"blockDim.y", b"gridDim.z", b"warpSize", b"get_global_id(0)", b"clock()"),
    *(b"<<<1, 32>>>", b"<<<dim3(n, n), 256, 0, s>>>", b"sizeof(T)", b"atomicAdd(&x[0], 1)"),
    *(b"__syncthreads();", b"__shfl_xor_sync(~0u, v, 1)", b'asm("")', b"[=](int i) {", b"};"),
    *(b"cudaMalloc(&p, n);", b"malloc(n * 4)", b"atoi(argv[1])", b"rand()", b"argv[argc]"),
    *(b"operator()", b"this->", b"nullptr", b"...", b"\\\n", b"/*", b"*/", b"//", b'R"(', b'u8"'),
    *(b"\0", b"\r", b"\f", b"\xff", b"\xe2\x80\xa8", b"\xf0\x9f\x98\x80", b"\xef\xbb\xbf", b"%:"),
)
BRACKETS: Final = b"(){}[]<>;,"


def mutated(chance: random.Random, text: bytes, others: Sequence[bytes]) -> bytes:
    """``text`` after one to eight changes; ``others`` are texts that pieces come from."""
    changes = _CHANGES if others else _CHANGES[:-1]
    for _ in range(chance.choice((1, 1, 2, 3, 5, 8))):
        text = chance.choice(changes)(chance, text, others)
    return text


def _token(chance: random.Random, text: bytes, _: Sequence[bytes]) -> bytes:
    """Drop, double, swap or replace tokens."""
    tokens = TOKEN.findall(text)
    if len(tokens) < 4:
        return text + chance.choice(WORDS)
    at = chance.randrange(len(tokens) - 2)
    match chance.randrange(5):
        case 0:
            del tokens[at : at + chance.choice((1, 1, 2, 9))]
        case 1:
            tokens[at:at] = tokens[at : at + chance.choice((1, 3, 12))] * chance.choice((1, 2, 6))
        case 2:
            tokens[at], tokens[at + 2] = tokens[at + 2], tokens[at]
        case 3:
            tokens[at] = b" " + chance.choice(WORDS) + b" "
        case _:
            tokens[at] = chance.choice(tokens)
    return b"".join(tokens)


def _number(chance: random.Random, text: bytes, _: Sequence[bytes]) -> bytes:
    places = [found.span() for found in re.finditer(rb"(?<![\w.])\d[\w.]*", text)]
    if not places:
        return text
    start, end = chance.choice(places)
    return text[:start] + chance.choice(NUMBERS) + text[end:]


def _name(chance: random.Random, text: bytes, _: Sequence[bytes]) -> bytes:
    """Put one name of the text in another's place, here or everywhere."""
    names = sorted(set(re.findall(rb"[A-Za-z_]\w*", text)))
    if len(names) < 2:
        return text
    old, new = chance.sample(names, 2)
    return re.sub(rb"\b%b\b" % old, new, text, count=chance.choice((0, 1, 2)))


def _bytes(chance: random.Random, text: bytes, _: Sequence[bytes]) -> bytes:
    at = chance.randint(0, len(text))
    match chance.randrange(3):
        case 0:
            return text[:at] + chance.randbytes(chance.randint(1, 4)) + text[at:]
        case 1:
            return text[:at] + text[at + chance.choice((1, 1, 2, 40)) :]
        case _:
            return text[:at] + bytes([chance.choice(BRACKETS)]) + text[at + chance.randint(0, 1) :]


def _lines(chance: random.Random, text: bytes, _: Sequence[bytes]) -> bytes:
    """Drop, double or move lines; cut the text off."""
    lines = text.splitlines(keepends=True)
    if len(lines) < 3:
        return text
    at, count = chance.randrange(len(lines)), chance.choice((1, 1, 2, 5, 20))
    piece = lines[at : at + count]
    match chance.randrange(4):
        case 0:
            del lines[at : at + count]
        case 1:
            lines[at:at] = piece * chance.choice((1, 1, 3))
        case 2:
            del lines[at : at + count]
            to = chance.randint(0, len(lines))
            lines[to:to] = piece
        case _:
            del lines[max(at, 2) :]
    return b"".join(lines)


def _nest(chance: random.Random, text: bytes, _: Sequence[bytes]) -> bytes:
    """Repeat a short piece in its place, with brackets or without."""
    at = chance.randint(0, len(text))
    piece = chance.choice((b"(", b"{", b"[", b"-", b"!", b"a<", b"if(x)", b"for(;;)", b"M(", b"&"))
    count = chance.choice((3, 10, 60, 300))
    return text[:at] + piece * count + text[at:]


def _splice(chance: random.Random, text: bytes, others: Sequence[bytes]) -> bytes:
    """Put a piece of another text somewhere."""
    other = chance.choice(others)
    start = chance.randint(0, len(other))
    at = chance.randint(0, len(text))
    return text[:at] + other[start : start + chance.choice((20, 200, 2_000))] + text[at:]


_CHANGES: Final[tuple[Callable[[random.Random, bytes, Sequence[bytes]], bytes], ...]] = (
    *(_token, _token, _token, _number, _number, _name, _bytes, _lines, _nest, _splice),
)
