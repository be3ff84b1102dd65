"""``gpus --measure`` with compilers and benchmarks that are played by scripts."""

from __future__ import annotations

import json
import shutil
import stat
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from roofline_hardware_db import find_gpu
from roofline_hardware_db.ceilings import MeasurementError, load_ceilings, store_path
from roofline_hardware_db.ceilings.measure import SOURCE
from roofline_lsp.cli import gpus

Run = Callable[..., Any]

FIGURES = """device NVIDIA GeForce RTX 3080
memory_bandwidth_gbs 690.5
fp64_tflops 0.45
fp32_tflops 28.5
fp16_tflops 29
int32_tops 14.25
tensor_fp16_tflops 57
"""


@pytest.fixture
def nvcc(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Path]:
    """Makes an ``nvcc`` whose programs run a script; gives the file that tells its arguments."""
    bin_folder = tmp_path / "bin"
    bin_folder.mkdir()
    for tool in ("cat", "chmod", "cp", "sh"):
        found = shutil.which(tool)
        assert found is not None
        (bin_folder / tool).symlink_to(found)
    # A compiler that this machine has is not found.
    monkeypatch.setenv("PATH", str(bin_folder))
    monkeypatch.setenv("ROOFLINE_LSP_CONFIG_DIR", str(tmp_path / "config"))
    for variable in ("CUDA_HOME", "CUDA_PATH", "ROCM_PATH", "HIP_PATH"):
        monkeypatch.delenv(variable, raising=False)

    def make(program: str, compiles: str = "true", name: str = "nvcc") -> Path:
        made = tmp_path / "made"
        made.write_text(f"#!/bin/sh\n{program}\n")
        told = tmp_path / "told"
        script = f"""#!/bin/sh
if [ "$1" = --version ]; then echo "Cuda compilation tools, release 13.0, V13.0.1"; exit 0; fi
echo "$@" > {told}
{compiles} || exit 1
for last; do :; done
cp {made} "$last"; chmod +x "$last"
"""
        path = bin_folder / name
        path.write_text(script)
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        return told

    return make


def play(figures: str) -> str:
    return f"cat <<'END'\n{figures}END"


def test_what_is_measured_is_shown_kept_and_used(
    run: Run, nvcc: Callable[..., Path], project: Path
) -> None:
    told = nvcc(play(FIGURES))
    ran = run("gpus", "RTX 3080", "--measure")
    assert ran.code == 0
    lines = ran.out.splitlines()
    assert lines[0].startswith("GeForce RTX 3080 10GB (NVIDIA GeForce RTX 3080), 20")
    assert lines[0].endswith(", Cuda compilation tools, release 13.0, V13.0.1")
    assert lines[2].split() == ["memory_bandwidth_gbs", "690.5", "760.3", "0.908"]
    assert lines[4].split() == ["fp32_tflops", "28.5", "29.77", "0.957"]
    assert str(store_path()) in lines[-1]
    assert told.read_text().split()[:3] == ["-O3", "-std=c++17", "-arch=sm_86"]
    assert str(SOURCE) in told.read_text()

    kept = load_ceilings(find_gpu("RTX 3080"))
    assert kept is not None
    assert kept.figures["int32_tops"] == 14.25
    (project / "roofline.toml").write_text('ceilings = "measured"\n')
    checked = json.loads(run("--check", "src", "--format", "json").out)["gpu"]
    assert (checked["bandwidth_gbs"], checked["peaks"]["sp"]) == (690.5, 28500)
    assert checked["ridge"]["dp"] == pytest.approx(450 / 690.5)
    assert checked["note"] is None
    other = json.loads(run("--check", "src", "--gpu", "A100", "--format", "json").out)["gpu"]
    assert other["note"] == "nothing was measured of this GPU, so its derived peaks are taken"
    assert other["bandwidth_gbs"] == 1555


def test_settings_go_before_what_was_measured(
    run: Run, nvcc: Callable[..., Path], project: Path
) -> None:
    nvcc(play(FIGURES))
    run("gpus", "RTX 3080", "--measure")
    (project / "roofline.toml").write_text(
        'ceilings = "measured"\n[gpus."RTX 3080".measured]\nmemory-bandwidth-gbs = 700\n'
    )
    (gpu,) = json.loads(run("gpus", "RTX 3080 10GB", "--format", "json").out)["gpus"]
    assert (gpu["memory_bandwidth_gbs"], gpu["peaks"]["fp32_gflops"]) == (700, 28500)


