"""A stand-in for Nsight Compute: takes its options and writes tables, with made-up numbers.

``FAKE_NCU`` says what it does. The table has the metrics that were asked for.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

MODE = os.environ.get("FAKE_NCU", "ok")
VALUES = {
    "device__attribute_display_name": "NVIDIA GeForce RTX 3080",
    "gpu__time_duration.sum": "17,310",
    "dram__bytes_read.sum": "8,000,000",
    "dram__bytes_write.sum": "4,000,000",
    "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum": "1,500,000",
    "smsp__sass_thread_inst_executed_op_integer_pred_on.sum": "7,000,000",
}
IDENTITY = ["ID", "Kernel Name", "Block Size", "Grid Size"]
KERNELS = [
    ("saxpy(int, float, const float *, float *)", "(256, 1, 1)", "(3907, 1, 1)"),
    ("polynomial(int, float *)", "(256, 1, 1)", "(64, 1, 1)"),
]


def row(cells: list[str]) -> str:
    return ",".join(f'"{cell}"' for cell in cells) + "\n"


def export(path: str) -> None:
    """A report with one launch, as far as an empty string table and process go."""
    with open(path, "wb") as out:  # noqa: PTH123
        out.write(bytes.fromhex(os.environ["FAKE_REPORT"]))


def import_report(arguments: list[str]) -> int:
    log = arguments[arguments.index("--log-file") + 1]
    with open(log, "w", encoding="utf-8") as out:  # noqa: PTH123
        out.write(row([*IDENTITY, "gpu__time_duration.sum"]))
        out.write(row(["0", *KERNELS[0], "5"]))
    return 0


def misbehave() -> None:
    if MODE == "killed":
        os.kill(os.getpid(), signal.SIGKILL)
    if MODE == "stubborn":
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if MODE in {"hang", "stubborn"}:
        time.sleep(600)


def main() -> int:
    arguments = sys.argv[1:]
    if "--import" in arguments:
        return import_report(arguments)
    at = arguments.index("--log-file")
    log, program = arguments[at + 1], arguments[at + 2 :]
    metrics = arguments[arguments.index("--metrics") + 1].split(",")
    if "--export" in arguments:
        subprocess.run(program, check=False)
        export(arguments[arguments.index("--export") + 1])
        return 0
    with open(log, "w", encoding="utf-8") as out:  # noqa: PTH123
        out.write("==PROF== Connected to process 42\n")
        out.flush()
        if MODE == "permission":
            out.write(
                "==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to access NVIDIA"
                " GPU Performance Counters on the target device 0.\n"
            )
            return 1
        if MODE == "metric" and "smsp__cycles_elapsed.avg.per_second" in metrics:
            out.write("==ERROR== Failed to find metric smsp__cycles_elapsed.avg.per_second\n")
            return 1
        code = subprocess.run(program, check=False).returncode
        if MODE == "none":
            out.write("==WARNING== No kernels were profiled.\n")
            return 0
        if MODE == "error":
            out.write("==ERROR== Cuda driver is not compatible with Nsight Compute.\n")
            return 9
        kernels = KERNELS[:1] if MODE in {"hang", "stubborn", "killed"} else KERNELS
        for number, (name, _, _) in enumerate(kernels):
            out.write(f'==PROF== Profiling "{name.partition("(")[0]}" - {number}: 0%....100%\n')
            out.flush()
        if code:
            out.write(f"==ERROR== The application returned an error code ({code}).\n")
        out.write(row([*IDENTITY, *metrics]))
        out.write(row([""] * (len(IDENTITY) + len(metrics))))
        for number, kernel in enumerate(kernels):
            values = [VALUES.get(metric, "0") for metric in metrics]
            out.write(row([str(number), *kernel, *values]))
        out.flush()
    misbehave()
    return 0


if __name__ == "__main__":
    sys.exit(main())
