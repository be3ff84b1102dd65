"""Finding a GPU by the names that people and tools use."""

import pickle

import pytest

from roofline_core.program.errors import RooflineError
from roofline_hardware_db import UnknownGpuError, find_gpu, gpu_names


@pytest.mark.parametrize(
    ("spelling", "slug"),
    [
        ("rtx-3080-10gb", "rtx-3080-10gb"),
        ("GeForce RTX 3080 10GB", "rtx-3080-10gb"),
        ("NVIDIA GeForce RTX 3080", "rtx-3080-10gb"),
        ("nvidia geforce rtx3080", "rtx-3080-10gb"),
        ("RTX 3080 (10 GB)", "rtx-3080-10gb"),
        ("RTX_3080_10GiB", "rtx-3080-10gb"),
        ("RTX 3080 12GB", "rtx-3080-12gb"),
        ("rtx2080ti", "rtx-2080-ti"),
        ("Tesla V100-SXM2-32GB", "v100-sxm2-32gb"),
        ("Tesla P100-SXM2-16GB", "p100-sxm2"),
        ("nvidia t4", "t4"),
        ("NVIDIA A100-SXM4-80GB", "a100-sxm4-80gb"),
        ("a100 80 gb", "a100-sxm4-80gb"),
        ("A100 40GB", "a100-sxm4-40gb"),
        ("NVIDIA H100 80GB HBM3", "h100-sxm5"),
        ("H100 SXM 80GB", "h100-sxm5"),
        ("NVIDIA RTX 6000 Ada Generation", "rtx-6000-ada-generation"),
        ("RTX 4090 24 GB", "rtx-4090"),
        ("AMD Instinct(TM) MI300X", "mi300x"),
        ("AMD Radeon Instinct™ MI210", "mi210"),
        ("NVIDIA GeForce RTX 3080 Laptop GPU", "rtx-3080-laptop"),
        ("NVIDIA A100 80GB PCIe", "a100-pcie-80gb"),
        ("NVIDIA A100-PCIE-40GB", "a100-pcie-40gb"),
        ("NVIDIA GeForce RTX 3080 Ti", "rtx-3080-ti"),
        ("Tesla K40m", "k40"),
        ("3080", "rtx-3080-10gb"),
        ("geforce 1080 ti", "gtx-1080-ti"),
        ("7900xtx", "rx-7900-xtx"),
        ("P6000", "quadro-p6000"),
        ("3080 12GB", "rtx-3080-12gb"),
        ("AMD Instinct MI250X / MI250", "mi250x"),
        ("AMD Radeon RX 7900 XTX", "rx-7900-xtx"),
        ("Intel(R) Arc(TM) A770 Graphics", "arc-a770-16gb"),
        ("Intel(R) Data Center GPU Max 1550", "data-center-max-1550"),
        ("NVIDIA RTX PRO 6000 Blackwell Server Edition", "rtx-pro-6000-blackwell-server-edition"),
    ],
)
def test_spelling(spelling: str, slug: str) -> None:
    assert find_gpu(spelling).slug == slug


@pytest.mark.parametrize(
    ("shared", "slug"),
    [
        ("RTX 3080", "rtx-3080-10gb"),
        ("RTX 3060", "rtx-3060-12gb"),
        ("A100", "a100-sxm4-40gb"),
        ("H100", "h100-sxm5"),
        ("H200", "h200-sxm"),
        ("V100", "v100-sxm2-32gb"),
        ("P100", "p100-sxm2"),
        ("GTX 1060", "gtx-1060-6gb"),
        ("RTX 3050", "rtx-3050-8gb"),
        ("RTX 4060 Ti", "rtx-4060-ti-8gb"),
        ("RTX 5060 Ti", "rtx-5060-ti-16gb"),
        ("Arc A770", "arc-a770-16gb"),
    ],
)
def test_shared_name_means_its_documented_default(shared: str, slug: str) -> None:
    gpu = find_gpu(shared)
    assert gpu.slug == slug
    assert shared in gpu.default_for


