"""What arrays hold that loops of the host fill in."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from roofline_analysis.host.values import WrittenByKernel

Run = Callable[..., Any]


@pytest.fixture
def drawn(run: Run) -> Callable[..., tuple[float, ...] | None]:
    """The numbers behind a kernel's only argument, after some statements."""

    def made(
        body: str, *argv: str, element: str = "float", before: str = "", passed: str = "d"
    ) -> tuple[float, ...] | None:
        source = (
            f"#include <random>\n{before}\n__global__ void k(const {element} *a) {{}}\n"
            "int main(int argc, char **argv) { const int n = 100000; "
            f"{element} *h = ({element} *)malloc(n * sizeof({element})), *d;"
            f"cudaMalloc(&d, n * sizeof({element})); {body} "
            f"cudaMemcpy(d, h, n * sizeof({element}), cudaMemcpyHostToDevice);"
            f"k<<<1, 1>>>({passed}); }}"
        )
        launch = run(source, argv=argv).launches[0]
        found: tuple[float, ...] | None = launch.draws.get("a")
        return found

    return made


def share(numbers: tuple[float, ...] | None, below: float) -> float:
    assert numbers is not None
    assert len(numbers) == 256
    return sum(number < below for number in numbers) / len(numbers)


@pytest.mark.parametrize(
    ("stored", "below", "expected"),
    [
        ("-100.0 + 101.0 * i / n", 0, 100 / 101),
        ("rand() / (float)RAND_MAX", 0.25, 0.25),
        ("(float)(rand() % 10)", 3, 0.3),
        ("drand48() * 4 - 1", 0, 0.25),
        ("u(g)", 0, 0.25),
        ("v(g)", 2, 0.5),
        ("rand() % 2 == 0 ? -1 : 1", 0, 0.5),
        ("u(g) < 2 ? -1 : 1", 0, 0.75),
        ("sqrtf(rand() / (float)RAND_MAX)", 0.5, 0.25),
        ("lcg(&seed)", 0.125, 0.125),
        ("7", 7, 0),
    ],
)
def test_numbers_are_as_often_below_a_bound_as_those_stored(
    drawn: Run, stored: str, below: float, expected: float
) -> None:
    numbers = drawn(
        "std::mt19937 g(1); std::uniform_real_distribution<float> u(-1.f, 3.f);"
        "std::normal_distribution<float> v(2.f, 5.f); unsigned long seed = 1;"
        f"for (int i = 0; i < n; i++) h[i] = {stored};",
        before="double lcg(unsigned long *s) { const unsigned long m = 1UL << 31;"
        " *s = (1103515245UL * *s + 12345UL) % m; return (double)*s / (double)m; }",
    )
    assert share(numbers, below) == pytest.approx(expected, abs=0.02)


def test_a_normal_distribution_spreads_as_far_as_it_says(drawn: Run) -> None:
    numbers = drawn(
        "std::default_random_engine g; std::normal_distribution<float> v(2.f, 5.f);"
        "for (int i = 0; i < n; i++) h[i] = v(g);"
    )
    assert share(numbers, -3) == pytest.approx(0.16, abs=0.03)
    assert share(numbers, 7) == pytest.approx(0.84, abs=0.03)


def test_remainders_of_more_than_a_machine_word(drawn: Run) -> None:
    numbers = drawn(
        "unsigned long seed = 1; for (int i = 0; i < n; i++) h[i] = lcg(&seed);",
        before="double lcg(unsigned long *s) { const unsigned long m = 9223372036854775808ULL;"
        " *s = (2806196910506780709ULL * *s + 1ULL) % m; return (double)*s / (double)m; }",
    )
    assert share(numbers, 0.25) == pytest.approx(0.25, abs=0.02)


@pytest.mark.parametrize(
    ("call", "below", "expected"),
    [
        ("curandGenerateUniform(g, d, n)", 0.25, 0.25),
        ("curandGenerateNormal(g, d, n, 1.f, 2.f)", 1, 0.5),
        ("curandGenerateNormal(g, d, n, 0.f, 1.f)", -1, 0.16),
    ],
)
def test_a_library_that_fills_device_memory(
    drawn: Run, call: str, below: float, expected: float
) -> None:
    numbers = drawn(f"curandGenerator_t g; {call}; k<<<1, 1>>>(d); return 0;")
    assert share(numbers, below) == pytest.approx(expected, abs=0.02)


