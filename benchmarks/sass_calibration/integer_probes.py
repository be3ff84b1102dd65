"""The intrinsics, integer, half, conversion and addressing operations to measure, as data."""

from .probes import Arguments, Probe

_INTEGERS = (("int", 1), ("unsigned", 1), ("long long", 2), ("unsigned long long", 2))


def _operator(c_type: str, name: str, expression: str, values: tuple[Arguments, ...],
              expected: str | None) -> Probe:  # fmt: skip
    count = 3 if "z" in expression else 2 if "y" in expression else 1
    return Probe("operators", f"{c_type} {name}", (c_type,) * count, c_type, expression,
                 tuple(v[:count] for v in values), (), expected)  # fmt: skip


def _integers() -> list[Probe]:
    """Return the probes of 32- and 64-bit integer operators."""
    probes: list[Probe] = []
    for c_type, words in _INTEGERS:
        pair: tuple[Arguments, ...] = ((100003, 17, 5), (77, 1234, 9))
        if words == 2:
            pair = ((10**15 + 7, 10**11 + 3, 5), (7 * 10**13, 10**12 + 1, 9))
        narrow: tuple[Arguments, ...] = ((1003, 17, 5), (77, 12, 9))
        wrap = f" & {(1 << 32 * words) - 1}" if c_type.startswith("unsigned") else ""
        for name, expression, values, expected in (
            ("+", "x + y", pair, "x + y"),
            ("++", "x + y + z", pair, "x + y + z"),
            ("-", "x - y", pair, f"(x - y){wrap}" if wrap else "x - y"),
            ("*", "x * y", narrow, "x * y"),
            ("* const", "x * 12345", narrow, "x * 12345"),
            ("* pow2", "x * 8", narrow, "x * 8"),
            ("*+", "x * y + z", narrow, "x * y + z"),
            ("/ var", "x / y", pair, "x // y"),
            ("% var", "x % y", pair, "x % y"),
            ("/ const", "x / 7", pair, "x // 7"),
            ("% const", "x % 7", pair, "x % 7"),
            ("/ pow2", "x / 8", pair, "x // 8"),
            ("% pow2", "x % 8", pair, "x % 8"),
            ("<< var", "x << y", narrow, "x << y"),
            (">> var", "x >> y", narrow, "x >> y"),
            ("<< const", "x << 3", narrow, "x << 3"),
            (">> const", "x >> 3", narrow, "x >> 3"),
            ("&", "x & y", pair, "x & y"),
            ("|", "x | y", pair, "x | y"),
            ("^", "x ^ y", pair, "x ^ y"),
            ("~", "~x", pair, None),
            ("negate", "-x", pair, None),
            ("compare", "(x < y) ? z : y", pair, "z if x < y else y"),
            ("min", "min(x, y)", pair, "min(x, y)"),
            ("max", "max(x, y)", pair, "max(x, y)"),
        ):
            probes.append(_operator(c_type, name, expression, values, expected))
    # A division of 64-bit operands that fit 32 bits takes the short path.
    for c_type in ("long long", "unsigned long long"):
        for sign in "/%":
            python = "//" if sign == "/" else "%"
            probes.append(_operator(c_type, f"{sign} var (32-bit values)", f"x {sign} y",
                                    ((100003, 17),), f"x {python} y"))  # fmt: skip
    return probes


def _call(name: str, types: tuple[str, ...], result: str, values: tuple[Arguments, ...],
          expected: str | None = None) -> Probe:  # fmt: skip
    operands = ", ".join("xyz"[: len(types)])
    return Probe("functions", name, types, result, f"{name}({operands})", values, (), expected)


def _integer_functions() -> list[Probe]:
    """Return the probes of integer functions and intrinsics."""
    word: tuple[Arguments, ...] = ((0x00F0F012,),)
    pair: tuple[Arguments, ...] = ((100003, 1017),)
    i, u, ll, ull = "int", "unsigned", "long long", "unsigned long long"
    return [
        _call("abs", (i,), i, ((-5,), (6,)), "abs(x)"),
        _call("llabs", (ll,), ll, ((-5,), (6,)), "abs(x)"),
        _call("__popc", (u,), i, word, "bin(x).count('1')"),
        _call("__popcll", (ull,), i, word, "bin(x).count('1')"),
        _call("__clz", (i,), i, word, "32 - x.bit_length()"),
        _call("__clzll", (ll,), i, word, "64 - x.bit_length()"),
        _call("__ffs", (i,), i, word, "2"),
        _call("__ffsll", (ll,), i, word, "2"),
        _call("__brev", (u,), u, word, "int(f'{x:032b}'[::-1], 2)"),
        _call("__brevll", (ull,), ull, word, "int(f'{x:064b}'[::-1], 2)"),
        _call("__byte_perm", (u, u, u), u, ((1, 2, 0x1234),)),
        _call("__mulhi", (i, i), i, pair, "x * y >> 32"),
        _call("__umulhi", (u, u), u, pair, "x * y >> 32"),
        _call("__mul64hi", (ll, ll), ll, pair, "x * y >> 64"),
        _call("__umul64hi", (ull, ull), ull, pair, "x * y >> 64"),
        _call("__mul24", (i, i), i, pair, "x * y"),
        _call("__umul24", (u, u), u, pair, "x * y"),
        _call("__sad", (i, i, u), u, ((3, 9, 4),), "10"),
        _call("__usad", (u, u, u), u, ((3, 9, 4),), "10"),
        _call("__dp4a", (i, i, i), i, ((3, 9, 4),), "31"),
        _call("__funnelshift_l", (u, u, u), u, ((3, 9, 4),)),
        Probe("operators", "unsigned rotate var", (u, u), u, "(x << (y & 31)) | (x >> (-y & 31))",
              ((0xF0000001, 4),), (), "0x1F"),
        Probe("operators", "unsigned rotate const", (u,), u, "(x << 5) | (x >> 27)",
              ((0xF0000001,),), (), "0x3E"),
    ]  # fmt: skip


