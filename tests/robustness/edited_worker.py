"""A worker that saw a program change in many ways, beside one that sees its last state alone.

    python -m tests.robustness.edited_worker [--walks 100] [--steps 40] [--seed WORD]

A walk is a row of random steps: documents of a small program are opened, edited, analysed, saved
and closed; files that are not open are written, removed and moved; settings change; another worker
follows. After each analysis a new one is told the open texts and asked the same, and must give the
same report.
Nothing waits and nothing is timed, so a walk with the same seed is always the same. Exit status 1
if any report differs.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from roofline_core.settings import Settings
from roofline_lsp.server.documents.broken_code import is_syntax_problem
from roofline_lsp.server.worker.api_analyser import ApiAnalyser
from roofline_lsp.server.worker.jobs import Analyse, Analysed, Changed, IndexProject, Overlay
from roofline_lsp.server.worker.main import Worker
from roofline_lsp.server.worker.renewal import MOST_ANALYSES

FILES: Final = {
    "main.cu": """\
#include <cstdio>
#include <cuda_runtime.h>
#include "kernels.h"
#include "sizes.h"
int main(int argc, char **argv) {
  int n = SIZE;
  FILE *f = fopen("count.txt", "r");
  if (f) fscanf(f, "%d", &n);
  real *x;
  cudaMalloc(&x, n * sizeof(real));
  scale<<<n / BLOCK, BLOCK>>>(x, n);
  other<<<n / 64, 64>>>(x, n);
  return 0;
}
""",
    "other.cu": """\
#include "kernels.h"
__global__ void other(real *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = helper(x[i]) + 1.0f;
}
""",
    "kernels.h": """\
#pragma once
#include "sizes.h"
__device__ inline real helper(real v) {
  return v * 2.0f;
}
__global__ void scale(real *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = x[i] * 3.0f;
}
__global__ void other(real *x, int n);
""",
    "sizes.h": """\
#ifndef SIZES_H
#define SIZES_H
#define BLOCK 128
#ifndef SIZE
#define SIZE 1048576
#endif
typedef float real;
#endif
""",
    "offload.cpp": """\
#include "shared.h"
int main() {
  static double y[COUNT];
  grow(y, COUNT);
  return 0;
}
""",
    "port.hip": """\
#include <hip/hip_runtime.h>
#include "kernels.h"
int main() {
  real *x;
  hipMalloc(&x, SIZE * sizeof(real));
  scale<<<SIZE / BLOCK, BLOCK>>>(x, SIZE);
  return 0;
}
""",
    "filter.cl": """\
#include "sizes.h"
__kernel void filter(__global real *x) {
  int i = get_global_id(0);
  x[i] = x[i] * 2.0f + 3.0f;
}
""",
    "filter.cpp": """\
#include <CL/cl.h>
#include "sizes.h"
int main() {
  size_t global = SIZE, local = BLOCK;
  FILE *f = fopen("filter.cl", "r");
  char text[4096];
  size_t length = fread(text, 1, 4096, f);
  const char *source = text;
  cl_program program = clCreateProgramWithSource(context, 1, &source, &length, &status);
  clBuildProgram(program, 0, NULL, NULL, NULL, NULL);
  cl_kernel kernel = clCreateKernel(program, "filter", &status);
  cl_mem x = clCreateBuffer(context, CL_MEM_READ_WRITE, SIZE * sizeof(real), NULL, &status);
  clSetKernelArg(kernel, 0, sizeof(cl_mem), &x);
  clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL);
  return 0;
}
""",
    "shared.h": """\
