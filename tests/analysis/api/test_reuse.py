"""What is kept between edits never shows in a report."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roofline_analysis.api import program
from roofline_analysis.api.cache import AnalysisCache
from roofline_analysis.api.entry import analyze
from roofline_analysis.report.report import FileReport
from roofline_core.settings import Settings

PATH = Path("/p/main.cu")
SETTINGS = Settings(gpu="RTX 3080", clock="base", args=("1000",))
SOURCE = """\
struct Pair { float a, b; __device__ float sum() const { return a + b; } };
__device__ float twice(float x) {
  return x * 2.0f;
}
__device__ float four(float x) {
  return twice(x) + twice(x);
}
__device__ Pair operator*(Pair x, float y) {
  return {x.a * y, x.b * y};
}
__host__ __device__ int rounded(int n) {
  return n + 1;
}
__global__ void alone(float *p, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i] = p[i] * 3.0f;
}
__global__ void calls(float *p, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i] = four(p[i]);
}
__global__ void pairs(Pair *p, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i] = p[i] * 2.0f;
}
int main(int argc, char **argv) {
  int n = atoi(argv[1]);
  float *p;
  cudaMalloc(&p, n * sizeof(float));
  alone<<<rounded(n) / 256, 256>>>(p, n);
  calls<<<(n + 255) / 256, 256>>>(p, n);
  pairs<<<n / 256, 256>>>((Pair *)p, n / 2);
}
"""
PLACES = {
    "alone": ("3.0f", "3.0f * p[0]"),
    "twice": ("x * 2.0f;", "x * 2.0f + x * x;"),
    "four": ("+ twice", "+ x * x * x * twice"),
    "operator*": ("{x.a * y", "{x.a * y + x.b"),
    "rounded": ("n + 1", "n + 511"),
    "main": ("n / 2)", "n / 4)"),
    "calls": ("four(p[i])", "four(p[i] * 5.0f)"),
}


class Counts:
    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.host = 0
        self.walked: list[str] = []
        host, walk = getattr(program, "execute_host"), getattr(program, "summarise")  # noqa: B009

        def counted_host(*given: object) -> object:
            self.host += 1
            return host(*given)

        def counted_walk(kernel: object, *given: object) -> object:
            self.walked.append(kernel.name)  # type: ignore[attr-defined]
            return walk(kernel, *given)

        monkeypatch.setattr(program, "execute_host", counted_host)
        monkeypatch.setattr(program, "summarise", counted_walk)


def report(
    text: str, cache: AnalysisCache | None = None, settings: Settings = SETTINGS
) -> FileReport:
    return analyze(text.encode(), PATH, settings, reader=lambda _: None, cache=cache)


def edited(text: str, name: str) -> str:
    old, new = PLACES[name]
    assert text.count(old) == 1
    return text.replace(old, new)


@pytest.mark.parametrize(
    ("name", "host", "walked"),
    [
        ("alone", 0, ["alone"]),
        ("calls", 0, ["calls"]),
        ("twice", 0, ["calls"]),
        ("four", 0, ["calls"]),
        ("operator*", 1, ["alone", "calls", "pairs"]),
        ("rounded", 1, []),
        ("main", 1, []),
    ],
)
def test_only_what_an_edit_may_touch_is_computed_again(
    monkeypatch: pytest.MonkeyPatch, name: str, host: int, walked: list[str]
) -> None:
    cache = AnalysisCache(keep_trees=True)
    report(SOURCE, cache)
    counts = Counts(monkeypatch)
    text = edited(SOURCE, name)
    made = report(text, cache)
    assert (counts.host, counts.walked) == (host, walked)
    assert made == report(text)
    assert made != report(SOURCE)


def test_an_operator_is_called_without_its_name() -> None:
    cache = AnalysisCache(keep_trees=True)
    before = report(SOURCE, cache)
    after = report(edited(SOURCE, "operator*"), cache)
    names = [
        old.base_name
        for old, new in zip(before.kernels, after.kernels, strict=True)
        if old.prediction != new.prediction
    ]
    assert names == ["pairs"]


def test_problems_of_bodies_are_those_of_the_text_alone() -> None:
    """A host function that was read for a launch says nothing once no kernel is left."""
    deep = "void host(int a) { bool b = " + " && ".join(["a == 1"] * 200) + "; }\n"
    problem = "nested more than 140 levels deep"
    kernel = "__global__ void fill(float *x) { x[threadIdx.x] = 0; }\n"
    with_kernel = deep + kernel
    launched = deep.replace("; }", "; if (b) fill<<<1, 32>>>(nullptr); }") + kernel
    cache = AnalysisCache(keep_trees=True)
    for text in (launched, with_kernel, deep, with_kernel, launched):
        made, fresh = report(text, cache), report(text)
        assert made == fresh
        said = [each for each in made.problems if problem in each.message]
        assert len(said) == (1 if "fill" in text else 0)


def test_other_settings_keep_nothing() -> None:
    cache = AnalysisCache(keep_trees=True)
    report(SOURCE, cache)
    other = Settings(gpu="H100", args=("1000",))
    made = analyze(SOURCE.encode(), PATH, other, reader=lambda _: None, cache=cache)
    assert made == analyze(SOURCE.encode(), PATH, other, reader=lambda _: None)


def test_a_run_keeps_no_analysis() -> None:
    cache = AnalysisCache()
    report(SOURCE, cache)
    first = cache.replace_program((PATH,), program.ProgramAnalysis.load([PATH], SETTINGS))
    second = cache.replace_program((PATH,), program.ProgramAnalysis.load([PATH], SETTINGS))
    assert first is None
    assert second is None


def quick_report(text: str, cache: AnalysisCache, settings: Settings = SETTINGS) -> FileReport:
    return analyze(
        text.encode(), PATH, settings, reader=lambda _: None, cache=cache, findings=False
    )


def test_findings_are_made_of_what_was_predicted_before(monkeypatch: pytest.MonkeyPatch) -> None:
    # Literals of double precision, which a rule finds.
    text = SOURCE.replace("p[i] * 3.0f", "0.25 * p[i] * p[i] + 0.5 * p[i] + 3.5")
    large = replace(SETTINGS, args=("100000000",))
    cache = AnalysisCache(keep_trees=True)
    report(SOURCE, cache, large)
    counts = Counts(monkeypatch)
    quick = quick_report(text, cache, large)
    assert not quick.looked_for_findings
    assert (counts.host, counts.walked) == (0, ["alone"])
    whole = report(text, cache, large)
    assert whole == report(text, settings=large)
    assert counts.walked.count("alone") == 2, "not again, but by the analysis it is compared with"
    assert [k.prediction for k in quick.kernels] == [k.prediction for k in whole.kernels]
    assert not quick.all_findings()
    assert whole.all_findings()


@given(
    names=st.lists(st.sampled_from(sorted(PLACES)), min_size=1, max_size=5),
    pauses=st.integers(0, 9),
)
@settings(max_examples=20, deadline=None)
def test_quick_reports_leave_nothing_behind(names: list[str], pauses: int) -> None:
    cache = AnalysisCache(keep_trees=True)
    text = SOURCE
    report(text, cache)
    for place, name in enumerate(names):
        old, new = PLACES[name]
        text = text.replace(new, old) if new in text else text.replace(old, new)
        quick = quick_report(text, cache)
        fresh = report(text)
        assert [k.prediction for k in quick.kernels] == [k.prediction for k in fresh.kernels]
        assert quick.problems == fresh.problems
        if pauses >> place & 1:
            assert report(text, cache) == fresh
    assert report(text, cache) == report(text)


@given(names=st.lists(st.sampled_from(sorted(PLACES)), min_size=1, max_size=5))
@settings(max_examples=20, deadline=None)
def test_any_order_of_edits_gives_what_a_fresh_analysis_gives(names: list[str]) -> None:
    cache = AnalysisCache(keep_trees=True)
    text = SOURCE
    report(text, cache)
    for name in names:
        old, new = PLACES[name]
        text = text.replace(new, old) if new in text else text.replace(old, new)
        assert report(text, cache) == report(text)


def test_what_a_kernel_loads_is_what_the_one_before_writes_now(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    text = """
    __global__ void first(float *a) {
      a[threadIdx.x] = threadIdx.x < 64;
    }
    __global__ void second(const float *a, float *b) {
      int i = threadIdx.x; float v = b[i];
      if (a[i] == 1) b[i] = v + 1.0f;
    }
    int main() {
      float *a, *b; cudaMalloc(&a, 1024); cudaMalloc(&b, 1024);
      first<<<1, 256>>>(a); second<<<1, 256>>>(a, b);
    }"""
    cache = AnalysisCache(keep_trees=True)
    before = report(text, cache)
    counts = Counts(monkeypatch)
    edited_text = text.replace("< 64;", "< 192;")
    made = report(edited_text, cache)
    assert (counts.host, counts.walked) == (0, ["first"])
    assert made == report(edited_text)
    assert made.kernels[1].launches[0].prediction != before.kernels[1].launches[0].prediction
