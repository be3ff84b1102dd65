from __future__ import annotations

from pathlib import Path

import pytest

from roofline_core.settings import (
    AdvisorSettings,
    KeyStyle,
    Settings,
    SettingsError,
    from_json,
    merge,
    setting_names,
    validate,
)

FOLDER = Path("/project")
KEYS = (
    *("gpu", "clock", "rule", "compiler", "fast-math", "args", "per-program-args", "kernels"),
    "defines",
    *("include-dirs", "compile-commands"),
    *("background-gbs", "background-period-ms", "exclude", "advisor"),
    *("ceilings", "what-if", "gpus"),
    *("select", "ignore", "per-file-ignores", "contracts", "notes", "settings-profile", "profiles"),
)


NO_SETTINGS = {"from_project", "origins", "size_ranges", "warnings"}
"""Fields that say where the others are from, or what a front end shows."""


def check(values: dict[str, object], style: KeyStyle = "kebab") -> Settings:
    return merge(validate(values, origin="here", folder=FOLDER, style=style))


def failure(values: dict[str, object], style: KeyStyle = "kebab") -> str:
    with pytest.raises(SettingsError) as caught:
        validate(values, origin="roofline.toml", folder=FOLDER, style=style)
    return str(caught.value)


def test_every_field_of_settings_has_a_key_in_both_spellings() -> None:
    fields = tuple(name for name in Settings.__dataclass_fields__ if name not in NO_SETTINGS)
    assert setting_names("kebab") == tuple(name.replace("_", "-") for name in fields)
    assert setting_names("camel") == (
        "gpu", "clock", "rule", "compiler", "fastMath", "args", "perProgramArgs", "kernels",
        "defines",
        "includeDirs", "compileCommands",
        "backgroundGbs", "backgroundPeriodMs", "exclude", "advisor", "ceilings", "whatIf", "gpus",
        "select", "ignore", "perFileIgnores", "contracts", "notes", "settingsProfile", "profiles",
    )  # fmt: skip
    fields = tuple(AdvisorSettings.__dataclass_fields__)
    assert setting_names("kebab", "advisor") == tuple(name.replace("_", "-") for name in fields)
    assert "baseUrl" in setting_names("camel", "advisor")


def test_values_get_their_types() -> None:
    settings = check(
        {
            "gpu": "A100",
            "clock": "base",
            "rule": "study",
            "args": "-n 100 'two words'",
            "defines": ["N=16", "FAST", "EMPTY=", "F(x, y)=((x) = y)"],
            "include-dirs": ["include", "/opt/include"],
            "compile-commands": "build/compile_commands.json",
            "exclude": ["third_party"],
            "select": ["RL1", "double-literal"],
            "ignore": ["RL104"],
            "per-file-ignores": {"tests/*": ["ALL"]},
        }
    )
    assert settings == Settings(
        gpu="A100",
        clock="base",
        rule="study",
        args=("-n", "100", "two words"),
        defines=("N=16", "FAST", "EMPTY=", "F(x, y)=((x) = y)"),
        include_dirs=(Path("/project/include"), Path("/opt/include")),
        compile_commands=Path("/project/build/compile_commands.json"),
        exclude=("third_party",),
        select=("RL1", "double-literal"),
        ignore=("RL104",),
        per_file_ignores=(("tests/*", ("ALL",)),),
    )


def test_args_may_be_a_list_and_empty() -> None:
    assert check({"args": ["-n", "two words"]}).args == ("-n", "two words")
    assert check({"args": ""}).args == ()
    assert check({}).args is None


def test_editor_json_is_in_camel_case_and_null_is_unset() -> None:
    layer = from_json({"includeDirs": ["a"], "gpu": None}, origin="options", folder=FOLDER)
    assert merge(layer) == Settings(include_dirs=(FOLDER / "a",))


