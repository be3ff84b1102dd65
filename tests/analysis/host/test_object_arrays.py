"""What the members of an array's objects hold that the host fills in, one by one or in loops."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

Run = Callable[..., Any]
Draws = Callable[..., "dict[str, tuple[float, ...]]"]

CLASSES = """
struct vec { double x, y, z; };
struct part { double mass; vec pos; vec v; int kind; };
struct holder { float *own; double mass; };
"""


@pytest.fixture
def drawn(run: Run) -> Draws:
    """The samples behind a kernel's argument ``p``, by member, after some statements."""

    def made(body: str, *, count: int = 2048, before: str = "", element: str = "part") -> Any:
        source = (
            f"{CLASSES}{before}\n__global__ void k(const {element} *p) {{}}\n"
            f"int main() {{ int n = {count}; {element} *p = ({element} *)malloc(n * sizeof(*p));"
            f" {element} *d; cudaMalloc(&d, n * sizeof(*p)); {body} "
            "cudaMemcpy(d, p, n * sizeof(*p), cudaMemcpyHostToDevice); k<<<1, 1>>>(d); }"
        )
        return dict(run(source).launches[0].draws)

    return made


def distinct(numbers: tuple[float, ...]) -> list[float]:
    return sorted({round(number, 6) for number in numbers})


LATTICE = """int i = 0;
for (double z = lo; z <= 0.5; z += 0.1) for (double y = 0; y < 12; y += 1)
  for (double x = 1; x < 3; x += 0.25) { if (i < n) { p[i].pos.x = x; p[i].pos.y = y;
    p[i].pos.z = z; i++; } }"""


def test_a_lattice_of_fractional_steps_is_sampled(drawn: Draws) -> None:
    found = drawn(f"double lo = 0.1; {LATTICE}", count=500)
    assert distinct(found["p.pos.x"]) == [1 + 0.25 * step for step in range(8)]
    assert distinct(found["p.pos.y"]) == list(range(12))
    assert distinct(found["p.pos.z"]) == [0.1, 0.2, 0.3, 0.4, 0.5]
    # Each as often as any other.
    share = sum(number < 4 for number in found["p.pos.y"]) / len(found["p.pos.y"])
    assert share == pytest.approx(1 / 3, abs=0.03)


def test_too_few_objects_stand_for_no_others(drawn: Draws) -> None:
    assert "p.pos.x" not in drawn(f"double lo = 0.1; {LATTICE}", count=2000)


@pytest.mark.parametrize(
    ("count", "expected"),
    [(20, [0.0, 1.0, 2.0, 3.0, 4.0]), (24, [0.0, 1.0, 2.0, 3.0, 4.0]), (50, None)],
)
def test_objects_that_are_filled_one_by_one_are_samples(
    drawn: Draws, count: int, expected: list[float] | None
) -> None:
    found = drawn("for (int i = 0; i < 20; i++) p[i].pos.y = i % 5;", count=count)
    assert (distinct(found["p.pos.y"]) if "p.pos.y" in found else None) == expected


def test_single_objects_among_many_count_by_their_share(drawn: Draws) -> None:
    body = "for (int i = 0; i < n; i++) p[i].mass = 1; for (int i = 0; i < 50; i++) p[i].mass = 3;"
    found = drawn(body, count=200)
    assert sum(number == 3 for number in found["p.mass"]) / 256 == pytest.approx(0.25, abs=0.01)


FILLED = (
    "for (int i = 0; i < n; i++) { p[i].mass = 2; p[i].pos.x = 3; p[i].v.x = 4; p[i].v.y = 5; }"
)


@pytest.mark.parametrize(
    ("stored", "lost"),
    [
        ("p[i].mass = strange(i);", {"p.mass"}),
        ("p[i].v.x = strange(i);", {"p.v.x"}),
        ("p[i].v = p[n - 1 - i].v;", {"p.v.x", "p.v.y"}),
        ("vec w; w.x = strange(i); w.y = 5; p[i].v = w;", {"p.v.x"}),
        ("p[i].kind = strange(i);", set()),
    ],
)
def test_a_loop_that_stores_one_member_leaves_the_others(
    drawn: Draws, stored: str, lost: set[str]
) -> None:
    found = drawn(f"{FILLED} for (int i = 0; i < n; i++) {{ {stored} }}", count=100_000)
    every = {"p.mass": 2.0, "p.pos.x": 3.0, "p.v.x": 4.0, "p.v.y": 5.0}
    kept = {name: number for name, number in every.items() if name not in lost}
    assert {name: found[name] for name in kept} == {name: (n,) * 256 for name, n in kept.items()}
    if "strange" in stored:
        assert not lost & found.keys()


def test_what_a_kernel_may_have_changed_since_is_no_sample(run: Run) -> None:
    source = (
        CLASSES
        + """
    __global__ void w(holder *p); __global__ void k(const holder *p) {}
    int main() { holder *p; cudaMallocManaged(&p, 20 * sizeof(holder));
      for (int i = 0; i < 20; i++) p[i].mass = i;
      k<<<1, 1>>>(p); w<<<1, 1>>>(p); k<<<2, 1>>>(p); }"""
    )
    first, second = (each for each in run(source).launches if each.kernel.name == "k")
    assert len(set(first.draws["p.mass"])) == 20
    assert "p.mass" not in second.draws


DOMAIN = """
struct domain {
  double *held; double *other;
  double &v(int i) { return held[i]; }
  domain(int n) { held = (double *)calloc(n, 8); other = (double *)calloc(n, 8); FILL }
};
__global__ void k(const double *v, const double *other) {}
int main() { const int n = 100000; domain d(n); OUTSIDE k<<<1, 1>>>(d.held, d.other); }
"""


