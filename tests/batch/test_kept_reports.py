"""Reports kept between runs: the same as those made anew, whatever changed in between."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from roofline_analysis.api.tasks import task_reports
from roofline_analysis.project.tasks import ProgramTask
from roofline_lsp.batch import identity
from roofline_lsp.cli.main import main

KERNEL = """\
#include "work.h"
#include <cstdlib>
#ifndef BLOCK
#define BLOCK 256
#endif
#ifndef STEPS
#define STEPS 1
#endif
__global__ void work(int n, float *x) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float value = x[i];
        for (int k = 0; k < STEPS; k++) value = value * value + FACTOR;
        x[i] = value;
    }
}
"""
HOST = """\
#include <cstdio>
#include <cstdlib>
__global__ void work(int n, float *x);
int main(int argc, char **argv) {
    int n = 1000;
    FILE *file = fopen("size.txt", "r");
    if (file) fscanf(file, "%d", &n);
    if (argc > 1) n = atoi(argv[1]);
    float *x;
    cudaMalloc(&x, n * sizeof(float));
    work<<<(n + 255) / 256, 256>>>(n, x);
    return 0;
}
"""


class Workplace:
    """A small program, checked with and without kept reports."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str], kept: Path) -> None:
        self.folder = folder
        self._capsys = capsys
        self._kept = kept
        self.analysed: list[list[str]] = []
        """The files that were analysed, of each program."""
        self.asked: list[str] = ["--check", "src", "--format", "json"]

    def write(self, name: str, text: str) -> None:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def check(self, *options: str) -> tuple[int, str, str]:
        """Exit code, report and messages of a run."""
        self.analysed.clear()
        self._capsys.readouterr()
        code = main([*self.asked, "--cache-dir", str(self._kept), "--no-progress", *options])
        captured = self._capsys.readouterr()
        return code, captured.out, captured.err

    def made(self, *options: str) -> tuple[int, str, str]:
        """A run that must analyse something, and gives what a run without a cache gives."""
        found = self.check(*options)
        assert self.analysed, "kept reports were taken"
        self._is_right(found, options)
        return found

    def known(self, *options: str) -> tuple[int, str, str]:
        """A run that must analyse nothing, and gives what a run without a cache gives."""
        found = self.check(*options)
        assert self.analysed == [], "kept reports were not taken"
        self._is_right(found, options)
        return found

    def _is_right(self, found: tuple[int, str, str], options: tuple[str, ...]) -> None:
        assert self.check(*options, "--no-cache") == found


@pytest.fixture
def workplace(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Workplace:
    found = Workplace(tmp_path / "project", capsys, tmp_path / "kept")

    def noting(task: ProgramTask, *rest: Any) -> Any:
        found.analysed.append([path.name for path in task.members])
        return task_reports(task, *rest)

    monkeypatch.setattr("roofline_lsp.batch.workers.task_reports", noting)
    # Answers of whole runs have tests of their own.
    monkeypatch.setattr("roofline_lsp.cli.answered._is_plain", lambda *_: False)
    (tmp_path / "project").mkdir()
    monkeypatch.chdir(tmp_path / "project")
    found.write("roofline.toml", 'gpu = "A100"\n')
    found.write("src/work.cu", KERNEL)
    found.write("src/main.cu", HOST)
    found.write("src/work.h", "#define FACTOR 0.5f\n")
    return found


def test_a_second_run_analyses_nothing(workplace: Workplace) -> None:
    first = workplace.made()
    assert '"name": "work(int, float *)"' in first[1]
    assert workplace.known() == first
    assert workplace.known("--jobs", "1") == first


Change = Callable[[Workplace], None]


def header_edited(at: Workplace) -> None:
    at.write("src/work.h", "#define FACTOR 0.5f\n#define STEPS 5000\n")


def source_edited(at: Workplace) -> None:
    at.write("src/work.cu", KERNEL.replace("STEPS 1", "STEPS 5000"))


def edited_within_a_tick(at: Workplace) -> None:
    """As many bytes, and the times that the file had."""
    file = at.folder / "src" / "work.cu"
    status = file.stat()
    file.write_text(KERNEL.replace("value * value", "value + value"))
    os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))


def data_file_appears(at: Workplace) -> None:
    at.write("src/size.txt", "123456789")


def launch_appears_in_another_file(at: Workplace) -> None:
    (at.folder / "src" / "main.cu").rename(at.folder / "src" / "left.txt")


def makefile_appears(at: Workplace) -> None:
    at.write("src/Makefile", "work: main.cu work.cu\n\tnvcc -DSTEPS=5000 main.cu work.cu\n")


def cmake_appears(at: Workplace) -> None:
    at.write(
        "CMakeLists.txt",
        "project(p CUDA)\nadd_executable(p src/main.cu src/work.cu)\n"
        "target_compile_definitions(p PRIVATE STEPS=5000)\n",
    )


def database_appears(at: Workplace) -> None:
    entry = '{"directory": ".", "file": "src/work.cu", "command": "nvcc -DSTEPS=5000 src/work.cu"}'
    at.write("compile_commands.json", f"[{entry}]")


