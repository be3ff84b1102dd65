"""The GPUs of this machine, from what a driver's tool prints to what an editor is told."""

from __future__ import annotations

import os
import stat
from typing import Any

import pytest

from roofline_hardware_db.detect import present_gpus
from roofline_lsp.server.features import gpus

KERNEL = "__global__ void one(float *y) {\n    y[threadIdx.x] = 1.0f;\n}\n"
RTX = "0x220610DE, NVIDIA GeForce RTX 3080"
H100 = "0x233010DE, NVIDIA H100 80GB HBM3"
UNKNOWN = "0xABCD10DE, NVIDIA Quux 9000"
NONE_FOUND = "no GPU that the database knows was found in this machine, so this one is taken"

pytestmark = pytest.mark.skipif(
    bool(present_gpus(tools=lambda: iter(()))), reason="the system tells of a GPU without a tool"
)


def prints(*lines: str) -> str:
    return "".join(f"echo '{line}'\n" for line in lines)


@pytest.mark.parametrize(
    ("tool", "machine", "note"),
    [
        (prints(RTX), ["GeForce RTX 3080 10GB"], None),
        (prints(H100, RTX), ["H100 SXM5", "GeForce RTX 3080 10GB"], None),
        (prints(H100, H100), ["H100 SXM5"], None),
        (prints(UNKNOWN, H100), ["H100 SXM5"], None),
        (prints(UNKNOWN), [], NONE_FOUND),
        (
            "echo 'NVIDIA-SMI has failed because it could not talk to the driver'\nexit 9",
            [],
            NONE_FOUND,
        ),
        (f"{prints(RTX)}exec sleep 60", [], NONE_FOUND),
    ],
    ids=("one", "two", "twins", "unknown and known", "unknown", "fails", "hangs"),
)
async def test_an_editor_is_told_of_the_gpus_of_this_machine(
    start_session: Any,
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
    tool: str,
    machine: list[str],
    note: str | None,
) -> None:
    folder = tmp_path_factory.mktemp("tools")
    path = folder / "nvidia-smi"
    path.write_text(f"#!/bin/sh\n{tool}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    session = await start_session(server="real", configuration={"gpu": "auto"})
    uri = session.open("one.cu", KERNEL)
    hover = await session.hover_text(uri, 0, 17)
    found = await ask(session, {"textDocument": {"uri": uri}})
    assert found.machine == machine
    assert found.note == note
    assert found.current == (machine[0] if machine else "GeForce RTX 3080 10GB")
    short = found.current.removeprefix("GeForce ")
    assert f" on {short} (boost clock)" in hover
    now = await ask(session, {"textDocument": {"uri": uri}, "only": "current"})
    assert now.machine is None
    assert now.note == note


async def ask(session: Any, params: dict[str, Any]) -> Any:
    return await session.client.protocol.send_request_async(gpus.METHOD, params)
