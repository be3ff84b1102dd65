"""Constants that the files of a program define differently."""

from __future__ import annotations

from pathlib import Path

from roofline_analysis.api.program import ProgramAnalysis
from roofline_analysis.language.file_constants import FileConstants
from roofline_analysis.language.symbols import Symbols
from roofline_analysis.language.type_system import TypeSystem
from roofline_core.settings import Settings
from roofline_parsers.reading.load import load_program

_KERNEL = """\
namespace p {{ namespace {{
{constants}
__device__ float grown(float x) {{ for (int i = 0; i < kRounds; i++) x = x * x; return x; }}
__global__ void {name}(float *a) {{
    __shared__ float tile[kTile];
    tile[threadIdx.x] = a[blockIdx.x * 256 + threadIdx.x];
    a[blockIdx.x * 256 + threadIdx.x] = grown(tile[threadIdx.x]);
}} }}
void run_{name}(float *a) {{ {name}<<<kTile / 256 * 1024, 256>>>(a); }} }}
"""
_MAIN = """\
namespace p { void run_first(float *a); void run_second(float *a); }
int main() { float *a; cudaMalloc(&a, 1 << 22); p::run_first(a); p::run_second(a); }
"""


def _seen(files: dict[str, str], path: str) -> dict[str, float]:
    contents = {Path(name): text.encode() for name, text in files.items()}
    sources = [each for each in contents if each.suffix == ".cu"]
    program = load_program(sources, contents.get)
    types = TypeSystem(Symbols(program))
    return dict(FileConstants(program).seen_from(Path(path), types))


def test_kernels_of_linked_files_count_by_their_own_constants(tmp_path: Path) -> None:
    first = "constexpr int kStep = 2; constexpr int kRounds = kStep * 5; const int kTile = 256;"
    second = "constexpr int kStep = 7; constexpr int kRounds = kStep * 9; const int kTile = 512;"
    texts = {
        "main.cu": _MAIN,
        "first.cu": _KERNEL.format(name="first", constants=first),
        "second.cu": _KERNEL.format(name="second", constants=second),
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    paths = [tmp_path / name for name in texts]
    analysis = ProgramAnalysis.load(paths, Settings(gpu="A100"))
    found: dict[str, tuple[float | None, int]] = {}
    for kernel in analysis.functions:
        (launch,) = analysis.launches_of(kernel)
        judged = analysis.judge_launch(kernel, launch)
        found[kernel.name] = judged.prediction.sp_flops, judged.judged.summary.shared_bytes
    expected: dict[str, tuple[float | None, int]] = {
        "first": (10.0 * 1024 * 256, 1024),
        "second": (63.0 * 2048 * 256, 2048),
    }
    assert found == expected


def test_numbers_are_those_of_the_file_and_of_what_it_includes() -> None:
    files = {
        "/p/small.h": "constexpr int kTile = 16;\nconstexpr int kOther = 3;\n",
        "/p/large.h": "constexpr int kTile = 64;\n",
        "/p/a.cu": '#include "small.h"\nconstexpr int kArea = kTile * kTile;\n',
        "/p/b.cu": '#include "large.h"\nconst unsigned kRows = kTile + kOther;\n',
        "/p/c.cu": "int x;\n",
    }
    assert _seen(files, "/p/a.cu") == {"kTile": 16}  # what is worked out of it is so anywhere
    assert _seen(files, "/p/b.cu") == {"kTile": 64, "kRows": 67}
    assert _seen(files, "/p/c.cu") == {}


def test_equal_numbers_and_those_of_one_file_are_left_alone() -> None:
    files = {
        "/p/a.cu": "const int kTile = 16; constexpr float kScale = 1.0f;\n",
        "/p/b.cu": "const int kTile = 16; constexpr float kScale = 2.0f; const int kOwn = 4;\n",
    }
    assert _seen(files, "/p/a.cu") == _seen(files, "/p/b.cu") == {}


def test_a_name_that_is_defined_twice_in_sight_is_left_out() -> None:
    files = {
        "/p/one.h": "namespace one { const int kTile = 16; }\n",
        "/p/two.h": "namespace two { const int kTile = 64; }\n",
        "/p/a.cu": '#include "one.h"\n#include "two.h"\n',
        "/p/b.cu": '#include "one.h"\n',
    }
    files["/p/c.cu"] = (
        "namespace a { const int kTile = 1; }\nnamespace b { const int kTile = 2; }\n"
    )
    assert _seen(files, "/p/a.cu") == _seen(files, "/p/c.cu") == {}
    assert _seen(files, "/p/b.cu") == {"kTile": 16}
