"""Named profiles, command lines by program, and sizes by kernel."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from roofline_core.settings import (
    Layer,
    Settings,
    SettingsError,
    args_of,
    from_json,
    merge,
    resolve,
    setting_names,
    validate,
)
from roofline_core.settings.documented import EXAMPLES, advisor_told, settings_told

FOLDER = Path("/project")
FILE = """\
args = "1"
gpu = "A100"
[kernels."saxpy"]
n = 4096
[per-program-args]
"bench/*" = "7"
[profiles.big]
args = "100000000"
[profiles.big.kernels."sax*"]
n = "64Mi"
grid = [256, 2]
[profiles.other]
gpu = "H100"
"""


def file(text: str = FILE, origin: str = "roofline.toml") -> Layer:
    return validate(tomllib.loads(text), origin=origin, folder=FOLDER, shared=True)


def chosen(name: str) -> Layer:
    return validate({"settings-profile": name}, origin="command line", folder=FOLDER)


def test_without_a_choice_a_profile_changes_nothing() -> None:
    settings = merge(file())
    assert (settings.args, settings.gpu, settings.settings_profile) == (("1",), "A100", None)
    assert settings.profiles == ("big", "other")
    assert settings.kernels == (("saxpy", "n = 4096"),)


def test_a_profile_goes_before_the_other_settings_of_its_file() -> None:
    settings = merge(file(), chosen("big"))
    assert (settings.args, settings.gpu, settings.settings_profile) == (
        ("100000000",),
        "A100",
        "big",
    )
    assert settings.kernels == (("sax*", "n = 64Mi, grid = (256, 2)"), ("saxpy", "n = 4096"))
    assert settings.per_program_args == ()


def test_what_is_stronger_than_the_file_is_stronger_than_its_profile() -> None:
    stronger = validate({"args": "3", "settings-profile": "big"}, origin="x", folder=FOLDER)
    assert merge(file(), stronger).args == ("3",)


def test_a_file_may_choose_its_own_profile_and_the_command_line_another() -> None:
    own = file('settings-profile = "other"\n' + FILE)
    assert merge(own).gpu == "H100"
    assert merge(own, chosen("big")).gpu == "A100"


def test_an_editor_chooses_in_its_own_spelling() -> None:
    editor = from_json({"settingsProfile": "other"}, origin="editor", folder=FOLDER)
    assert merge(file(), editor).gpu == "H100"


@pytest.mark.parametrize(
    ("text", "name", "said"),
    [
        (FILE, "bgi", "there is no settings profile 'bgi'; did you mean 'big'?"),
        (FILE, "zzz", "there is no settings profile 'zzz'; there are big, other"),
        ("", "big", "there is no settings profile 'big'; no file has [profiles.NAME]"),
    ],
)
def test_a_profile_that_there_is_not_is_told_with_the_nearest(
    text: str, name: str, said: str
) -> None:
    with pytest.raises(SettingsError) as error:
        merge(file(text), chosen(name))
    assert str(error.value) == f"command line: {said}"


def test_a_profile_of_a_project_cannot_turn_the_advisor_on() -> None:
    with pytest.raises(SettingsError) as error:
        file("[profiles.big.advisor]\nenabled = true")
    assert "there is no setting 'profiles.big.advisor'" in str(error.value)


@pytest.mark.parametrize(
    ("path", "args"),
    [
        ("/project/bench/a/main.cu", ("7",)),
        ("/project/src/main.cu", ("1",)),
        ("/project/workbench/main.cu", ("1",)),
    ],
)
def test_command_lines_differ_by_folder(path: str, args: tuple[str, ...]) -> None:
    assert args_of(merge(file()), [Path("/elsewhere/x.cu"), Path(path)]) == args


def test_args_of_a_stronger_origin_end_those_by_folder() -> None:
    settings = merge(file(), validate({"args": "5"}, origin="command line", folder=FOLDER))
    assert args_of(settings, [Path("/project/bench/main.cu")]) == ("5",)


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ({"saxpy": 3}, "'kernels.saxpy' must be a table of numbers"),
        ({"saxpy": {"n": [1]}}, "'kernels.saxpy.n' must be a number, or a text such as '64Ki'"),
        ({"saxpy": {"n": True}}, "'kernels.saxpy.n' must be a number, or a text such as '64Ki'"),
        ({"saxpy": {"grid": 0}}, "'kernels.saxpy.grid' must be one to three whole numbers"),
        ({"saxpy": {"block": [1, 2, 3, 4]}}, "'kernels.saxpy.block' must be one to three whole"),
        ({"saxpy": {"argv": "1 2"}}, "'kernels.saxpy.argv' is of the whole program: set 'args'"),
        ({"saxpy": {"n m": 1}}, "'kernels.saxpy.n m' is no name: write a parameter"),
    ],
)
def test_wrong_sizes_name_the_key(table: object, said: str) -> None:
    with pytest.raises(SettingsError) as error:
        validate({"kernels": table}, origin="roofline.toml", folder=FOLDER)
    assert str(error.value).startswith(f"roofline.toml: {said}")


def test_a_settings_file_on_disk_is_resolved_with_its_profile(tmp_path: Path) -> None:
    (tmp_path / "roofline.toml").write_text(FILE)
    assert resolve(tmp_path, chosen("other")).gpu == "H100"


def test_every_setting_is_explained_with_an_example_that_is_valid() -> None:
    told = settings_told()
    assert tuple(each.key for each in told) == setting_names("kebab")
    assert set(EXAMPLES) == {each.field for each in told}
    for each in told:
        values = tomllib.loads(each.example)
        assert list(values) == [each.key]
        validate(values, origin="x", folder=FOLDER)
        assert each.meaning[0].isupper()
    assert tuple(each.key for each in advisor_told()) == setting_names("kebab", "advisor")
    by_key = {each.key: each for each in told}
    assert by_key["clock"].default == f'"{Settings().clock}"'
    assert "Not set: not known" in by_key["args"].meaning
