"""``[gpus.NAME]``: GPUs of one's own and overrides."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from roofline_core.settings import KeyStyle, OwnGpu, Settings, SettingsError, load, merge, validate


def own(table: object, style: KeyStyle = "kebab") -> OwnGpu:
    layer = validate({"gpus": {"lab": table}}, origin="here", folder=Path("/p"), style=style)
    (gpu,) = merge(layer).gpus
    return gpu


def failure(table: object) -> str:
    with pytest.raises(SettingsError) as caught:
        own(table)
    return str(caught.value)


def test_a_gpu_like_another_with_a_power_cap_and_measured_ceilings(tmp_path: Path) -> None:
    (tmp_path / "roofline.toml").write_text(
        'gpu = "lab A100"\nceilings = "measured"\n'
        '[gpus."lab A100"]\nlike = "A100 80GB"\nclock-cap-mhz = 1200\nl2-mb = 20\n'
        '[gpus."lab A100".measured]\nfp32-tflops = 15.5\nmemory-bandwidth-gbs = 1710\n'
    )
    settings = merge(load(tmp_path / "roofline.toml"))
    own_gpus = (
        OwnGpu(
            "lab A100",
            like="A100 80GB",
            clock_cap_mhz=1200.0,
            figures=(("l2_mb", 20.0),),
            measured=(("fp32_tflops", 15.5), ("memory_bandwidth_gbs", 1710.0)),
        ),
    )
    assert settings == Settings(gpu="lab A100", ceilings="measured", gpus=own_gpus)


def test_an_editor_spells_the_keys_in_camel_case() -> None:
    gpu = own({"like": "T4", "smCount": 20, "measured": {"int32Tops": 4}}, "camel")
    assert dict(gpu.figures) == {"sm_count": 20}
    assert dict(gpu.measured) == {"int32_tops": 4.0}


def test_a_file_is_looked_for_beside_the_settings() -> None:
    assert own({"file": "gpus/mine.toml"}).file == Path("/p/gpus/mine.toml")


def test_the_last_origin_replaces_the_gpus_of_the_others() -> None:
    layers = [
        validate({"gpus": {name: {"like": "T4"}}}, origin="here", folder=Path("/p"))
        for name in ("a", "b")
    ]
    assert [gpu.name for gpu in merge(*layers).gpus] == ["b"]


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (3, "here: 'gpus.lab' must be a table, not 3"),
        ({"like": ""}, "here: 'gpus.lab.like' must be a text that is not empty, not ''"),
        (
            {"like": "T4", "file": "a.toml"},
            "here: 'gpus.lab.file' must be left out where 'like' is given, not 'a.toml'",
        ),
        ({"l2-mb": 0}, "here: 'gpus.lab.l2-mb' must be a number above 0, not 0"),
        ({"l2-mb": True}, "here: 'gpus.lab.l2-mb' must be a number above 0, not true"),
        ({"sm-count": 1.5}, "here: 'gpus.lab.sm-count' must be a whole number, not 1.5"),
        ({"measured": 1}, "here: 'gpus.lab.measured' must be a table, not 1"),
    ],
)
def test_what_is_wrong_is_named(table: object, message: str) -> None:
    assert failure(table) == message


def test_an_unknown_key_names_those_there_are() -> None:
    assert failure({"l2_mb": 3}).startswith("here: 'gpus.lab.l2_mb' must be one of like, file, ")
    assert "fp32-tflops" in failure({"measured": {"fp23-tflops": 3}})


@pytest.mark.parametrize("figure", [1e-7, 5e-324, 1.1e9, 1e308, math.inf, 10**400])
@pytest.mark.parametrize("key", ["sm-count", "boost-clock-mhz", "memory-gb", "clock-cap-mhz"])
def test_figures_of_no_gpu_are_refused(key: str, figure: float) -> None:
    """Times and sizes made of them would be infinite or nothing."""
    assert f"'gpus.lab.{key}' must be a number from 1e-06 to 1e+09, not " in failure({key: figure})