@pytest.mark.parametrize(
    ("distribution", "below", "expected"),
    [
        ("std::uniform_real_distribution<float> u;", 0.25, 0.25),
        ("std::uniform_int_distribution<int> u(1, 6);", 3, 1 / 3),
        ("std::uniform_int_distribution<> u(0, 9);", 5, 0.5),
    ],
)
def test_distributions_have_the_ends_that_they_say(
    drawn: Run, distribution: str, below: float, expected: float
) -> None:
    filled = "for (int i = 0; i < n; i++) h[i] = u(g);"
    numbers = drawn(f"std::mt19937 g; {distribution} {filled}")
    assert share(numbers, below) == pytest.approx(expected, abs=0.02)


def test_a_distribution_between_numbers_that_are_not_known_says_nothing(drawn: Run) -> None:
    body = "std::mt19937 g; std::uniform_real_distribution<float> u(0.f, limit());"
    assert drawn(f"{body} for (int i = 0; i < n; i++) h[i] = u(g);") is None


def test_a_size_that_is_not_known_is_no_obstacle(drawn: Run) -> None:
    numbers = drawn(
        "int m = atoi(argv[1]); float *e = new float[m];"
        "for (int i = 0; i < m; i++) e[i] = -1.f + 4.f * i / m;"
        "cudaMemcpy(d, e, 4 * m, cudaMemcpyHostToDevice); k<<<1, 1>>>(d); return 0;"
    )
    assert share(numbers, 0) == pytest.approx(0.25, abs=0.02)


def test_loops_within_loops_fill_too(drawn: Run) -> None:
    numbers = drawn(
        "for (int i = 0; i < 1000; i++) for (int j = 0; j < 100; j++) h[100 * i + j] = i - j;"
    )
    assert share(numbers, 0) == pytest.approx(0.05, abs=0.02)


def test_what_a_later_loop_leaves_alone_stays(drawn: Run) -> None:
    numbers = drawn(
        "for (int i = 0; i < n; i++) h[i] = 0; for (int i = 0; i < n / 4; i++) h[4 * i] = 1;"
    )
    assert share(numbers, 1) == pytest.approx(0.75, abs=0.01)


def test_both_sides_of_a_branch_are_stored(drawn: Run) -> None:
    numbers = drawn('for (int i = 0; i < n; i++) { if (getenv("X")[i]) h[i] = 1; else h[i] = 5; }')
    assert share(numbers, 3) == pytest.approx(0.5)


def test_elements_pushed_to_a_vector_count(drawn: Run) -> None:
    numbers = drawn(
        "std::vector<float> w; for (int i = 0; i < n; i++) w.push_back(i % 4);"
        "cudaMemcpy(d, w.data(), 4 * n, cudaMemcpyHostToDevice); k<<<1, 1>>>(d); return 0;"
    )
    assert share(numbers, 1) == pytest.approx(0.25, abs=0.02)


def test_short_arrays_are_drawn_from_their_elements(drawn: Run) -> None:
    numbers = drawn(
        "float e[40]; for (int i = 0; i < 40; i++) e[i] = i;"
        "cudaMemcpy(d, e, sizeof(e), cudaMemcpyHostToDevice); k<<<1, 1>>>(d); return 0;"
    )
    assert share(numbers, 10) == pytest.approx(0.25, abs=0.02)


@pytest.mark.parametrize(
    "body",
    [
        "for (int i = 0; i < n; i++) h[i] = atof(argv[i]);",
        "for (int i = 0; i < n; i++) h[i] = i; read_all(h);",
        "for (int i = 0; i < n; i++) h[i] = i; for (int i = 0; i < n; i++) h[i] += h[n - i];",
        "for (int i = 0; i < n; i++) h[i] = i; h[rand()] = 3;",
        "for (int i = 0; i < n; i++) h[i] = i; fread(h, 4, n, stdin);",
        "for (int i = 0; i < n; i++) { if (i > 5) exit(1); h[i] = 1; exit(0); }",
    ],
)
def test_where_nobody_can_tell_nothing_is_said(drawn: Run, body: str) -> None:
    assert drawn(body) is None


