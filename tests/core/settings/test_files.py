from __future__ import annotations

from pathlib import Path

import pytest

from roofline_core.settings import Settings, SettingsError, load, locate, merge, resolve, validate


def failure(path: Path) -> str:
    with pytest.raises(SettingsError) as caught:
        load(path)
    return str(caught.value)


@pytest.fixture
def deep(tmp_path: Path) -> Path:
    folder = tmp_path / "src" / "kernels"
    folder.mkdir(parents=True)
    return folder


def test_the_nearest_file_above_is_found(tmp_path: Path, deep: Path) -> None:
    (tmp_path / "roofline.toml").write_text('gpu = "A100"\n')
    (deep / "k.cu").touch()
    assert locate(deep / "k.cu") == tmp_path / "roofline.toml"
    (deep / "roofline.toml").write_text('gpu = "H100"\n')
    assert locate(deep / "k.cu") == deep / "roofline.toml"
    assert locate(deep.parent) == tmp_path / "roofline.toml"
    assert resolve(deep).gpu == "H100"


def test_a_start_that_does_not_exist_yet_is_searched_from_its_folders(
    tmp_path: Path, deep: Path
) -> None:
    (tmp_path / "roofline.toml").write_text("")
    assert locate(deep / "new" / "unsaved.cu") == tmp_path / "roofline.toml"


def test_pyproject_counts_only_with_the_table(tmp_path: Path, deep: Path) -> None:
    (deep / "pyproject.toml").write_text("[tool.other]\nx = 1\n")
    (tmp_path / "pyproject.toml").write_text('[tool.roofline-lsp]\nclock = "base"\n')
    assert locate(deep) == tmp_path / "pyproject.toml"
    assert resolve(deep) == Settings(clock="base")


def test_the_own_file_goes_before_pyproject(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool.roofline-lsp]\n")
    (tmp_path / "roofline.toml").write_text("")
    assert locate(tmp_path) == tmp_path / "roofline.toml"


def test_a_broken_pyproject_matters_only_if_it_mentions_the_table(
    tmp_path: Path, deep: Path
) -> None:
    (deep / "pyproject.toml").write_text("[broken\n")
    (tmp_path / "roofline.toml").write_text("")
    assert locate(deep) == tmp_path / "roofline.toml"
    (deep / "pyproject.toml").write_text("[tool.roofline-lsp\n")
    with pytest.raises(SettingsError, match=r"pyproject\.toml:1:\d+: not valid TOML"):
        locate(deep)


def test_paths_are_relative_to_the_file(tmp_path: Path, deep: Path) -> None:
    (tmp_path / "roofline.toml").write_text(
        'include-dirs = ["include"]\ncompile-commands = "build/compile_commands.json"\n'
    )
    settings = resolve(deep)
    assert settings.include_dirs == (tmp_path / "include",)
    assert settings.compile_commands == tmp_path / "build" / "compile_commands.json"


def test_a_named_file_is_used_and_stronger_layers_go_over_it(tmp_path: Path, deep: Path) -> None:
    (deep / "roofline.toml").write_text('gpu = "H100"\n')
    other = tmp_path / "other.toml"
    other.write_text('gpu = "A100"\nclock = "base"\n')
    given = validate({"gpu": "L4"}, origin="command line", folder=tmp_path)
    assert resolve(deep, given, file=other) == Settings(gpu="L4", clock="base")


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("gpu = \n", "1:7: not valid TOML: Invalid value"),
        ('gpu = "A100"\nclock "base"\n', "2:7: not valid TOML: Expected '=' after a key"),
        ('gpu = "A', "1:9: not valid TOML: Unterminated string"),
    ],
)
def test_malformed_toml_names_line_and_column(tmp_path: Path, text: str, where: str) -> None:
    path = tmp_path / "roofline.toml"
    path.write_text(text)
    assert failure(path).startswith(f"{path}:{where}")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("a = " + "[" * 200_000, ": values are nested too deeply"),
        ("gpu = 'A100'\na" + ".b" * 20_000 + " = 1", ":2: more than 1,000 dots in one line"),
        ('["="' + ".b" * 20_000 + "]", ":1: more than 1,000 dots in one line"),
        ("a = 1\n" * 400_000, ": cannot be read: 2.4 MB are too many"),
    ],
)
def test_texts_that_ask_for_much(tmp_path: Path, text: str, why: str) -> None:
    """They are refused before they take memory by the square of their length."""
    path = tmp_path / "roofline.toml"
    path.write_text(text)
    assert failure(path) == f"{path}{why}"


def test_what_is_not_utf8_names_line_and_column(tmp_path: Path) -> None:
    path = tmp_path / "roofline.toml"
    path.write_bytes(b'gpu = "A100"\nclock = "\xff"\n')
    assert failure(path) == f"{path}:2:10: not UTF-8 text"


def test_a_byte_order_mark_is_no_fault(tmp_path: Path) -> None:
    path = tmp_path / "roofline.toml"
    path.write_bytes(b'\xef\xbb\xbfgpu = "A100"\n')
    assert merge(load(path)).gpu == "A100"


def test_wrong_settings_name_the_file_and_table(tmp_path: Path) -> None:
    path = tmp_path / "pyproject.toml"
    path.write_text('[tool.roofline-lsp]\nclok = "base"\n')
    assert failure(path) == (
        f"{path} [tool.roofline-lsp]: there is no setting 'clok'; did you mean 'clock'?"
    )
    path.write_text("[tool]\nroofline-lsp = 3\n")
    assert failure(path) == f"{path}: 'tool.roofline-lsp' must be a table, not 3"


def test_the_table_of_pyproject_in_the_own_file_is_explained(tmp_path: Path) -> None:
    path = tmp_path / "roofline.toml"
    path.write_text('[tool.roofline-lsp]\ngpu = "A100"\n')
    assert "settings stand at the top" in failure(path)


def test_a_missing_file_names_the_nearest(tmp_path: Path) -> None:
    (tmp_path / "roofline.toml").touch()
    path = tmp_path / "rofline.toml"
    assert failure(path) == (
        f"{path}: cannot be read: No such file or directory; did you mean 'roofline.toml'?"
    )
    assert failure(tmp_path / "gone" / "x.toml").endswith("No such file or directory")
