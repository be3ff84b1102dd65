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
        ({"votes": 0}, "'advisor.votes' must be a whole number of at least 1, not 0"),
        ({"votes": True}, "'advisor.votes' must be a whole number of at least 1, not true"),
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


@pytest.mark.parametrize(
    "values",
    [
        {"enabled": True},
        {"base_url": "http://evil.example"},
        {"test_command": "rm -rf ~"},
        {"cache_dir": "/"},
        {"budget_tokens": 10**9},
        {"compile": True},
    ],
)
def test_a_project_may_not_send_sources_or_run_commands(values: dict[str, object]) -> None:
    said = failure(values, shared=True)
    assert "in a project's file" in said
    assert "your own settings file" in said


def test_what_a_project_may_say(tmp_path: Path) -> None:
    path = tmp_path / "roofline.toml"
    path.write_text('[advisor]\nenabled = false\nmodel = "m"\nvotes = 3\n')
    assert load(path).values["advisor"] == {"enabled": False, "model": "m", "votes": 3}
    path.write_text("[advisor]\nenabled = true\n")
    with pytest.raises(SettingsError, match="cannot be set to true in a project's file"):
        load(path)
    assert load(path, shared=False).values["advisor"] == {"enabled": True}


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
    assert (settings.gpu, settings.advisor.model) == ("H100", "theirs")
    assert settings.advisor.enabled
    chosen = tmp_path / "chosen.toml"
    chosen.write_text('[advisor]\nbase-url = "http://localhost:1"\n')
    assert resolve(project, file=chosen).advisor.base_url == "http://localhost:1"
