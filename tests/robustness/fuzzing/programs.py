"""Programs that are made by a grammar: right by their form, and odd in what they say."""

from __future__ import annotations

import random
from typing import Final

from .mutations import NUMBERS

TYPES: Final = (
    *("int", "unsigned", "float", "double", "long long", "size_t", "char", "bool", "short"),
    *("unsigned char", "float4", "double2", "int3", "half", "P", "V<float>", "V<P>", "uint64_t"),
)
SCALARS: Final = TYPES[:9]
BINARY: Final = (
    *("+", "-", "*", "/", "%", "<<", ">>", "&", "|", "^", "<", "<=", "==", "!=", "&&", "||", ","),
)
ASSIGNING: Final = ("=", "+=", "-=", "*=", "/=", "%=", "<<=", ">>=", "&=", "|=", "^=")
HOST_CALLS: Final = (
    *("sqrt", "ceil", "floor", "log2", "exp", "pow", "abs", "min", "max", "fmod", "atoi", "atof"),
    *(
        "strlen",
        "round",
        "std::max",
        "std::min",
        "rand",
        "helper",
        "twice",
        "time",
        "ldexp",
        "cbrt",
    ),
)
DEVICE_CALLS: Final = (
    *("fmaf", "sqrtf", "__sinf", "min", "max", "abs", "__ldg", "atomicAdd", "__popc", "pow"),
    *("__shfl_down_sync", "__ballot_sync", "helper", "twice", "rsqrtf", "expf", "clz", "fmod"),
)


