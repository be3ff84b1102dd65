"""The generated index of names, and the command that writes it."""

import subprocess
import sys
from pathlib import Path

import pytest

from roofline_hardware_db import GpuDataError, __main__, index

from .conftest import WriteToml


def test_index_is_current() -> None:
    assert index.INDEX_FILE.read_text(encoding="utf-8") == index.render_index(
        index.build_index()
    ), index.REMEDY
    assert index.index_is_current()


def test_index_drift_is_seen_and_mended(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    stale = tmp_path / "index.json"
    stale.write_text('{"names": {}, "keys": {}, "pci_ids": {}}\n', encoding="utf-8")
    monkeypatch.setattr(index, "INDEX_FILE", stale)
    assert not index.index_is_current()
    assert __main__.main(["check"]) == 1
    assert capsys.readouterr().out == f"index.json: out of date; {index.REMEDY}\n"
    assert __main__.main(["index"]) == 0
    assert index.index_is_current()
    assert __main__.main(["check"]) == 0


def test_missing_index_file_is_drift(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(index, "INDEX_FILE", tmp_path / "index.json")
    assert not index.index_is_current()


@pytest.mark.parametrize(
    "content", [None, "", "{", "[]", '{"names": {}}', '{"names": {}, "keys": {}}']
)
def test_unusable_index_names_the_command(tmp_path: Path, content: str | None) -> None:
    path = tmp_path / "index.json"
    if content is not None:
        path.write_text(content, encoding="utf-8")
    with pytest.raises(GpuDataError, match=r"index\.json: cannot be used .* run `python -m"):
        index.load_index(path)


def test_single_entries_are_those_of_the_whole_index() -> None:
    whole = index.load_index()
    assert {key: index.claimed_by(key) for key in whole.keys} == dict(whole.keys)
    assert {key: index.claimed_by(key, "pci_ids") for key in whole.pci_ids} == dict(whole.pci_ids)
    assert index.claimed_by("") is None
    assert index.claimed_by("a100", "pci_ids") is None
    assert index.claimed_by("10de:2206") is None


def test_an_index_of_another_form_is_read_whole(tmp_path: Path) -> None:
    path = tmp_path / "index.json"
    path.write_text('{"names": {}, "keys": {"x": "y"}, "pci_ids": {}}')
    assert index.claimed_by("x", path=path) == "y"
    assert index.claimed_by("y", path=path) is None
    with pytest.raises(GpuDataError, match=r"absent\.json: cannot be used .* run `python -m"):
        index.claimed_by("x", path=tmp_path / "absent.json")


def test_file_must_be_called_after_its_gpu(write_gpu: WriteToml) -> None:
    path = write_gpu(name="wrong.toml")
    with pytest.raises(GpuDataError, match=r"wrong\.toml: must be called test-9000\.toml"):
        index.build_index(path.parent)


def test_two_gpus_cannot_claim_one_name(write_gpu: WriteToml) -> None:
    write_gpu(name="test-9000.toml")
    alias = ("sm_count = 10", 'sm_count = 10\naliases = ["GeForce TEST-9000"]')
    path = write_gpu(('"Test 9000"', '"Test 9001"'), alias, name="test-9001.toml")
    with pytest.raises(GpuDataError) as caught:
        index.build_index(path.parent)
    assert caught.value.problems == (
        '"GeForce TEST-9000" is claimed by test-9000 and by test-9001; drop one',
    )


def test_two_gpus_cannot_claim_one_pci_id(write_gpu: WriteToml) -> None:
    ids = ("sm_count = 10", 'sm_count = 10\npci_ids = ["10de:0001"]')
    write_gpu(ids, name="test-9000.toml")
    path = write_gpu(('"Test 9000"', '"Test 9001"'), ids, name="test-9001.toml")
    with pytest.raises(GpuDataError) as caught:
        index.build_index(path.parent)
    assert caught.value.problems == (
        '"10de:0001" is claimed by test-9000 and by test-9001; drop one',
    )


def test_check_prints_each_fault(
    monkeypatch: pytest.MonkeyPatch, write_gpu: WriteToml, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write_gpu(("base_clock_mhz = 1000", "base_clock_mhz = 3000"))
    monkeypatch.setattr(__main__, "GPU_FOLDER", path.parent)
    assert __main__.main(["check"]) == 1
    assert capsys.readouterr().out == (
        "gpu.toml: base_clock_mhz: 3000 exceeds boost_clock_mhz, 2000\n"
    )


@pytest.mark.parametrize("arguments", [[], ["frobnicate"], ["index", "check"]])
def test_wrong_command_line(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert __main__.main(arguments) == 2
    assert capsys.readouterr().err.startswith("usage: ")


def test_look_up_by_slug_opens_two_data_files() -> None:
    """Listing or finding one GPU must not read the whole database."""
    script = (
        "import sys; opened = []\n"
        "from roofline_hardware_db import find_gpu, gpu_names\n"
        "sys.addaudithook(lambda event, args: event == 'open' and opened.append(str(args[0])))\n"
        "def data(): return sorted(name.replace('\\\\', '/').rsplit('/', 1)[-1]\n"
        "                          for name in opened if name.endswith(('.toml', '.json')))\n"
        "find_gpu('NVIDIA L4'); print(data()); opened.clear()\n"
        "gpu_names(); print(data()); opened.clear()\n"
        "find_gpu('RTX 3080'); print(data())\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines() == [
        "['l4.toml', 'sm_89.toml']",
        "['index.json']",
        "['rtx-3080-10gb.toml', 'sm_86.toml']",
    ]