def _intrinsics() -> list[Probe]:
    """Return the probes of the fast and the rounded floating-point intrinsics."""
    f, d = ("float",), ("double",)
    one: tuple[Arguments, ...] = ((0.37,), (2.6,))
    two: tuple[Arguments, ...] = ((2.75, 1.4), (0.3, 7.1))
    three: tuple[Arguments, ...] = ((2.75, 1.4, 0.7),)
    probes = [
        _call(name, f, "float", one, expected)
        for name, expected in (
            ("__expf", "math.exp(x)"), ("__exp10f", "10.0 ** x"), ("__logf", "math.log(x)"),
            ("__log2f", "math.log2(x)"), ("__log10f", "math.log10(x)"), ("__sinf", "math.sin(x)"),
            ("__cosf", "math.cos(x)"), ("__tanf", "math.tan(x)"), ("__frcp_rn", "1 / x"),
            ("__fsqrt_rn", "math.sqrt(x)"), ("__frsqrt_rn", "x ** -0.5"),
            ("__saturatef", "min(max(x, 0.0), 1.0)"),
        )
    ]  # fmt: skip
    for name, expected in (("__powf", "x ** y"), ("__fdividef", "x / y"), ("__fdiv_rn", "x / y"),
                           ("__fadd_rn", "x + y"), ("__fmul_rn", "x * y"),
                           ("__fsub_rn", "x - y")):  # fmt: skip
        probes.append(_call(name, f * 2, "float", two, expected))
    for name, expected in (("__ddiv_rn", "x / y"), ("__dadd_rn", "x + y"), ("__dmul_rn", "x * y"),
                           ("__dsub_rn", "x - y")):  # fmt: skip
        probes.append(_call(name, d * 2, "double", two, expected))
    probes.append(_call("__fmaf_rn", f * 3, "float", three, "x * y + z"))
    probes.append(_call("__fma_rn", d * 3, "double", three, "x * y + z"))
    for name, expected in (("__drcp_rn", "1 / x"), ("__dsqrt_rn", "math.sqrt(x)")):
        probes.append(_call(name, d, "double", one, expected))
    return probes


def _conversions() -> list[Probe]:
    """Return the probes of conversions between the arithmetic types."""
    names = ("int", "unsigned", "long long", "unsigned long long", "float", "double")
    probes = []
    for source in names:
        for target in names:
            if source == target or {source, target} in ({"int", "unsigned"}, set(names[2:4])):
                continue
            probes.append(Probe("conversions", f"{source}->{target}", (source,), target,
                                f"({target})x", ((37,),), (), "x"))  # fmt: skip
    for source, target in (("__half", "float"), ("float", "__half"), ("int", "__half"),
                           ("__half", "int"), ("double", "__half"),
                           ("__nv_bfloat16", "float"), ("float", "__nv_bfloat16")):  # fmt: skip
        probes.append(Probe("conversions", f"{source}->{target}", (source,), target,
                            f"({target})x", ((3,),), ()))  # fmt: skip
    for c_type in ("char", "unsigned char", "short", "unsigned short"):
        probes.append(Probe("conversions", f"int->{c_type}", ("int",), "int", f"(int)({c_type})x",
                            ((37,),), (), "x"))  # fmt: skip
    return probes