class Grammar:
    """Makes one program by the choices of ``chance``."""

    def __init__(self, chance: random.Random, dialect: str) -> None:
        """``dialect`` is ``cuda``, ``hip``, ``opencl`` or ``openmp``."""
        self._chance = chance
        self._dialect = dialect
        self._names = ["n", "a", "b"]
        self._arrays = ["x", "y"]
        self._calls: tuple[str, ...] = DEVICE_CALLS
        self._made = 0

    def program(self) -> str:
        """The whole text."""
        if self._dialect == "opencl":
            return "\n".join(self._kernel(f"k{at}") for at in range(self._chance.randint(1, 3)))
        kernels = [] if self._dialect == "openmp" else [f"k{at}" for at in range(self._upto(1, 3))]
        parts = [PRELUDE, *(self._helper(name) for name in ("helper", "twice"))]
        parts += [self._kernel(name) for name in kernels]
        return "\n".join([*parts, self._main(kernels)])

    def host_program(self) -> str:
        """One plain kernel, and host code of much arithmetic that launches it."""
        kernel = "__global__ void k0(float *x, float *y, int n) { x[threadIdx.x + n] = y[n]; }"
        parts = [PRELUDE, *(self._helper(name) for name in ("helper", "twice")), kernel]
        kinds = " ".join(
            f"{self._pick(*SCALARS)} g{at} = {self._number()};" for at in range(self._upto(1, 4))
        )
        return "\n".join([*parts, kinds, self._main(["k0"] * self._upto(1, 2))])

    def _upto(self, least: int, most: int) -> int:
        return self._chance.randint(least, most)

    def _pick(self, *choices: str) -> str:
        return self._chance.choice(choices)

    def _new(self, among: list[str]) -> str:
        self._made += 1
        among.append(f"v{self._made}")
        return among[-1]

    def _helper(self, name: str) -> str:
        head = self._pick("__device__", "__host__ __device__", "static", "inline", "")
        if self._chance.random() < 0.3:
            return (
                f"template <class T, int N = {self._number()}> {head} T {name}(T a, T b = 1)"
                f" {{ T n = N; T *x = &a, *y = &b; return {self._expression(3)}; }}"
            )
        kind = self._pick(*SCALARS)
        names = f"{kind} n = a, *x = &n, *y = &b;"
        value = self._expression(3)
        return f"{head} {kind} {name}({kind} a, {kind} b = 2) {{ {names} return {value}; }}"

    def _kernel(self, name: str) -> str:
        kind, other = self._pick(*TYPES), self._pick(*TYPES)
        if self._dialect == "opencl":
            kind, other = (self._pick("int", "float", "float4", "uchar", "long") for _ in range(2))
            index, barrier = "get_global_id(0)", "barrier(CLK_LOCAL_MEM_FENCE);"
            head = f"__kernel void {name}(__global {kind} *x, __global const {other} *y, int n)"
        else:
            index, barrier = "blockIdx.x * blockDim.x + threadIdx.x", "__syncthreads();"
            bounds = f"__launch_bounds__({self._number()}) " if self._chance.random() < 0.2 else ""
            head = f"__global__ void {bounds}{name}({kind} *x, const {other} *y, int n)"
        self._names, self._arrays, self._calls = ["n", "a", "b"], ["x", "y"], DEVICE_CALLS
        guard = f"if ({self._expression(2)}) return;" if self._chance.random() < 0.6 else ""
        body = self._block(self._upto(1, 6), 3)
        names = f"int a = {index}, b = {self._expression(2)};"
        return f"{head} {{\n{names}\n{guard}\n{body}\n{barrier}\n}}"

    def _main(self, kernels: list[str]) -> str:
        self._names, self._arrays = ["n", "a", "b", "argc"], ["x", "y"]
        self._calls = HOST_CALLS
        kind = self._pick(*SCALARS)
        before = self._block(self._upto(1, 8), 2)
        lines = [
            f"int n = {self._pick('atoi(argv[1])', self._number(), '1 << 20')};",
            f"{kind} a = {self._expression(2)}; {self._pick(*SCALARS)} b = {self._expression(2)};",
            "float *x = (float *)malloc(n * 4), *y; cudaMalloc(&y, n * sizeof(float));",
            before,
        ]
        for name in kernels:
            grid, block = self._expression(2), self._expression(1)
            if self._chance.random() < 0.5:
                grid, block = "(n + 255) / 256", self._pick("256", "dim3(16, 16)", "a")
            loop = f"for (int t = 0; t < {self._expression(1)}; t++) " * (self._upto(0, 4) == 0)
            launch = f"{name}<<<{grid}, {block}>>>((decltype(nullptr))x, y, {self._expression(1)});"
            if self._dialect == "hip" and self._chance.random() < 0.5:
                launch = f"hipLaunchKernelGGL({name}, {grid}, {block}, 0, 0, x, y, n);"
            lines.append(loop + launch)
        if self._dialect == "openmp":
            lines.append(self._region())
        return "int main(int argc, char **argv) {\n" + "\n".join(lines) + "\n}\n"

    def _region(self) -> str:
        clauses = " ".join(
            self._pick(
                "map(tofrom: x[0:n])",
                "num_teams(n)",
                f"thread_limit({self._number()})",
                "collapse(2)",
                "reduction(+:a)",
                "if(n > 5)",
                "firstprivate(b)",
                "schedule(static, 1)",
                "private(",
            )
            for _ in range(self._upto(0, 3))
        )
        loop = f"for (int i = 0; i < {self._expression(1)}; i += {self._pick('1', '2', 'a')})"
        pragma = f"#pragma omp target teams distribute parallel for {clauses}"
        return f"{pragma}\n{loop} {{ {self._block(2, 2)} }}"

    def _block(self, count: int, depth: int) -> str:
        names, arrays = list(self._names), list(self._arrays)
        text = "\n".join(self._statement(depth) for _ in range(count))
        self._names, self._arrays = names, arrays
        return text

    def _statement(self, depth: int) -> str:
        if depth <= 0:
            return f"{self._place()} {self._pick(*ASSIGNING)} {self._expression(2)};"
        match self._upto(0, 11):
            case 0 | 1 | 2:
                return f"{self._place()} {self._pick(*ASSIGNING)} {self._expression(3)};"
            case 3 | 4:
                value = self._expression(3)
                kind = self._pick(*SCALARS, "auto", "const int")
                return f"{kind} {self._new(self._names)} = {value};"
            case 5:
                value = self._expression(2)
                where = self._pick("", "__shared__ ", "static ", "const ")
                size = self._pick(self._number(), "32", "16][17", "sizeof(P)", value)
                return f"{where}{self._pick(*TYPES)} {self._new(self._arrays)}[{size}];"
            case 6 | 7:
                return self._loop(depth)
            case 8:
                other = f" else {{ {self._block(1, depth - 1)} }}" * self._upto(0, 1)
                return f"if ({self._expression(3)}) {{ {self._block(2, depth - 1)} }}{other}"
            case 9:
                cases = "".join(
                    f"case {at}: {self._block(1, depth - 2)} {self._pick('break;', '')}"
                    for at in range(self._upto(1, 4))
                )
                return f"switch ({self._expression(2)}) {{ {cases} default: ; }}"
            case 10:
                return self._pick(
                    "break;", "continue;", "return;", "a++;", "--b;", "__syncwarp();", ";"
                )
            case _:
                return f"{self._pick(*self._calls)}({self._expression(2)}, {self._expression(2)});"

    def _loop(self, depth: int) -> str:
        end, step = self._expression(2), self._pick("++", "--", " += 2", " *= 2", " >>= 1", " -= b")
        pragma = self._pick("", "", "#pragma unroll\n", "#pragma unroll 4\n")
        if self._chance.random() < 0.25:
            return f"while ({end}) {{ {self._block(2, depth - 1)} }}"
        name = self._new(self._names)
        start, compare = self._expression(1), self._pick("<", "<=", ">", "!=", ">=")
        body = self._block(2, depth - 1)
        return (
            f"{pragma}for (int {name} = {start}; {name} {compare} {end}; {name}{step}) {{ {body} }}"
        )

    def _place(self) -> str:
        if self._chance.random() < 0.5:
            return f"{self._pick(*self._arrays)}[{self._expression(2)}]"
        return self._pick(*self._names)

    def _number(self) -> str:
        return self._chance.choice(NUMBERS).decode()

    def _expression(self, depth: int) -> str:
        if depth <= 0 or self._chance.random() < 0.15:
            return self._pick(*self._names, *self._names, self._number(), str(self._upto(0, 64)))
        match self._upto(0, 9):
            case 0:
                return f"{self._pick('-', '!', '~', '+', '*&')}({self._expression(depth - 1)})"
            case 1:
                return f"({self._pick(*SCALARS)})({self._expression(depth - 1)})"
            case 2:
                parts = (self._expression(depth - 1) for _ in range(3))
                return "({} ? {} : {})".format(*parts)
            case 3:
                call = self._pick(*self._calls)
                return f"{call}({self._expression(depth - 1)}, {self._expression(depth - 1)})"
            case 4:
                return f"{self._pick(*self._arrays)}[{self._expression(depth - 1)}]"
            case 5:
                return f"({self._pick(*self._names)}{self._pick('++', '--')})"
            case _:
                left, right = self._expression(depth - 1), self._expression(depth - 1)
                return f"({left} {self._pick(*BINARY)} {right})"


PRELUDE: Final = """\
#include <cmath>
#include <cstdlib>
struct P { double m; int k; short s[3]; };
template <class T> struct V { T v[4]; T &operator[](int i) { return v[i]; } };
"""