def settings_change_the_gpu(at: Workplace) -> None:
    at.write("roofline.toml", 'gpu = "MI300X"\n')


def settings_change_the_background(at: Workplace) -> None:
    at.write("roofline.toml", 'gpu = "A100"\nbackground-gbs = 200.0\n')


def settings_define(at: Workplace) -> None:
    at.write("roofline.toml", 'gpu = "A100"\ndefines = ["STEPS=5000"]\n')


def rules_are_left_out(at: Workplace) -> None:
    at.write("roofline.toml", 'gpu = "A100"\nignore = ["ALL"]\n')


CHANGES: tuple[Change, ...] = (
    header_edited,
    source_edited,
    edited_within_a_tick,
    data_file_appears,
    launch_appears_in_another_file,
    makefile_appears,
    cmake_appears,
    database_appears,
    settings_change_the_gpu,
    settings_change_the_background,
    settings_define,
    rules_are_left_out,
)


@pytest.mark.parametrize("change", CHANGES)
def test_a_change_is_seen(workplace: Workplace, change: Change) -> None:
    before = workplace.made()
    change(workplace)
    after = workplace.made()
    if change is not rules_are_left_out:
        assert after != before
    workplace.known()


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("src/Makefile", "work: main.cu work.cu\n\tnvcc -DSTEPS=%s main.cu work.cu\n"),
        (
            "CMakeLists.txt",
            (
                "project(p CUDA)\nadd_executable(p src/main.cu src/work.cu)\n"
                "target_compile_definitions(p PRIVATE STEPS=%s)\n"
            ),
        ),
        ("src/size.txt", "%s000"),
        ("src/STEPS.h", "#define STEPS %s\n"),
    ],
)
def test_an_edit_of_any_file_that_was_read_is_seen(
    workplace: Workplace, name: str, text: str
) -> None:
    workplace.write("src/work.cu", '#if __has_include("STEPS.h")\n#endif\n' + KERNEL)
    workplace.write("src/work.h", '#include "STEPS.h"\n#define FACTOR 0.5f\n')
    workplace.write(name, text % 2)
    before = workplace.made()
    workplace.write(name, text % 5000)
    assert workplace.made() != before
    (workplace.folder / name).unlink()
    workplace.made()
    workplace.write(name, text % 2)
    assert workplace.known() == before, "several states are kept"


def test_a_file_that_build_files_include_is_seen(workplace: Workplace) -> None:
    workplace.write(
        "CMakeLists.txt",
        "project(p CUDA)\ninclude(more.cmake OPTIONAL)\n"
        "add_executable(p src/main.cu src/work.cu)\n"
        "target_compile_definitions(p PRIVATE STEPS=${STEPS})\n",
    )
    workplace.made()
    workplace.write("more.cmake", "set(STEPS 5000)\n")
    appeared = workplace.made()
    workplace.write("more.cmake", "set(STEPS 2)\n")
    assert workplace.made() != appeared


def test_a_header_that_appears_in_an_earlier_folder_is_seen(workplace: Workplace) -> None:
    workplace.write("src/work.cu", KERNEL.replace('"work.h"', "<work.h>"))
    (workplace.folder / "src" / "work.h").unlink()
    workplace.write("late/work.h", "#define FACTOR 0.5f\n")
    (workplace.folder / "early").mkdir()
    folders = ("-I", "early", "-I", "late")
    before = workplace.made(*folders)
    assert workplace.known(*folders) == before
    workplace.write("early/work.h", "#define FACTOR 0.5f\n#define STEPS 5000\n")
    assert workplace.made(*folders) != before
    (workplace.folder / "early" / "work.h").unlink()
    assert workplace.known(*folders) == before


def test_programs_that_share_a_header_both_see_its_edit(workplace: Workplace) -> None:
    """The second finds it preprocessed, and reads no file of its own for it."""
    for name in ("src", "other"):
        workplace.write(f"{name}/work.cu", KERNEL.replace('"work.h"', '"../shared/work.h"'))
        workplace.write(f"{name}/main.cu", HOST)
    workplace.write("shared/work.h", '#include "deep.h"\n')
    workplace.write("shared/deep.h", "#define FACTOR 0.5f\n")
    workplace.asked[1:2] = ["src", "other"]
    workplace.made()
    workplace.known()
    workplace.write("shared/deep.h", "#define FACTOR 0.5f\n#define STEPS 5000\n")
    workplace.check()
    assert len(workplace.analysed) == 2
    workplace.known()


def test_a_link_that_leads_elsewhere_is_seen(workplace: Workplace) -> None:
    header = workplace.folder / "src" / "work.h"
    workplace.write("one.h", "#define FACTOR 0.5f\n")
    workplace.write("two.h", "#define FACTOR 0.5f\n#define STEPS 5000\n")
    header.unlink()
    header.symlink_to(workplace.folder / "one.h")
    before = workplace.made()
    header.unlink()
    header.symlink_to(workplace.folder / "two.h")
    assert workplace.made() != before