@pytest.mark.parametrize(
    ("fill", "outside", "expected"),
    [
        ("", "", 0.0),
        ("for (int i = 0; i < n; i++) v(i) = 1.0;", "", 1.0),
        ("", "for (int i = 0; i < n; i++) d.v(i) = 2.0;", 2.0),
        ("for (int i = 0; i < n; i++) v(i) = strange(i);", "", None),
        ("", "for (int i = 0; i < n; i++) d.v(i) = strange(i);", None),
        # Too long to be tried out.
        ("for (int i = 0; i < n; i++) {" + " n += 0;" * 300 + " v(i) = 1.0; }", "", None),
    ],
)
def test_stores_to_what_a_call_returns_are_stores(
    run: Run, fill: str, outside: str, expected: float | None
) -> None:
    (launch,) = run(DOMAIN.replace("FILL", fill).replace("OUTSIDE", outside)).launches
    assert launch.draws.get("v") == (None if expected is None else (expected,) * 256)
    assert launch.draws["other"] == (0.0,) * 256


@pytest.mark.parametrize(
    ("number", "known"), [("x[j[i]] - x[j[i] + 1]", False), ("x[i] - x[i]", True)]
)
def test_two_elements_of_which_nothing_is_known_differ(run: Run, number: str, known: bool) -> None:
    source = f"""__global__ void k(const double *p) {{}}
    int main() {{ const int n = 100000; double x[n], p[n]; int j[n]; strange(x, j);
      for (int i = 0; i < n; i++) p[i] = {number};
      double *d; cudaMalloc(&d, n * 8); cudaMemcpy(d, p, n * 8, cudaMemcpyHostToDevice);
      k<<<1, 1>>>(d); }}"""
    (launch,) = run(source).launches
    assert launch.draws.get("p") == ((0.0,) * 256 if known else None)


@pytest.mark.parametrize(("trips", "known"), [("40", True), ("sizes[r]", False)])
def test_stores_are_few_only_where_their_number_is_known(run: Run, trips: str, known: bool) -> None:
    source = f"""__global__ void k(const int *p) {{}}
    int main() {{ const int n = 1000000; int *p = (int *)calloc(n, 4), *d; int sizes[200];
      strange(sizes);
      for (int r = 0; r < 200; r++) for (int i = 0; i < {trips}; i++) p[place(r, i)] = 7;
      cudaMalloc(&d, n * 4); cudaMemcpy(d, p, n * 4, cudaMemcpyHostToDevice);
      k<<<1, 1>>>(d); }}"""
    (launch,) = run(source).launches
    assert launch.draws.get("p") == ((0.0,) * 256 if known else None)


@pytest.mark.parametrize(
    "declared",
    [
        "part *p = (part *)malloc(n * sizeof(*p));",
        "part *p = (part *)malloc(n * sizeof *p);",
        "part *p = (part *)calloc(n, sizeof(p[0]));",
        "part *p; p = (part *)malloc(n * sizeof(*p));",
    ],
)
def test_a_variable_may_be_measured_where_it_is_declared(run: Run, declared: str) -> None:
    source = f"{CLASSES}__global__ void k(part *p) {{}} int main() {{ int n = 100; {declared}"
    (launch,) = run(f"{source} k<<<1, 1>>>(p); }}").launches
    assert launch.args[0].buffer.size_bytes.constant == 100 * 64


def test_memory_stays_when_a_sequence_is_cleared(run: Run) -> None:
    source = """#include <vector>
    __global__ void k(double *p, int n) {}
    int main() { std::vector<double> v(100); double *p = v.data(); k<<<1, 1>>>(p, v.size());
      v.clear(); k<<<2, 1>>>(p, v.size()); }"""
    first, second = run(source).launches
    assert [each.args[0].buffer.size_bytes.constant for each in (first, second)] == [800, 800]
    assert [each.args[1].value.constant for each in (first, second)] == [100, 0]


@pytest.mark.parametrize(
    ("declared", "stored", "read"),
    [
        ("std::map<std::string, counts *> all[10];", 'all[2]["x"] = c;', 'all[2]["x"]->b'),
        ("std::map<std::string, int> all[10];", 'all[2]["x"] = 7;', 'all[2]["x"]'),
        ("std::vector<int> all[10];", "all[2].push_back(7);", "all[2][0]"),
        ("std::vector<int> all[10];", "for (int i = 0; i < 7; i++) all[2].push_back(i);",
         "all[2].size()"),
        ("std::vector<int> all[10];", "all[1].push_back(5);", "all[2].size() + 7"),
    ],
)  # fmt: skip
def test_containers_in_an_array_are_made_with_it(
    run: Run, declared: str, stored: str, read: str
) -> None:
    source = f"""#include <map>
    #include <vector>
    struct counts {{ int a, b; }};
    __global__ void k(int n) {{}}
    int main() {{ counts *c = new counts(); c->b = 7; {declared} {stored} k<<<1, 1>>>({read}); }}"""
    (launch,) = run(source).launches
    assert launch.args[0].value.constant == 7


def test_members_of_an_object_that_is_not_known_are_numbers_of_their_own(run: Run) -> None:
    source = """struct sizes { int w, h; };
    __global__ void k(int n, int m) {}
    int main() { sizes *s = given(), *t = given_too();
      k<<<1, 1>>>(s->w * t->h * 4, s->w + s->h); }"""
    (launch,) = run(source).launches
    product, total = (each.value for each in launch.args)
    assert str(product) == "4*result of given().w*result of given_too().h"
    assert str(total) == "result of given().w + result of given().h"
