"""What all tests share: nothing of the person who runs them is read, and how examples are tried.

Property tests try new examples in every run. One that fails prints a ``@reproduce_failure`` line
that tries its example again wherever it is put above the test, and is kept in ``.hypothesis``, so
that the next run begins with it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

# Neither deadlines nor the health check of slow examples: how long an example takes tells how busy
# the machine is. All that is set here is set in CI too, where hypothesis has a profile of its own
# that would try the same examples each time.
settings.register_profile(
    "fresh",
    derandomize=False,
    print_blob=True,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("fresh")


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
