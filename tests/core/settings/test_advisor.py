"""The table [advisor]: its values, and who may set what."""

from __future__ import annotations

from pathlib import Path

import pytest

from roofline_core.settings import (
    AdvisorSettings,
    SettingsError,
    from_json,
    load,
    merge,
    personal_file,
    resolve,
    validate,
)
from roofline_core.settings.advisor import SHAREABLE

FOLDER = Path("/project")


def check(**values: object) -> AdvisorSettings:
    return merge(validate({"advisor": values}, origin="here", folder=FOLDER)).advisor


def failure(values: dict[str, object], *, shared: bool = False) -> str:
    spelt = {key.replace("_", "-"): value for key, value in values.items()}
    with pytest.raises(SettingsError) as caught:
        validate({"advisor": spelt}, origin="roofline.toml", folder=FOLDER, shared=shared)
    return str(caught.value)


def test_it_is_off_by_default() -> None:
    assert not AdvisorSettings().enabled
    assert not check(model="m").enabled


def test_values_get_their_types() -> None:
    made = check(
        **{
            "enabled": True,
            "model": "claude-x",
            "base-url": "http://localhost:8000/v1",
            "budget-tokens": 0,
            "timeout-s": 30,
            "votes": 5,
            "protocol": "few-shot",
            "effort": "low",
            "ask-below": 0,
            "cache-dir": "replies",
        }
    )
    assert made == AdvisorSettings(
        enabled=True,
        model="claude-x",
        base_url="http://localhost:8000/v1",
        budget_tokens=0,
        timeout_s=30.0,
        votes=5,
        protocol="few-shot",
        effort="low",
        ask_below=0.0,
        cache_dir=Path("/project/replies"),
    )


def test_an_editor_spells_them_its_own_way() -> None:
    layer = from_json({"advisor": {"baseUrl": "http://a"}}, origin="editor", folder=FOLDER)
    assert merge(layer).advisor.base_url == "http://a"


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"enabeld": True}, "there is no setting 'advisor.enabeld'; did you mean 'enabled'?"),
        ({"enabled": "yes"}, "'advisor.enabled' must be true or false, not 'yes'"),
        ({"votes": 0}, "'advisor.votes' must be a whole number from 1 to 25, not 0"),
        ({"votes": True}, "'advisor.votes' must be a whole number from 1 to 25, not true"),
        ({"votes": 3000}, "'advisor.votes' must be a whole number from 1 to 25, not 3000"),
        ({"rounds": 11}, "'advisor.rounds' must be a whole number from 1 to 10, not 11"),
        ({"timeout_s": 0}, "'advisor.timeout-s' must be a number above 0, not 0"),
        ({"trust": 1.5}, "'advisor.trust' must be a number from 0 to 1, not 1.5"),
        (
            {"protocol": "few-shots"},
            (
                "'advisor.protocol' must be one of 'zero-shot', 'few-shot', 'decomposition',"
                " 'evidence', not 'few-shots'; did you mean 'few-shot'?"
            ),
        ),
        (
            {"base_url": "gateway.example"},
            (
                "'advisor.base-url' must be an address such as 'https://gateway.example' without a"
                " password, not 'gateway.example'"
            ),
        ),
        (
            {"base_url": "https://me:pw@gateway.example"},
            (
                "'advisor.base-url' must be an address such as 'https://gateway.example' without a"
                " password, not 'https://me:pw@gateway.example'"
            ),
        ),
    ],
)
def test_a_message_names_the_key_and_the_remedy(values: dict[str, object], message: str) -> None:
    assert failure(values) == f"roofline.toml: {message}"


def test_it_is_a_table() -> None:
    with pytest.raises(SettingsError, match="'advisor' must be a table, not true"):
        validate({"advisor": True}, origin="x", folder=FOLDER)


OWN = {
    "base_url": "http://evil.example",
    "model": "the-dearest",
    "votes": 25,
    "rounds": 10,
    "effort": "max",
    "budget_tokens": 0,
    "max_output_tokens": 10**6,
    "max_source_chars": 10**9,
    "ask_below": 1.0,
    "batch_from": 1,
    "test_command": "rm -rf ~",
    "project_flags": True,
    "compile": True,
    "cache_dir": "/",
}
"""What sends sources, costs money, runs a command or writes files."""


