"""``roofline/kernelFiles``, below the session and in one."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from roofline_core.settings import Settings
from roofline_lsp.server.features.kernel_files import (
    FilesOfFolder,
    Stopped,
    kernel_files,
)

A, B, C = Path("/p/a.cu"), Path("/p/b.h"), Path("/q/c.cu")
FOUND = {
    Path("/p"): FilesOfFolder((A, B), ("/p/x.cu: not read",)),
    Path("/q"): FilesOfFolder((A, C), ()),
}


def find(folder: Path, _: Settings, stopped: Stopped) -> FilesOfFolder:
    assert not stopped()
    return FOUND[folder]


async def test_each_file_of_all_folders_once() -> None:
    told = await kernel_files([(folder, Settings()) for folder in FOUND], find)
    assert told == {
        "files": ["file:///p/a.cu", "file:///p/b.h", "file:///q/c.cu"],
        "problems": ["/p/x.cu: not read"],
    }


async def test_a_home_folder_and_the_root_are_not_walked() -> None:
    told = await kernel_files([(Path.home(), Settings()), (Path("/"), Settings())], find)
    assert told["files"] == []
    assert told["problems"] == [
        f"{Path.home()} is not looked through: open the project's own folder",
        "/ is not looked through: open the project's own folder",
    ]


async def test_a_request_that_is_cancelled_stops_the_walk() -> None:
    began, ended = asyncio.Event(), asyncio.Event()
    loop = asyncio.get_running_loop()

    def endless(_folder: Path, _settings: Settings, stopped: Stopped) -> FilesOfFolder:
        loop.call_soon_threadsafe(began.set)
        while not stopped():
            pass
        loop.call_soon_threadsafe(ended.set)
        return FilesOfFolder((), ())

    task = asyncio.ensure_future(kernel_files([(Path("/p"), Settings())], endless))
    await began.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await asyncio.wait_for(ended.wait(), 10)