@pytest.mark.parametrize(
    ("wrong", "nearest"),
    [
        ("RTX 3008", "GeForce RTX 3080 10GB"),
        ("RTX 4070 Tie", "GeForce RTX 4070 Ti"),
        ("gforce rtx 4090", "GeForce RTX 4090"),
        ("Radeon RX 7900 XTZ", "Radeon RX 7900 XTX"),
        ("Telsa K80", "Tesla K80"),
        ("GeForce RTX 309", "GeForce RTX 3090"),
        ("MI300", "Instinct MI300X"),
        ("Orin", "Jetson AGX Orin 64GB"),
        ("3081", "GeForce RTX 3080 10GB"),
    ],
)
def test_unknown_name_is_answered_with_the_nearest(wrong: str, nearest: str) -> None:
    with pytest.raises(UnknownGpuError) as caught:
        find_gpu(wrong)
    assert nearest in caught.value.suggestions
    assert set(caught.value.suggestions) <= set(gpu_names())
    assert f'"{wrong}"' in str(caught.value)
    assert f'"{nearest}"' in str(caught.value)
    assert isinstance(caught.value, RooflineError)


@pytest.mark.parametrize("name", ["", "   ", "NVIDIA", "???", "Voodoo5 5500 AGP"])
def test_name_without_neighbours_says_what_else_to_do(name: str) -> None:
    with pytest.raises(UnknownGpuError, match="TOML file of your own") as caught:
        find_gpu(name)
    assert caught.value.suggestions == ()


@pytest.mark.parametrize("name", ["RTX 3080 16GB", "RTX 4090 12 GB", "T4 0GB"])
def test_wrong_memory_size_is_not_ignored(name: str) -> None:
    with pytest.raises(UnknownGpuError):
        find_gpu(name)


@pytest.mark.parametrize("name", ["RTX 3085", "NVIDIA A100X", "RTX 3080 TiM", "RX 7900"])
def test_other_product_is_not_taken_for_a_known_one(name: str) -> None:
    with pytest.raises(UnknownGpuError):
        find_gpu(name)


@pytest.mark.parametrize(
    ("spelling", "slug"),
    [
        ("10de:2206", "rtx-3080-10gb"),
        ("10DE:2216", "rtx-3080-10gb"),
        ("pci 10de:220a", "rtx-3080-12gb"),
        ("0x220610DE", "rtx-3080-10gb"),
        ("1002:744c:c8", "rx-7900-xtx"),
        ("1002:744C (rev c8)", "rx-7900-xtx"),
        ("8086:56a0", "arc-a770-16gb"),
        ("10de:2206:a1", "rtx-3080-10gb"),
    ],
)
def test_pci_id(spelling: str, slug: str) -> None:
    assert find_gpu(spelling).slug == slug


def test_pci_id_that_several_share_names_them() -> None:
    with pytest.raises(UnknownGpuError) as caught:
        find_gpu("1002:744c")
    assert {"Radeon RX 7900 XT", "Radeon RX 7900 XTX"} <= set(caught.value.suggestions)


@pytest.mark.parametrize("pci_id", ["10de:ffff", "1002:744c:00", "10de:220", "220610de"])
def test_pci_id_of_no_gpu(pci_id: str) -> None:
    with pytest.raises(UnknownGpuError):
        find_gpu(pci_id)


def test_path_is_a_name_like_any_other() -> None:
    with pytest.raises(UnknownGpuError):
        find_gpu("../gpus/t4")


def test_names_are_unique_and_in_the_order_of_slugs() -> None:
    names = gpu_names()
    assert len(names) == len(set(names)) >= 24
    slugs = [find_gpu(name).slug for name in names]
    assert slugs == sorted(slugs)


def test_same_gpu_is_read_once() -> None:
    assert find_gpu("RTX 3080") is find_gpu("nvidia rtx-3080-10gb")


def test_results_and_errors_travel_between_processes() -> None:
    gpu = find_gpu("L4")
    assert pickle.loads(pickle.dumps(gpu)) == gpu
    error = UnknownGpuError("x", ("L4",))
    assert str(pickle.loads(pickle.dumps(error))) == str(error)


def test_a_name_longer_than_files_may_have_is_unknown() -> None:
    with pytest.raises(UnknownGpuError):
        find_gpu("a" * 5_000)


@pytest.mark.parametrize(
    ("typed", "meant"),
    [("A1OO", "A100 SXM4 40GB"), ("RTX 4O9O", "GeForce RTX 4090"), ("H1OO", "H100 SXM5")],
)
def test_letters_that_look_like_digits_are_taken_for_them(typed: str, meant: str) -> None:
    with pytest.raises(UnknownGpuError) as caught:
        find_gpu(typed)
    assert caught.value.suggestions[0] == meant


def test_an_error_with_an_origin_travels_between_processes() -> None:
    error = UnknownGpuError("x", ("L4",), "roofline.toml")
    assert str(pickle.loads(pickle.dumps(error))).startswith('roofline.toml: unknown GPU "x": the')