def test_trying_a_loop_out_leaves_everything_as_it_was(main: Run) -> None:
    (launch,) = main(
        "float *h = (float *)malloc(400000); int count = 3, last = 0; float s = 1;"
        "for (int i = 0; i < 100000; i++) { h[i] = count; last += 2; s = s * 2; }"
        "k<<<count, last>>>(d, 0);"
    )
    assert [each.constant for each in (launch.grid[0], launch.block[0])] == [3, 200000]


def test_a_kernel_that_may_write_an_array_ends_what_is_known(run: Run) -> None:
    source = """
    __global__ void fill(float *a) { a[threadIdx.x] = 1.f; }
    __global__ void k(const float *a) {}
    int main() {
      float *h = new float[100000], *d; cudaMalloc(&d, 400000);
      for (int i = 0; i < 100000; i++) h[i] = i;
      cudaMemcpy(d, h, 400000, cudaMemcpyHostToDevice);
      k<<<1, 1>>>(d); fill<<<1, 1>>>(d); k<<<2, 1>>>(d);
    }"""
    by_grid = {
        each.grid[0].constant: each for each in run(source).launches if each.kernel.name == "k"
    }
    first, second = by_grid[1].draws["a"], by_grid[2].draws["a"]
    assert isinstance(first, tuple)
    assert isinstance(second, WrittenByKernel)
    assert (second.launch.kernel.name, second.parameter, second.before) == ("fill", "a", first)


def test_members_of_an_argument_and_of_the_elements_of_its_arrays(run: Run) -> None:
    source = """
    struct S { int on; float w; }; struct A { S s[4]; float *p; };
    __global__ void k(A all) {}
    int main() {
      A all; float *h = new float[100000];
      for (int i = 0; i < 4; i++) { all.s[i].on = i > 0; all.s[i].w = atof("4"); }
      for (int i = 0; i < 100000; i++) h[i] = 2;
      cudaMalloc(&all.p, 400000); cudaMemcpy(all.p, h, 400000, cudaMemcpyHostToDevice);
      k<<<1, 1>>>(all);
    }"""
    (launch,) = run(source).launches
    assert set(launch.draws) == {"all.p", "all.s.on", "all.s.w"}
    assert share(launch.draws["all.s.on"], 1) == pytest.approx(0.25)
    assert set(launch.draws["all.p"]) == {2.0}


@pytest.mark.parametrize(
    ("loop", "below", "expected"),
    [
        ("if (i < 25000) h[i] = 1; else h[i] = 2;", 1.5, 0.25),
        ("h[i] = 2; if (i % 4 == 0) h[i] = 1;", 1.5, 0.2),
        ("float v = 2; if (rand() % 4 == 0) v = 1; h[i] = v;", 1.5, 0.25),
        ("if (i < 25000) h[i] = i; else h[i] = 200000;", 12500, 0.125),
        ("if (i < 0) h[i] = 1; else h[i] = 2;", 1.5, 0),
    ],
)
def test_stores_under_conditions_are_as_often_as_these_hold(
    drawn: Run, loop: str, below: float, expected: float
) -> None:
    numbers = drawn(f"for (int i = 0; i < n; i++) {{ {loop} }}")
    assert share(numbers, below) == pytest.approx(expected, abs=0.01)


def test_a_condition_that_nothing_tells_says_nothing_of_what_is_stored(drawn: Run) -> None:
    loop = "for (int i = 0; i < n; i++) { if (strange(i) > 2) h[i] = 1; else h[i] = 2; }"
    assert share(drawn(loop), 1.5) == 0.5


@pytest.mark.parametrize(("edge", "known"), [(1000, True), (20000, False)])
def test_a_few_unknown_numbers_leave_an_array_as_it_was(drawn: Run, edge: int, known: bool) -> None:
    numbers = drawn(
        f"for (int i = 0; i < n; i++) h[i] = 3;for (int i = 0; i < {edge}; i++) h[i] = strange(i);"
    )
    assert numbers == ((3.0,) * 256 if known else None)


