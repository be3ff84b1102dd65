"""Programs of a tree built, emulated and compared by the real compilers, where these are."""

from __future__ import annotations

import csv
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from roofline_lsp.cli.main import main
from roofline_profiling.differential.outcomes import path_of
from roofline_profiling.emulate.toolchain import (
    find_cuda_compiler,
    find_disassembler,
    find_host_compiler,
)
from roofline_profiling.errors import ProfilerError

INTERRUPTIBLE = """\
import signal, sys
from roofline_lsp.cli.main import main
signal.signal(signal.SIGINT, signal.default_int_handler)
sys.exit(main(sys.argv[1:]))
"""
"""The command; where a shell runs the tests in the background, SIGINT is ignored from the start."""

SOURCE = """\
#include <cstdlib>
#include "../shared/factor.h"
__global__ void scale(int n, float *x) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = FACTOR * x[i];
}
int main(int argc, char **argv) {
    int n = atoi(argv[1]);
    float *x;
    cudaMalloc(&x, n * sizeof(float));
    for (int k = 0; k < 3; k++) scale<<<(n + 255) / 256, 256>>>(n, x);
    cudaDeviceSynchronize();
    SLEEP
}
"""
MAKEFILE = (
    "CFLAGS = -DFACTOR=3.0f\nmain: main.cu\n\tnvcc $(CFLAGS) $< -o $@\nrun: main\n\t./main 65536\n"
)
THREADS = 65536


@pytest.fixture(scope="module", autouse=True)
def tools() -> None:
    if sys.platform != "linux":
        pytest.skip("programs for Linux")
    try:
        find_cuda_compiler()
        find_disassembler()
        find_host_compiler()
    except ProfilerError as error:
        pytest.skip(str(error))


def tree(tmp_path: Path, *, sleeping: bool = False) -> Path:
    made = tmp_path / "tree"
    (made / "shared").mkdir(parents=True)
    (made / "shared" / "factor.h").write_text("#include <unistd.h>\n")
    for name in ("broken", "scaling"):
        (made / name).mkdir()
        (made / name / "Makefile").write_text(MAKEFILE)
        wait = "sleep(600);" if sleeping else ""
        text = SOURCE.replace("SLEEP", wait) if name == "scaling" else f"{SOURCE} nonsense"
        (made / name / "main.cu").write_text(text)
    return made


def command(made: Path, results: Path) -> list[str]:
    return ["study", "compare-emulated", str(made), "--results", str(results), "--gpu", "RTX 3080"]


def test_a_tree_from_end_to_end(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    made, results, table = tree(tmp_path), tmp_path / "results", tmp_path / "launches.csv"
    main([*command(made, results), "--csv", str(table)])
    text, progress = capfd.readouterr()
    assert "2 programs: 1 ran, 1 could not be built" in text
    assert "[2/2] scaling: 1 launches, as given" in progress
    with table.open() as file:
        (row,) = csv.DictReader(file)
    assert (row["program"], row["args"]) == ("scaling", str(THREADS))
    assert float(row["sp_flops_emulated"]) == THREADS
    # By the macro of the Makefile; without it there would be no product.
    assert row["sp_flops_agrees"] == "True"
    assert row["class_predicted"] == row["class_emulated"] == "BB"
    assert not (made / "scaling" / "main").exists()
    main(command(made, results))
    assert "to run" not in capfd.readouterr().err
    (made / "scaling" / "main.cu").write_text(SOURCE.replace("SLEEP", "return 0;"))
    main(command(made, results))
    assert "1 of 2 programs to run" in capfd.readouterr().err


def test_an_interruption_ends_what_runs_and_keeps_what_is_done(tmp_path: Path) -> None:
    made, results = tree(tmp_path, sleeping=True), tmp_path / "results"
    environment = {**os.environ, "TMPDIR": str(tmp_path / "held")}
    (tmp_path / "held").mkdir()
    words = [sys.executable, "-c", INTERRUPTIBLE, *command(made, results)]
    with subprocess.Popen(words, env=environment, start_new_session=True) as process:
        done = path_of("broken", results / "programs")
        deadline = time.monotonic() + 300
        while not done.exists() and time.monotonic() < deadline:
            time.sleep(0.2)
        time.sleep(3)  # by now the second one is being built, or sleeps
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 130
    assert done.exists()
    assert not path_of("scaling", results / "programs").exists()
    # The copies, and so what ran in them, are gone.
    assert list((tmp_path / "held").iterdir()) == []
