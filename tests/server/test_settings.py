"""Settings of a session, laid over each other, and what is told when they are wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from roofline_core.settings import COMMON_GPUS, Clock, Settings, validate
from roofline_lsp.server.session.settings import EditorSettings

TAIL = " Until it is put right, the last good settings stay in force."


class Told:
    """Settings below a folder, a check that knows two GPUs, and what was shown."""

    def __init__(self, folder: Path) -> None:
        self.messages: list[str] = []
        self.checks = 0
        self.folder = folder
        self.settings = EditorSettings(None, self.check, self.messages.append)
        self.settings.set_folder(folder)

    async def check(self, settings: Settings) -> str | None:
        self.checks += 1
        unknown = {settings.gpu, *(settings.what_if or ())} - {"RTX 3080", "A100", *COMMON_GPUS}
        return f"no GPU '{unknown.pop()}'" if unknown else None

    async def gpu(self) -> str:
        return (await self.settings.for_path(self.folder / "k.cu")).gpu


def in_editor(gpu: str = "RTX 3080", clock: Clock = "boost") -> Settings:
    return Settings(gpu=gpu, clock=clock, what_if=COMMON_GPUS, notes=False)


@pytest.fixture
def told(tmp_path: Path) -> Told:
    return Told(tmp_path)


async def test_defaults(told: Told) -> None:
    assert await told.settings.for_path(told.folder / "k.cu") == in_editor()
    assert await told.settings.for_path(None) == in_editor()


async def test_the_stronger_origin_wins(told: Told) -> None:
    file = told.folder / "roofline.toml"
    file.write_text('gpu = "A100"\nclock = "base"\n')
    assert await told.settings.for_path(told.folder / "k.cu") == in_editor(gpu="A100", clock="base")
    told.settings.set_options({"gpu": "RTX 3080", "clientCommands": ["x"]})
    assert await told.settings.for_path(told.folder / "k.cu") == in_editor(clock="base")
    told.settings.set_configuration({"clock": "boost"})
    assert await told.settings.for_path(told.folder / "k.cu") == in_editor()
    told.settings.set_configuration(None)
    assert await told.settings.for_path(told.folder / "k.cu") == in_editor(clock="base")
    assert told.messages == []


async def test_the_command_line_goes_before_all(tmp_path: Path) -> None:
    told = Told(tmp_path)
    overrides = validate({"gpu": "A100"}, origin="command line", folder=tmp_path)
    settings = EditorSettings(overrides, told.check, told.messages.append)
    settings.set_configuration({"gpu": "RTX 3080"})
    assert (await settings.for_path(tmp_path / "k.cu")).gpu == "A100"


async def test_relative_paths_belong_to_the_folder(told: Told) -> None:
    told.settings.set_configuration({"includeDirs": ["include"]})
    settings = await told.settings.for_path(None)
    assert settings.include_dirs == (told.folder / "include",)


async def test_each_folder_has_its_own_file(told: Told) -> None:
    for name, gpu in (("a", "A100"), ("b", "RTX 3080")):
        (told.folder / name).mkdir()
        (told.folder / name / "roofline.toml").write_text(f'gpu = "{gpu}"\n')
    found = [
        (await told.settings.for_path(told.folder / name / "k.cu")).gpu for name in ("a", "b", "a")
    ]
    assert found == ["A100", "RTX 3080", "A100"]


async def test_a_file_is_read_again_when_it_changes(told: Told) -> None:
    file = told.folder / "roofline.toml"
    file.write_text('gpu = "A100"\n')
    assert await told.gpu() == "A100"
    file.write_text('gpu = "RTX 3080"\n')
    assert await told.gpu() == "RTX 3080"
    file.unlink()
    assert await told.gpu() == "RTX 3080"
    told.settings.forget_files()
    file.write_text('gpu = "A100"\n')
    assert await told.gpu() == "A100"


async def test_a_broken_file_leaves_its_last_good_state(told: Told) -> None:
    file = told.folder / "roofline.toml"
    file.write_text('gpu = "A100"\n')
    assert await told.gpu() == "A100"
    file.write_text('gpu = "A100\n')
    assert await told.gpu() == "A100"
    assert await told.gpu() == "A100"
    assert len(told.messages) == 1
    assert told.messages[0].startswith(f"{file}:1:")
    assert told.messages[0].endswith(TAIL)
    file.write_text('gpu = "RTX 3080"\n')
    assert await told.gpu() == "RTX 3080"
    file.write_text('gpu = "A100\n')
    assert await told.gpu() == "RTX 3080"
    assert len(told.messages) == 2


async def test_a_broken_file_from_the_start_is_passed_over(told: Told) -> None:
    (told.folder / "roofline.toml").write_text("gpu = 3\n")
    assert await told.gpu() == Settings().gpu
    assert len(told.messages) == 1


@pytest.mark.parametrize("bad", [3, "A100", ["A100"], {"gpu": 3}, {"gpuu": "A100"}])
async def test_wrong_editor_settings_leave_the_last_good_ones(told: Told, bad: object) -> None:
    told.settings.set_configuration({"gpu": "A100"})
    told.settings.set_configuration(bad)
    told.settings.set_configuration(bad)
    assert await told.gpu() == "A100"
    assert len(told.messages) == 1
    assert told.messages[0].startswith("editor settings 'roofline': ")


async def test_an_unknown_gpu_leaves_the_last_good_settings(told: Told) -> None:
    told.settings.set_options({"gpu": "A100"})
    assert await told.gpu() == "A100"
    told.settings.set_configuration({"gpu": "A1000", "clock": "base"})
    for _ in range(3):
        assert await told.settings.for_path(told.folder / "k.cu") == in_editor(gpu="A100")
    assert told.messages == [f"editor settings 'roofline': 'gpu': no GPU 'A1000'.{TAIL}"]
    told.settings.set_configuration({"gpu": "A100", "clock": "base"})
    assert await told.settings.for_path(None) == in_editor(gpu="A100", clock="base")


async def test_an_unknown_gpu_from_the_start(told: Told) -> None:
    told.settings.set_options({"gpu": "nope", "clock": "base"})
    assert await told.settings.for_path(None) == in_editor(clock="base")
    assert told.messages == [f"initialization options: 'gpu': no GPU 'nope'.{TAIL}"]


async def test_an_unknown_gpu_to_compare_with(told: Told) -> None:
    told.settings.set_options({"gpu": "A100", "whatIf": ["H100", "X100"]})
    assert await told.settings.for_path(None) == Settings(gpu="A100", what_if=(), notes=False)
    assert told.messages == [f"initialization options: 'what-if': no GPU 'X100'.{TAIL}"]
    told.settings.set_options({"gpu": "A100", "whatIf": []})
    assert await told.settings.for_path(None) == Settings(gpu="A100", what_if=(), notes=False)


async def test_settings_are_checked_once(told: Told) -> None:
    for _ in range(5):
        await told.gpu()
    assert told.checks == 1


async def test_a_profile_of_the_file_is_chosen_in_the_editor(told: Told) -> None:
    (told.folder / "roofline.toml").write_text('gpu = "RTX 3080"\n[profiles.big]\ngpu = "A100"\n')
    assert await told.gpu() == "RTX 3080"
    told.settings.set_configuration({"settingsProfile": "big"})
    assert await told.gpu() == "A100"
    told.settings.set_configuration({"settingsProfile": "bgi"})
    assert await told.gpu() == "A100"
    assert await told.gpu() == "A100"
    assert told.messages == [
        "editor settings 'roofline': there is no settings profile 'bgi'; did you mean 'big'?" + TAIL
    ]
    told.settings.set_configuration({})
    assert await told.gpu() == "RTX 3080"


async def test_a_profile_that_never_was_leaves_the_defaults(told: Told) -> None:
    told.settings.set_configuration({"settingsProfile": "big"})
    assert await told.settings.for_path(told.folder / "k.cu") == in_editor()
    assert len(told.messages) == 1