def test_a_file_that_may_not_be_read_any_more_is_not_taken(
    workplace: Workplace, tmp_path: Path
) -> None:
    """The same bytes, but outside of the project: not even a kept report tells of them."""
    outside = tmp_path / "elsewhere" / "work.h"
    outside.parent.mkdir()
    outside.write_text("#define FACTOR 0.5f\n")
    before = workplace.made()
    header = workplace.folder / "src" / "work.h"
    header.unlink()
    header.symlink_to(outside)
    after = workplace.made()
    assert after != before
    assert "leads out of the project" in after[1]


@pytest.mark.parametrize(
    "options",
    [
        ("--args", "123456789"),
        ("--gpu", "RTX 4090"),
        ("--clock", "base"),
        ("--rule", "study"),
        ("--compiler", "clang"),
        ("-D", "STEPS=77"),
        ("-I", "."),
        ("--what-if", "H100"),
        ("--ignore", "ALL"),
    ],
)
def test_other_options_are_another_request(workplace: Workplace, options: tuple[str, ...]) -> None:
    plain = workplace.made()
    other = workplace.made(*options)
    assert workplace.known() == plain
    assert workplace.known(*options) == other


def test_a_gpu_file_is_part_of_the_request(workplace: Workplace) -> None:
    import roofline_hardware_db

    known = Path(roofline_hardware_db.__file__).parent / "gpus"
    text = next(known.rglob("*a100*.toml")).read_text()
    workplace.write("own.toml", text)
    workplace.write("roofline.toml", 'gpu = "mine"\n[gpus.mine]\nfile = "own.toml"\n')
    workplace.made()
    workplace.known()
    workplace.write("own.toml", text + "\n# another text\n")
    workplace.made()


def test_other_code_makes_reports_anew(
    workplace: Workplace, monkeypatch: pytest.MonkeyPatch
) -> None:
    workplace.made()
    monkeypatch.setattr(identity, "code_identity", lambda: "another")
    workplace.made()


def test_the_code_is_told_by_its_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "data").mkdir()
    monkeypatch.setattr(identity, "_folders_of", lambda package: (str(tmp_path),))
    found = {identity.code_identity.__wrapped__()}
    for name in ("module.py", "data/table.toml"):
        (tmp_path / name).write_text("a = 1")
        found.add(identity.code_identity.__wrapped__())
        (tmp_path / name).write_text("a = 22")
        found.add(identity.code_identity.__wrapped__())
    assert len(found) == 5
    (tmp_path / "__pycache__").mkdir()
    (tmp_path / "__pycache__" / "module.pyc").write_text("")
    assert identity.code_identity.__wrapped__() in found


def test_one_file_of_a_program_takes_what_the_folder_gave(workplace: Workplace) -> None:
    workplace.write("src/other.cu", KERNEL.replace("work(", "other("))
    workplace.made()
    workplace.asked[1:2] = ["src/work.cu"]
    workplace.known()


def test_the_folder_adds_to_what_one_file_gave(workplace: Workplace) -> None:
    workplace.asked[1:2] = ["src/work.cu"]
    alone = workplace.made()
    workplace.asked[1:2] = ["src"]
    workplace.made()
    workplace.known()
    workplace.asked[1:2] = ["src/work.cu"]
    assert workplace.known() == alone


def test_internal_errors_are_not_kept(
    workplace: Workplace, monkeypatch: pytest.MonkeyPatch
) -> None:
    good = workplace.check("--no-cache")

    def crashing(*_: Any) -> Any:
        raise MemoryError

    with monkeypatch.context() as broken:
        broken.setattr("roofline_analysis.api.program.summarise", crashing)
        assert "internal error" in workplace.check()[2]
    assert workplace.made() == good


def test_a_file_that_changes_while_it_is_read_leaves_nothing_behind(
    workplace: Workplace, monkeypatch: pytest.MonkeyPatch
) -> None:
    def changing(task: ProgramTask, *rest: Any) -> Any:
        header_edited(workplace)
        return task_reports(task, *rest)

    with monkeypatch.context() as meanwhile:
        workplace.write("src/work.h", "#define FACTOR 0.25f\n")
        meanwhile.setattr("roofline_lsp.batch.workers.task_reports", changing)
        workplace.check()
    workplace.write("src/work.h", "#define FACTOR 0.25f\n")
    workplace.made()


def test_nothing_is_kept_where_nobody_wants_it(workplace: Workplace, tmp_path: Path) -> None:
    workplace.check("--no-cache")
    assert not (tmp_path / "kept").exists()


def test_no_source_is_in_the_store(workplace: Workplace, tmp_path: Path) -> None:
    import sqlite3
    import zlib

    workplace.write("src/work.h", "#define FACTOR 0.5f // confidential-words\n")
    workplace.made()
    with sqlite3.connect(tmp_path / "kept" / "reports.db") as database:
        values = [zlib.decompress(value) for (value,) in database.execute("SELECT value FROM kept")]
    assert values
    assert any(b"work.h" in value for value in values)
    assert not any(b"confidential-words" in value or b"blockIdx" in value for value in values)