def _halves() -> list[Probe]:
    """Return the probes of ``half`` and ``half2``."""
    probes = []
    for c_type in ("__half", "__half2", "__nv_bfloat16", "__nv_bfloat162"):
        ordinary: tuple[Arguments, ...] = ((3, 2, 1),)
        for sign in "+-*/":
            probes.append(Probe("operators", f"{c_type} {sign}", (c_type,) * 2, c_type,
                                f"x {sign} y", (ordinary[0][:2],)))  # fmt: skip
        two = "2" if c_type.endswith("2") else ""
        suffix = "" if c_type.startswith("__half") else f" ({c_type})"
        for name in (f"__hadd{two}", f"__hsub{two}", f"__hmul{two}", f"__hfma{two}"):
            count = 3 if "fma" in name else 2
            operands = ", ".join("xyz"[:count])
            probes.append(Probe("functions", name + suffix, (c_type,) * count, c_type,
                                f"{name}({operands})", (ordinary[0][:count],)))  # fmt: skip
        for root in ("exp", "log", "sqrt", "rsqrt", "rcp", "sin", "cos"):
            name = f"h2{root}" if two else f"h{root}"
            probes.append(Probe("functions", name + suffix, (c_type,), c_type, f"{name}(x)",
                                (ordinary[0][:1],)))  # fmt: skip
    for name, source, target in (("__half2float", "__half", "float"),
                                 ("__float2half", "float", "__half")):  # fmt: skip
        probes.append(_call(name, (source,), target, ((3,),)))
    return probes


def _addresses() -> list[Probe]:
    """Return the probes of indexing, thread numbers, warp and atomic operations."""
    probes = []
    for index in ("int", "unsigned", "long long"):
        probes.append(Probe("operators", f"a[{index}]", (index,), "float", "p[x]", ((3,),)))
        probes.append(Probe("operators", f"a[{index}] and a[{index} + 1]", (index,), "float",
                            "(*q = p[x], p[x + 1])", ((3,),)))  # fmt: skip
        probes.append(Probe("operators", f"a[{index}] and b[{index}]", (index,), "float",
                            "(*q = p[x], q[x])", ((3,),)))  # fmt: skip
        probes.append(Probe("operators", f"a[{index} * n + {index}]", (index,) * 3, "float",
                            "p[x * y + z]", ((3, 2, 1),)))  # fmt: skip
    thread = "blockIdx.x * blockDim.x + threadIdx.x"
    for key, c_type, expression in (
        ("global thread id", "int", thread),
        ("global thread id (long long)", "long long", f"(long long){thread}"),
        ("threadIdx.x", "int", "threadIdx.x"),
    ):  # fmt: skip
        probes.append(Probe("operators", key, (), c_type, expression, ((),)))
    probes.append(Probe("operators", "bounds check", ("int",), "int", "0", ((3,),),
                        prelude="if (x >= (int)blockDim.x) return;"))  # fmt: skip
    return probes


# The lane number differs between threads, so the compiler can neither drop a shuffle nor combine
# the atomics of a warp into one.
_LANE = 'int lane; asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));'
_PLACE = _LANE + " float *r = {} + 2 * lane; *(volatile int *)r = 0;"


def _warp_operations() -> list[Probe]:
    """Return the probes of warp votes, shuffles, barriers and atomics."""
    i, d = "int", "double"
    probes = [
        Probe("functions", name, (), i, f"{name}({arguments})", ((),), setup=_LANE)
        for name, arguments in (
            ("__shfl_sync", "~0u, lane, 3"), ("__shfl_up_sync", "~0u, lane, 1"),
            ("__shfl_down_sync", "~0u, lane, 1"), ("__shfl_xor_sync", "~0u, lane, 1"),
            ("__ballot_sync", "~0u, lane"), ("__any_sync", "~0u, lane"),
            ("__all_sync", "~0u, lane"), ("__activemask", ""),
        )
    ]  # fmt: skip
    probes.append(Probe("functions", "__syncthreads", (), i, "0", ((),),
                        prelude="__syncthreads();"))  # fmt: skip
    probes.append(Probe("functions", "__syncwarp", (), i, "0", ((),), prelude="__syncwarp();"))
    shared = "extern __shared__ float s[]; "
    for c_type in (i, "unsigned", "float", d):
        add = f"atomicAdd(({c_type} *)"
        for kind, setup, prelude, expression in (
            ("", _PLACE.format("q"), f"{add}r, x);", "0"),
            (", old value used", _PLACE.format("q"), "", f"{add}r, x)"),
            (", shared", shared + _PLACE.format("s"), f"{add}r, x);", "0"),
            (", one address", "", f"{add}q, x);", "0"),
        ):
            result = c_type if expression != "0" else i
            probes.append(Probe("functions", f"atomicAdd ({c_type}{kind})", (c_type,), result,
                                expression, ((1,),), prelude=prelude, setup=setup))  # fmt: skip
    for name in ("atomicSub", "atomicMax", "atomicMin", "atomicExch", "atomicAnd", "atomicOr",
                 "atomicXor"):  # fmt: skip
        probes.append(Probe("functions", name, (i,), i, "0", ((1,),),
                            prelude=f"{name}((int *)r, x);", setup=_PLACE.format("q")))  # fmt: skip
    probes.append(Probe("functions", "atomicCAS", (i, i), i, "atomicCAS((int *)r, x, y)",
                        ((1, 2),), setup=_PLACE.format("q")))  # fmt: skip
    return probes


def other_probes() -> list[Probe]:
    """Return the probes that are not plain single or double precision functions."""
    return [*_integers(), *_integer_functions(), *_intrinsics(), *_conversions(), *_halves(),
            *_addresses(), *_warp_operations()]  # fmt: skip
