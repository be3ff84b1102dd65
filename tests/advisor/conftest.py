"""A fake endpoint, settings that point to it, and a kernel to ask about."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from roofline_advisor.asking import Asker
from roofline_core.settings import AdvisorSettings

from .fake_api import FakeApi, serving

KEY = "sk-test-key-that-nobody-may-see"


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A key, no proxy, and nothing of the person who runs the tests."""
    for name in ("ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL", "ANTHROPIC_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    monkeypatch.setenv("ANTHROPIC_CONFIG_DIR", str(tmp_path / "anthropic"))
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.fixture
def api() -> Iterator[FakeApi]:
    with serving() as served:
        yield served


@pytest.fixture
def advisor(api: FakeApi, tmp_path: Path) -> AdvisorSettings:
    return AdvisorSettings(
        enabled=True,
        model="claude-test",
        base_url=api.url,
        timeout_s=180.0,
        retries=0,
        compile=False,
        cache_dir=tmp_path / "replies",
    )


MakeAsker = Callable[..., Asker]


@pytest_asyncio.fixture
async def make_asker(advisor: AdvisorSettings) -> AsyncIterator[MakeAsker]:
    """Makes askers that are closed after the test; ``warnings`` collects what they warn of."""
    made: list[Asker] = []

    def make(warnings: list[str] | None = None, **changes: Any) -> Asker:
        asker = Asker(
            replace(advisor, **changes), (warnings if warnings is not None else []).append
        )
        made.append(asker)
        return asker

    yield make
    for asker in made:
        await asker.close()