def test_a_second_measurement_replaces_the_first_of_the_same_gpu_alone(
    run: Run, nvcc: Callable[..., Path]
) -> None:
    nvcc(play(FIGURES))
    run("gpus", "RTX 3080", "--measure")
    nvcc(play("device NVIDIA A100-SXM4-40GB\nmemory_bandwidth_gbs 1400\nfp64_tflops nan\n"))
    assert run("gpus", "A100", "--measure").code == 0
    nvcc(play("device NVIDIA GeForce RTX 3080\nmemory_bandwidth_gbs 700\n"))
    run("gpus", "RTX 3080", "--measure")
    content = json.loads(store_path().read_text())
    assert {name: entry["memory_bandwidth_gbs"] for name, entry in content.items()} == {
        "A100 SXM4 40GB": 1400,
        "GeForce RTX 3080 10GB": 700,
    }
    assert "fp64_tflops" not in content["A100 SXM4 40GB"]


def test_amd_gpus_are_measured_with_hipcc(run: Run, nvcc: Callable[..., Path]) -> None:
    told = nvcc(play("device AMD Instinct MI300X\nmemory_bandwidth_gbs 4000\n"), name="hipcc")
    assert run("gpus", "MI300X", "--measure").code == 0
    assert told.read_text().split()[2:5] == ["--offload-arch=gfx942", "-x", "hip"]


@pytest.mark.parametrize(
    ("gpu", "program", "compiles", "message"),
    [
        ("A100", play(FIGURES), "true", "the first GPU of this machine is 'NVIDIA GeForce RTX"),
        ("RTX 3080 Ti", play(FIGURES), "true", "not GeForce RTX 3080 Ti"),
        ("RTX 3080", "echo nothing", "true", "the benchmarks printed no figures"),
        ("RTX 3080", "exit 3", "true", "running the benchmarks failed: it ended with code 3"),
        ("RTX 3080", "echo no device >&2; exit 1", "true", "failed: no device"),
        ("RTX 3080", "true", "{ echo 'error: bad arch' >&2; false; }", "failed: error: bad arch"),
        ("MI300X", "true", "true", "there is no hipcc on the PATH nor under $ROCM_PATH"),
        ("Arc A770", "true", "true", "cannot be measured: the benchmarks are CUDA and HIP"),
    ],
)
def test_what_goes_wrong_is_said(
    run: Run, nvcc: Callable[..., Path], gpu: str, program: str, compiles: str, message: str
) -> None:
    nvcc(program, compiles)
    ran = run("gpus", gpu, "--measure")
    assert (ran.code, ran.out) == (2, "")
    assert message in ran.err
    assert not store_path().exists()


def test_the_present_gpu_is_measured_and_must_be_there(
    run: Run, nvcc: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    nvcc(play(FIGURES))
    monkeypatch.setattr(gpus, "present_gpus", lambda: (find_gpu("RTX 3080 12GB"),))
    assert run("gpus", "--measure").out.startswith("GeForce RTX 3080 12GB (NVIDIA GeForce RTX")
    monkeypatch.setattr(gpus, "present_gpus", tuple)
    assert "this machine has no GPU that the database knows" in run("gpus", "--measure").err


@pytest.mark.parametrize(
    "text", ["{", "[]", '{"GeForce RTX 3080 10GB": {"memory_bandwidth_gbs": -1}}', '{"a": 3}']
)
def test_a_broken_file_is_an_error_that_names_it(
    text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ROOFLINE_LSP_CONFIG_DIR", str(tmp_path))
    store_path().write_text(text)
    with pytest.raises(MeasurementError, match=r"ceilings\.json: cannot be used .*--measure"):
        load_ceilings(find_gpu("RTX 3080"))


def test_the_file_lies_with_a_persons_settings() -> None:
    assert store_path({"XDG_CONFIG_HOME": "/c"}) == Path("/c/roofline-lsp/ceilings.json")
    assert store_path({"ROOFLINE_LSP_CONFIG_DIR": "/x"}) == Path("/x/ceilings.json")
    assert store_path({}) == Path.home() / ".config/roofline-lsp/ceilings.json"


@pytest.mark.skipif(shutil.which("nvcc") is None, reason="there is no nvcc")
def test_the_benchmarks_compile(tmp_path: Path) -> None:
    command = ["nvcc", "-std=c++17", "-arch=sm_90", "-ptx", str(SOURCE)]
    done = subprocess.run(
        [*command, "-o", tmp_path / "out.ptx"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    text = (tmp_path / "out.ptx").read_text()
    for instruction in ("fma.rn.f64", "fma.rn.f32", "fma.rn.f16x2", "mad.lo.s32", "wmma.mma"):
        assert text.count(instruction) >= 8, instruction