@pytest.mark.parametrize(
    "declared",
    [
        "row *h = (row *)malloc(sizeof(double) * N * N);",
        "double (*h)[N] = (double (*)[N])malloc(sizeof(double) * N * N);",
        "double (*h)[N]; h = (double (*)[N])malloc(sizeof(double) * N * N);",
    ],
)
@pytest.mark.parametrize("taken", ["double a[][N]", "double (*a)[N]"])
def test_rows_are_followed_through_pointers_to_them(run: Run, declared: str, taken: str) -> None:
    source = f"""
    #define N 400
    typedef double row[N];
    __global__ void k(const double a[][N]) {{}}
    void fill({taken}) {{ for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) a[i][j] = 2; }}
    int main() {{
      {declared} row *d; cudaMalloc((void **)&d, sizeof(double) * N * N);
      fill(h); cudaMemcpy(d, h, sizeof(double) * N * N, cudaMemcpyHostToDevice);
      k<<<1, 1>>>(d);
    }}"""
    (launch,) = run(source).launches
    assert launch.draws["a"] == (2.0,) * 256
    assert launch.args[0].buffer.size_bytes.constant == 8 * 400 * 400


FILLED = "float *o = new float[n]; for (int i = 0; i < n; i++) o[i] = rand() / (float)RAND_MAX;"


@pytest.mark.parametrize(
    ("loop", "below", "expected"),
    [
        ("h[i] = 4 * o[i];", 1, 0.25),
        ("h[i] = o[i] < 0.25f ? 1 : 2;", 1.5, 0.25),
        ("if (o[i] < 0.5f) h[i] = o[i]; else h[i] = 2;", 0.25, 0.25),
        ("h[i] = o[i] - o[i];", 0.5, 1),
        ("h[i] = o[n - 1 - i];", 0.25, 0.25),
    ],
)
def test_elements_of_another_array_are_like_its_samples(
    drawn: Run, loop: str, below: float, expected: float
) -> None:
    numbers = drawn(f"{FILLED} for (int i = 0; i < n; i++) {{ {loop} }}")
    assert share(numbers, below) == pytest.approx(expected, abs=0.02)


def test_elements_that_change_places_stay_what_they_are(drawn: Run) -> None:
    swap = "int j = rand() % n; float t = h[i]; h[i] = h[j]; h[j] = t;"
    numbers = drawn(
        f"for (int i = 0; i < n; i++) h[i] = i; for (int i = 0; i < n; i++) {{ {swap} }}"
    )
    assert share(numbers, 25000) == pytest.approx(0.25, abs=0.05)


@pytest.mark.parametrize(
    "loop",
    [
        "h[i] = h[i - 1] + o[i];",
        "h[i] = 2 * h[j];",
        "o[i] = h[i] + 1; h[i] = o[j];",
        "o[j] += 1; h[i] = o[i];",
    ],
)
def test_elements_that_the_loop_changes_are_not_known(drawn: Run, loop: str) -> None:
    body = f"for (int i = 0; i < n; i++) h[i] = 1; {FILLED} int j = rand() % n;"
    assert drawn(f"{body} for (int i = 1; i < n; i++) {{ {loop} }}") is None


def test_a_sum_over_an_array_is_as_its_samples_are(run: Run) -> None:
    (launch,) = run(
        f"__global__ void k(float *a) {{}} int main() {{ const int n = 100000; {FILLED}"
        "int many = 0; for (int i = 0; i < n; i++) many += o[i] < 0.25f;"
        "float *d; cudaMalloc(&d, 4); k<<<many, 1>>>(d); }"
    ).launches
    (unknown,) = launch.unknowns.values()
    assert unknown.assumed == pytest.approx(25000, rel=0.05)


@pytest.mark.parametrize(
    ("listed", "mean"),
    [("{6, 7, 7, 6}", 6.5), ("{8, 8}", 4.0), ("{4}", 1.0), ("{}", 0.0)],
)
def test_listed_elements_and_the_rest_which_is_zero(run: Run, listed: str, mean: float) -> None:
    source = f"""
    __global__ void k(const char *a) {{}}
    int main() {{
      const char h[4] = {listed}; char *d; cudaMalloc(&d, 4);
      cudaMemcpy(d, h, 4, cudaMemcpyHostToDevice); k<<<1, 4>>>(d);
    }}"""
    (launch,) = run(source).launches
    assert sum(launch.draws["a"]) / 256 == mean
