"""No file outside the project, and no key, is in what is sent."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from roofline_advisor.advice import KernelName
from roofline_advisor.bench import Bench
from roofline_advisor.errors import AdvisorError, Fault
from roofline_advisor.protocols import ClassificationCase, questions
from roofline_advisor.suggest import SuggestionTask
from roofline_core.settings import AdvisorSettings, Settings

from .conftest import KEY
from .fake_api import FakeApi, says
from .kernels import SOURCE

SECRET = 'const char *const secret = "a-secret-of-the-person";\n'
posix = pytest.mark.skipif(sys.platform == "win32", reason="needs links of POSIX")


def sent(path: Path, source: str, settings: Settings | None = None) -> str:
    """Every text of both questions about the kernel."""
    bench = Bench(path, settings or Settings(advisor=AdvisorSettings()))
    task = SuggestionTask.of(bench, source, KernelName("rows"))
    case = ClassificationCase(task.reading, task.kernel, bench.gpu, bench.settings)
    requests = [task.request(), *questions(case)]
    return "\n".join(request.shown() for request in requests)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "id").write_text(SECRET)
    (tmp_path / "outside" / "private.h").write_text(SECRET)
    made = tmp_path / "project"
    (made / ".git").mkdir(parents=True)
    return made


@posix
@pytest.mark.parametrize("marked", [True, False])
@pytest.mark.parametrize("target", ["../outside/id", "../outside/private.h", "/proc/self/environ"])
@pytest.mark.parametrize("linked", [True, False])
def test_what_lies_outside_is_not_sent(
    project: Path, target: str, linked: bool, marked: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOMETHING", "a-secret-of-the-person")
    if not marked:
        (project / ".git").rmdir()
    name = target
    if linked:
        name = "secret.h"
        (project / name).symlink_to(target)
    source = f'#include "{name}"\n{SOURCE}'
    (project / "rows.cu").write_text(source)
    assert "a-secret-of-the-person" not in sent(project / "rows.cu", source)


@posix
def test_include_folders_of_ones_own_are_read_and_not_sent(project: Path) -> None:
    source = f'#include "private.h"\n{SOURCE}'
    settings = Settings(include_dirs=(project.parent / "outside",))
    assert "a-secret-of-the-person" not in sent(project / "rows.cu", source, settings)


@posix
def test_a_kernel_of_a_linked_file_is_not_sent(project: Path) -> None:
    (project.parent / "outside" / "rows.cu").write_text(SOURCE)
    (project / "rows.cu").symlink_to(project.parent / "outside" / "rows.cu")
    with pytest.raises(AdvisorError, match="leads out of the project") as raised:
        sent(project / "rows.cu", SOURCE)
    assert raised.value.fault is Fault.MATERIAL


def test_headers_of_the_project_are_sent(project: Path) -> None:
    (project / "own.h").write_text("#define OWN_HEADER 1\n")
    assert "OWN_HEADER" in sent(project / "rows.cu", f'#include "own.h"\n{SOURCE}')


@pytest.mark.parametrize("name", ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"])
async def test_a_prompt_with_the_keys_value_is_refused(
    api: FakeApi, make_asker: Any, project: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv(name, KEY)
    api.default = says({"suggestions": []})
    source = f"// {KEY}\n{SOURCE}"
    asker = make_asker()
    bench = Bench(project / "rows.cu", Settings(advisor=asker.settings))
    request = SuggestionTask.of(bench, source, KernelName("rows")).request()
    for asked in (
        asker.ask(request),
        asker.count_tokens(request),
        asker.client.submit({"a": request}),
    ):
        with pytest.raises(AdvisorError, match="holds the value of the key") as raised:
            await asked
        assert KEY not in str(raised.value)
    assert api.requests == []