def test_home_is_expanded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/someone")
    assert check({"include-dirs": ["~/include"]}).include_dirs == (Path("/home/someone/include"),)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"gpuu": "A100"}, "roofline.toml: there is no setting 'gpuu'; did you mean 'gpu'?"),
        (
            {"gpus": "A100"},
            "roofline.toml: 'gpus' must be a table of tables, one a GPU, not 'A100'",
        ),
        (
            {"ceilings": "spek"},
            (
                "roofline.toml: 'ceilings' must be 'spec' or 'measured', not 'spek'"
                "; did you mean 'spec'?"
            ),
        ),
        (
            {"include_dirs": []},
            "roofline.toml: there is no setting 'include_dirs'; did you mean 'include-dirs'?",
        ),
        (
            {"xyzzy": 1},
            "roofline.toml: there is no setting 'xyzzy'; the settings are " + ", ".join(KEYS),
        ),
        ({"gpu": 3080}, "roofline.toml: 'gpu' must be a text that is not empty, not 3080"),
        ({"gpu": " "}, "roofline.toml: 'gpu' must be a text that is not empty, not ' '"),
        ({"gpu": True}, "roofline.toml: 'gpu' must be a text that is not empty, not true"),
        (
            {"clock": "bost"},
            "roofline.toml: 'clock' must be 'base' or 'boost', not 'bost'; did you mean 'boost'?",
        ),
        (
            {"rule": "studies"},
            (
                "roofline.toml: 'rule' must be one of 'compulsory', 'study', not 'studies'; did you"
                " mean 'study'?"
            ),
        ),
        ({"clock": ["base"]}, "roofline.toml: 'clock' must be 'base' or 'boost', not a list"),
        ({"defines": "N=1"}, "roofline.toml: 'defines' must be a list of texts, not 'N=1'"),
        ({"defines": {}}, "roofline.toml: 'defines' must be a list of texts, not a table"),
        (
            {"per-file-ignores": ["RL104"]},
            (
                "roofline.toml: 'per-file-ignores' must be a table of patterns, each with a list"
                " of texts, not a list"
            ),
        ),
        ({"exclude": ["a", 1]}, "roofline.toml: 'exclude' must be a list of texts, not 1 in it"),
        (
            {"defines": ["2N=1"]},
            "roofline.toml: 'defines' must be a list of NAME or NAME=VALUE, not '2N=1' in it",
        ),
        (
            {"args": "'open"},
            (
                "roofline.toml: 'args' must be a command line that a shell can read, not ''open' "
                "(no closing quotation)"
            ),
        ),
    ],
)
def test_a_message_names_file_key_value_and_the_nearest_choice(
    values: dict[str, object], message: str
) -> None:
    assert failure(values) == message


def test_a_key_is_suggested_in_the_spelling_of_its_origin() -> None:
    assert failure({"include-dirs": []}, "camel").endswith("did you mean 'includeDirs'?")


def test_later_layers_win_and_replace_lists_whole() -> None:
    weak = validate({"gpu": "A100", "defines": ["A", "B"]}, origin="file", folder=FOLDER)
    strong = validate({"defines": ["C"], "args": None}, origin="command line", folder=FOLDER)
    assert merge(weak, strong) == Settings(gpu="A100", defines=("C",))


@pytest.mark.parametrize("value", [-0.1, True, "1.2", float("inf"), float("nan")])
def test_background_traffic_is_an_amount(value: object) -> None:
    with pytest.raises(SettingsError, match="'background-gbs' must be a number of at least 0"):
        validate({"background-gbs": value}, origin="x", folder=Path())


def test_background_traffic_of_a_measuring_machine() -> None:
    layer = validate({"background-gbs": 1.2, "background-period-ms": 17}, origin="x", folder=Path())
    assert layer.values == {"background_gbs": 1.2, "background_period_ms": 17.0}


@pytest.mark.parametrize("digits", ["1" + "0" * 300, "-1" + "0" * 300, "f" * 5_000])
@pytest.mark.parametrize("style", ["kebab", "camel"])
def test_numbers_that_no_double_holds_are_refused(digits: str, style: KeyStyle) -> None:
    """Not even their digits are written out: Python refuses to for thousands of them."""
    number = int(digits, 16)
    for section in (None, "advisor"):
        for name in setting_names(style, *(() if section is None else (section,))):
            table = {name: number} if section is None else {section: {name: number}}
            with pytest.raises(SettingsError, match=r"must be .* not an integer of \d+ bits"):
                validate(table, origin="x", folder=Path(), style=style)


@pytest.mark.parametrize("size", [{"n": 10**309}, {"grid": 2**32}, {"block": [1, 10**400]}])
def test_sizes_that_no_launch_has_are_refused(size: dict[str, object]) -> None:
    with pytest.raises(SettingsError, match=r"must be .*, not (an integer of \d+ bits|4294967296)"):
        validate({"kernels": {"*": size}}, origin="x", folder=Path())