@pytest.mark.parametrize("name", [*OWN, "enabled"])
def test_a_project_may_not_send_spend_or_run(name: str) -> None:
    spelt = {name.replace("_", "-"): OWN.get(name, True)}
    layer = validate({"advisor": spelt}, origin="roofline.toml", folder=FOLDER, shared=True)
    settings = merge(layer)
    assert settings.advisor == AdvisorSettings()
    (said,) = settings.warnings
    assert said.startswith(f"roofline.toml: 'advisor.{name.replace('_', '-')}' cannot be set")
    assert "in a project's file" in said
    assert "is ignored" in said
    own = merge(validate({"advisor": spelt}, origin="mine", folder=FOLDER))
    assert own.advisor != AdvisorSettings() or OWN.get(name) is True
    assert own.warnings == ()


@pytest.mark.parametrize("name", list(AdvisorSettings.__dataclass_fields__))
def test_every_setting_of_the_advisor_is_a_persons_own_but_these(name: str) -> None:
    shareable = {"enabled", "protocol"}
    assert (name in SHAREABLE) == (name in shareable)


def test_what_a_project_may_say(tmp_path: Path) -> None:
    path = tmp_path / "roofline.toml"
    path.write_text('[advisor]\nenabled = false\nprotocol = "few-shot"\nvotes = 3\n')
    layer = load(path)
    assert layer.values["advisor"] == {"enabled": False, "protocol": "few-shot"}
    (said,) = layer.warnings
    assert said.startswith(f"{path}: 'advisor.votes' cannot be set in a project's file")
    path.write_text("[advisor]\nenabled = true\n")
    (said,) = load(path).warnings
    assert "'advisor.enabled' cannot be set to true in a project's file" in said
    assert load(path, shared=False).values["advisor"] == {"enabled": True}


def test_what_is_a_projects_is_known(tmp_path: Path) -> None:
    path = tmp_path / "roofline.toml"
    path.write_text('defines = ["A=1"]\ninclude-dirs = ["i"]\n')
    own = validate({"defines": ["B=1"]}, origin="mine", folder=FOLDER)
    assert merge(load(path)).from_project == {"defines", "include_dirs"}
    assert merge(load(path), own).from_project == {"include_dirs"}
    assert merge(own, load(path)).from_project == {"defines", "include_dirs"}
    assert merge(load(path, shared=False)).from_project == frozenset()


def test_one_no_overrules_every_yes() -> None:
    yes = validate({"advisor": {"enabled": True}}, origin="editor", folder=FOLDER)
    no = validate({"advisor": {"enabled": False}}, origin="file", folder=FOLDER, shared=True)
    other = validate({"advisor": {"model": "m"}}, origin="options", folder=FOLDER)
    assert merge(yes).advisor.enabled
    assert merge(yes, other).advisor == AdvisorSettings(enabled=True, model="m")
    assert not merge(no, yes).advisor.enabled
    assert not merge(yes, no, yes).advisor.enabled


def test_a_persons_own_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.setenv("APPDATA", str(tmp_path))
    project = tmp_path / "project"
    project.mkdir()
    assert resolve(project).advisor == AdvisorSettings()
    own = personal_file()
    assert own == tmp_path / "roofline-lsp" / "roofline.toml"
    own.parent.mkdir()
    own.write_text('gpu = "A100"\n[advisor]\nenabled = true\nmodel = "mine"\n')
    assert resolve(project).advisor == AdvisorSettings(enabled=True, model="mine")
    (project / "roofline.toml").write_text('gpu = "H100"\n[advisor]\nmodel = "theirs"\n')
    settings = resolve(project)
    assert (settings.gpu, settings.advisor.model) == ("H100", "mine")
    assert settings.advisor.enabled
    chosen = tmp_path / "chosen.toml"
    chosen.write_text('[advisor]\nbase-url = "http://localhost:1"\n')
    assert resolve(project, file=chosen).advisor.base_url == "http://localhost:1"
