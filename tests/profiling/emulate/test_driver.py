"""CUDA's driver interface: programs that load modules themselves, as OpenMP's library does."""

from __future__ import annotations

from pathlib import Path

from tests.profiling.emulate.emulated_program import Bench

HERE = Path(__file__).parent

SAID = {
    "init": "CUDA_SUCCESS",
    "devices": "1",
    "device": "CUDA_SUCCESS",
    "device.second": "CUDA_ERROR_INVALID_DEVICE",
    "warp": "32",
    "context": "CUDA_SUCCESS",
    "context.same": "1",
    "module.none": "CUDA_ERROR_FILE_NOT_FOUND",
    "module.text": "CUDA_ERROR_NOT_SUPPORTED",
    "module": "CUDA_SUCCESS",
    "function.none": "CUDA_ERROR_NOT_FOUND",
    "function": "CUDA_SUCCESS",
    "registers": "1",
    "global": "CUDA_SUCCESS",
    "global.bytes": "4",
    "memory": "CUDA_SUCCESS",
    "memory.empty": "CUDA_ERROR_INVALID_VALUE",
    "launch": "CUDA_SUCCESS",
    "launch.wide": "CUDA_ERROR_INVALID_VALUE",
    "event": "CUDA_SUCCESS",
    "stream": "CUDA_SUCCESS",
    "first": "13",
    "last": "13",
    "free": "CUDA_SUCCESS",
    "free.again": "CUDA_ERROR_INVALID_VALUE",
    "event.destroyed": "CUDA_SUCCESS",
    "absent": "CUDA_ERROR_NOT_SUPPORTED",
    "left": "CUDA_SUCCESS",
}


def test_a_program_that_loads_a_module(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    module = bench.compiled("module.cubin", "-cubin", HERE / "driver_module.cu")
    program = bench.compiled(
        "program", HERE / "driver_program.cpp", f"-L{bench.libraries}", "-lcuda"
    )
    ran = bench.run(program, str(module))
    found = dict(line.split(" ", 1) for line in ran.printed.splitlines() if line[:1].islower())
    told = found.pop("roofline-lsp:", None)
    assert (found, ran.code) == (SAID, 0), ran.printed
    assert told is not None
    assert "not supported: PTX that the program gives to the driver" in ran.printed
    assert "not supported: cuCtxGetApiVersion" in ran.printed
    (launch,) = ran.launches
    assert (launch.kernel, launch.grid, launch.block) == ("scale", (4, 1, 1), (256, 1, 1))
    assert launch.blocks_run == 4