#include "sizes.h"
#define COUNT 65536
inline void grow(double *y, int n) {
  #pragma omp target teams distribute parallel for map(tofrom: y[0:n])
  for (int i = 0; i < n; i++) {
    y[i] = y[i] * 2.0 + 1.0;
  }
}
""",
}
"""Programs in four dialects that share headers."""

LINK: Final = "again.h"
"""Another way to ``kernels.h``: a symbolic link."""

DATA: Final = {
    "count.txt": ("4096\n", "262144\n", "8388608\n"),
    "Makefile": (
        "CFLAGS = -DSIZE=4096\nmain: main.cu other.cu\n\tnvcc $(CFLAGS) main.cu other.cu -o main\n",
        "CFLAGS = -Iinc\nmain: main.cu other.cu\n\tnvcc $(CFLAGS) main.cu other.cu -o main\n",
    ),
    "inc/extra.h": ("#define BLOCK 256\n", "typedef double real;\n", ""),
}
"""Further files that a walk writes, with what it writes into them."""

SWAPS: Final = (
    ("2.0f", "2.0f * 5.0f"),
    ("3.0f", "4.0f + x[i]"),
    ("float real", "double real"),
    ("BLOCK 128", "BLOCK 64"),
    ("1048576", "33554432"),
    ("65536", "1024"),
    ("+ 1.0;", "+ 1.0 / y[i];"),
    ("y[i] * 2.0", "y[i] * y[i] * 2.0"),
    ("n / 64, 64", "n / 256, 256"),
    ('#include "sizes.h"', '#include "inc/extra.h"\n#include "sizes.h"'),
    ('#include "shared.h"', '#include "inc/extra.h"\n#include "shared.h"'),
    ('#include "kernels.h"', '#include "./kernels.h"'),
    ('#include "kernels.h"', '#include "again.h"'),
    ('"filter.cl"', '"gone.cl"'),
    ("0, NULL, NULL, NULL, NULL)", '0, NULL, "-DBLOCK=32", NULL, NULL)'),
    ("#pragma once", "#pragma once // said once"),
    ("int i = ", "long long i = "),
    ("helper(x[i])", "helper(helper(x[i]))"),
    ("  return 0;\n", "  scale<<<16, BLOCK>>>(x, n);\n  return 0;\n"),
    ("}\n", "\n"),
    ("(real *x", "(real *x, (("),
    ("#endif\n", "\n"),
    ("/* none */", "/* none"),
    ("__global__ void other(real *x, int n);\n", "__global__ void added(real *x) { *x = 1; }\n"),
)
"""Edits: each of a pair stands in the place of the other, once in the text."""

SETTINGS: Final = (
    Settings(),
    Settings(gpu="H100 SXM5 80GB"),
    Settings(defines=("SIZE=2048",)),
    Settings(args=("64",)),
    Settings(gpu="A100 SXM4 80GB", defines=("BLOCKS=1",)),
)


@dataclass(slots=True)
class Walk:
    """What came of the steps so far."""

    compared: int = 0
    while_broken: int = 0
    """Analyses of texts with syntax errors, of which the function alone may be read."""
    differences: list[str] = field(default_factory=list)


class WalkedProject:
    """A folder, a worker that serves an editor in it, and the steps that can be made."""

    def __init__(self, folder: Path, seed: str, *, index: bool = True) -> None:
        self.walk = Walk()
        self.told: list[str] = []
        """The steps, in words."""
        self._chance = random.Random(f"walk {seed}")
        self._folder = folder
        self._index = index
        self._clock = 1_000_000_000
        self._settings = SETTINGS[0]
        self._open: dict[str, str] = {}
        self._opened_as: dict[str, str] = {}
        self._sent: dict[str, str] = {}
        self._made: dict[Path, Analyse] = {}
        """The last analysis of each file."""
        for name, text in FILES.items():
            self._write(name, text)
        (folder / LINK).symlink_to("kernels.h")
        self._worker = self._new_worker()

    def step(self) -> None:
        """One random step, and an analysis of an open document."""
        weights = (6, 3, 1, 2, 2, 1, 1, 1, 1, 1)
        steps: tuple[Callable[[], str | None], ...] = (
            *(self._edit, self._open_one, self._save, self._close, self._write_closed),
            *(self._remove, self._move, self._write_data, self._change_settings, self._renew),
        )
        made = self._chance.choices(steps, weights)[0]()
        if made is not None:
            self.told.append(made)
        if self._open and self._chance.random() < 0.7:
            self._compare(self._chance.choice(sorted(self._open)))

    def end(self) -> None:
        """Compare all open documents."""
        for name in sorted(self._open):
            self._compare(name)

    # ---- Steps

    def _edit(self) -> str | None:
        if not self._open:
            return self._open_one()
        name = self._chance.choice(sorted(self._open))
        text = self._edited(self._open[name])
        if text is None:
            return None
        self._open[name] = text
        return f"edit {name}"

    def _open_one(self) -> str | None:
        closed = [each for each in self._there() if each not in self._open]
        if not closed:
            return None
        name = self._chance.choice(closed)
        self._open[name] = (self._folder / name).read_text()
        by_link = name == "kernels.h" and self._chance.random() < 0.3
        self._opened_as[name] = LINK if by_link else name
        return f"open {self._opened_as[name]}"

    def _save(self) -> str | None:
        if not self._open:
            return None
        name = self._chance.choice(sorted(self._open))
        self._write(name, self._open[name])
        return self._tell_of("save", name)

    def _close(self) -> str | None:
        if not self._open:
            return None
        name = self._chance.choice(sorted(self._open))
        del self._open[name]
        self._sent.pop(name, None)
        self._worker.do(Overlay(self._folder / name, None))
        self._made.pop(self._folder / self._opened_as[name], None)
        return f"close {name}"

    def _write_closed(self) -> str | None:
        closed = [each for each in self._there() if each not in self._open]
        if not closed:
            return None
        name = self._chance.choice(closed)
        text = self._edited((self._folder / name).read_text())
        if text is None or self._chance.random() < 0.3:
            text = FILES[name]
        self._write(name, text)
        return self._tell_of("write", name)

    def _remove(self) -> str | None:
        name = self._chance.choice([*FILES, *DATA])
        if name in self._open or not (self._folder / name).exists():
            return None
        (self._folder / name).unlink()
        return self._tell_of("remove", name)

    def _move(self) -> str | None:
        """A header goes to another folder, or comes back."""
        name = self._chance.choice(("sizes.h", "kernels.h", "shared.h"))
        here, there = self._folder / name, self._folder / "inc" / name
        if name in self._open:
            return None
        if not here.exists():
            if not there.exists():
                self._write(name, FILES[name])
                return self._tell_of("write", name)
            here, there = there, here
        there.parent.mkdir(exist_ok=True)
        here.rename(there)
        return self._tell_of("move", name, f"inc/{name}")

    def _write_data(self) -> str | None:
        name = self._chance.choice(sorted(DATA))
        self._write(name, self._chance.choice(DATA[name]))
        return self._tell_of("write", name)

    def _change_settings(self) -> str | None:
        self._settings = self._chance.choice(SETTINGS)
        return f"settings {SETTINGS.index(self._settings)}"

    def _renew(self) -> str:
        """A new worker follows this one at rest, as ``renewal.py`` has it: all is analysed."""
        for name in sorted(self._open):
            self._compare(name)
        self._worker = self._new_worker()
        for name, text in self._sent.items():
            self._worker.do(Overlay(self._folder / name, text.encode()))
        _regrouped(self._worker)
        for job in tuple(self._made.values())[-MOST_ANALYSES:]:
            self._worker.do(job)
        return "renew"

    def _edited(self, text: str) -> str | None:
        """A text with one of the swaps made, forth or back."""
        fitting = [
            (old, new)
            for pair in SWAPS
            for old, new in (pair, pair[::-1])
            if old.strip() and old in text
        ]
        if not fitting:
            return None
        old, new = self._chance.choice(fitting)
        places = [at for at in range(len(text)) if text.startswith(old, at)]
        at = self._chance.choice(places)
        return text[:at] + new + text[at + len(old) :]

    # ---- Files

    def _there(self) -> list[str]:
        return [name for name in FILES if (self._folder / name).exists()]

    def _write(self, name: str, text: str) -> None:
        """Write a file, at a time of its own: two writes in one tick of a clock look alike."""
        path = self._folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        self._clock += 1_000_000
        os.utime(path, ns=(self._clock, self._clock))

    def _tell_of(self, what: str, *names: str) -> str:
        """Have the client tell of changed files, or not: not every client does."""
        tells = self._chance.random() < 0.5
        if tells:
            self._worker.do(Changed(tuple(self._folder / name for name in names)))
        return f"{what} {' '.join(names)}{'' if tells else ' untold'}"

    # ---- Comparing

    def _new_worker(self) -> Worker:
        worker = Worker(ApiAnalyser())
        if self._index:
            worker.do(IndexProject(self._folder, ()))
        return worker

    def _compare(self, name: str) -> None:
        """Have a document analysed by the worker and by a new one."""
        findings = self._chance.random() < 0.5
        for other, text in self._open.items():
            if other != name and self._sent.get(other) != text:
                self._sent[other] = text
                self._worker.do(Overlay(self._folder / other, text.encode()))
        fresh = self._new_worker()
        for other, text in self._open.items():
            if other != name:
                fresh.do(Overlay(self._folder / other, text.encode()))
        edited = self._open[name].encode()
        job = Analyse(1, self._folder / self._opened_as[name], edited, self._settings, findings)
        self._made.pop(job.path, None)
        self._made[job.path] = job
        here, there = self._report(self._worker, job), self._report(fresh, job)
        self.told.append(f"analyse {name}")
        if here.is_broken or there.is_broken:
            self.walk.while_broken += 1
            return
        self.walk.compared += 1
        if here.words != there.words:
            self.walk.differences.append(_apart(here.words, there.words))

    @staticmethod
    def _report(worker: Worker, job: Analyse) -> _Told:
        _regrouped(worker)
        answer = worker.do(job)
        while job.path in _regrouped(worker):
            answer = worker.do(job)
        assert answer is not None
        if not isinstance(answer.value, Analysed):
            return _Told(repr(answer.value), is_broken=False)
        report = answer.value.report
        broken = any(map(is_syntax_problem, report.problems))
        if not job.findings:
            report = replace(
                report,
                kernels=tuple(
                    replace(each, findings=(), size_ranges=()) for each in report.kernels
                ),
            )
        return _Told(repr((report, answer.value.gpu)), broken)


@dataclass(frozen=True, slots=True)
class _Told:
    """What a worker says of a document."""

    words: str
    is_broken: bool


def _regrouped(worker: Worker) -> frozenset[Path]:
    """Give a worker time; the files whose programs turn out to be others."""
    found: frozenset[Path] = frozenset()
    while worker.busy:
        said = worker.idle()
        found = found if said is None else said.paths
    return found


def _apart(first: str, second: str) -> str:
    """Where two texts part."""
    pairs = enumerate(zip(first, second, strict=False))
    at = next((at for at, (one, other) in pairs if one != other), min(len(first), len(second)))
    start = max(at - 150, 0)
    return f"edited {first[start : at + 150]!r}\n  fresh  {second[start : at + 150]!r}"


def walked(seed: str, steps: int, *, index: bool = True) -> WalkedProject:
    """A walk of so many steps in a folder of its own."""
    with tempfile.TemporaryDirectory() as folder:
        project = WalkedProject(Path(folder).resolve(), seed, index=index)
        for _ in range(steps):
            project.step()
            if project.walk.differences:
                break
        else:
            project.end()
    return project


def _walks(options: argparse.Namespace) -> Iterator[WalkedProject]:
    for number in range(options.walks) if options.again is None else (options.again,):
        project = walked(f"{options.seed}-{number}", options.steps, index=number % 3 > 0)
        for difference in project.walk.differences:
            print(f"! {options.seed}-{number}: {'; '.join(project.told[-25:])}\n  {difference}")
        yield project


def main(words: Sequence[str]) -> int:
    """Make the walks, and say what came of them."""
    parser = argparse.ArgumentParser(prog="python -m tests.robustness.edited_worker")
    parser.add_argument("--walks", type=int, default=100)
    parser.add_argument("--steps", type=int, default=40, help="of each walk")
    parser.add_argument("--seed", default="1", help="any word; another gives other walks")
    parser.add_argument("--again", type=int, help="one walk by its number")
    options = parser.parse_args(words)
    walks = [each.walk for each in _walks(options)]
    differences = sum(len(each.differences) for each in walks)
    print(
        f"{len(walks)} walks: {sum(each.compared for each in walks)} reports compared, "
        f"{differences} differ; {sum(each.while_broken for each in walks)} of broken texts"
    )
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
