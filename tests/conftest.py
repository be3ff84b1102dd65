"""What all tests share: nothing of the person who runs them is read, and examples are the same.

A property test that fails by chance stops changes that have nothing to do with it. New examples are
tried with ``HYPOTHESIS_PROFILE=explore ./run-tests``.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from hypothesis import settings

# Without deadlines: how long an example takes tells how busy the machine is.
settings.register_profile("repeatable", derandomize=True, deadline=None)
settings.register_profile("explore", deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "repeatable"))


@pytest.fixture(scope="session", autouse=True)
def no_personal_settings(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """An empty folder in the place of a person's own settings."""
    folder = str(tmp_path_factory.mktemp("nobody"))
    names = ("XDG_CONFIG_HOME", "APPDATA")
    before = {name: os.environ.get(name) for name in names}
    os.environ.update(dict.fromkeys(names, folder))
    yield
    for name, value in before.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value
