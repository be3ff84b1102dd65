"""What nvidia-smi and rocminfo print, read; tools that fail tell nothing."""

import stat
from collections.abc import Sequence
from pathlib import Path

import pytest

from roofline_hardware_db import driver_tools
from roofline_hardware_db.driver_tools import reported_names

ROCMINFO = """
*******
Agent 1
*******
  Name:                    AMD EPYC 7763
  Marketing Name:          AMD EPYC 7763
  Device Type:             CPU
*******
Agent 2
*******
  Name:                    gfx942
  Marketing Name:          AMD Instinct MI300X
  Vendor Name:             AMD
  Device Type:             GPU
"""


def test_both_tools_are_read() -> None:
    def run(command: Sequence[str]) -> str:
        if command[0] == "rocminfo":
            return ROCMINFO
        assert command[1:] == ("--query-gpu=pci.device_id,name", "--format=csv,noheader")
        return "0x220610DE, NVIDIA GeForce RTX 3080\n0x233010DE, NVIDIA H100 80GB HBM3\n\n"

    assert list(reported_names(run)) == [
        "0x220610DE|NVIDIA GeForce RTX 3080",
        "0x233010DE|NVIDIA H100 80GB HBM3",
        "AMD Instinct MI300X",
    ]


def test_nothing_is_read_from_nothing() -> None:
    assert list(reported_names(lambda _: "")) == []
    assert list(reported_names(lambda _: "NVIDIA-SMI has failed because it couldn't talk\n")) == []


def tool(folder: Path, name: str, script: str) -> None:
    path = folder / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)


def test_tools_that_fail_or_hang_or_are_not_there_tell_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin")
    monkeypatch.setattr(driver_tools, "_WSL", tmp_path / "not-there")
    monkeypatch.setattr(driver_tools, "_ROCMINFO", ("no-such-tool-anywhere",))
    tool(tmp_path, "nvidia-smi", "echo '0x220610DE, NVIDIA GeForce RTX 3080'")
    assert len(list(reported_names())) == 1
    tool(tmp_path, "nvidia-smi", "echo '0x220610DE, NVIDIA GeForce RTX 3080'; exit 9")
    assert list(reported_names()) == []
    (tmp_path / "nvidia-smi").rename(tmp_path / "elsewhere")
    assert list(reported_names()) == []
    monkeypatch.setattr(driver_tools, "_WSL", tmp_path / "elsewhere")
    tool(tmp_path, "elsewhere", "echo '0x220610DE, NVIDIA GeForce RTX 3080'")
    assert list(reported_names()) == ["0x220610DE|NVIDIA GeForce RTX 3080"]
    monkeypatch.setattr(driver_tools, "LONGEST_S", 0.05)
    tool(tmp_path, "nvidia-smi", "exec sleep 60")
    assert list(reported_names()) == []
