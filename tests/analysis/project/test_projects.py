"""Files of several projects in one request: each belongs to its own project alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from roofline_analysis.project.projects import Projects
from roofline_analysis.project.tasks import tasks_by_project

KERNEL = "__global__ void scale(float *x) { x[threadIdx.x] *= 2; }\n"
HOST = "__global__ void scale(float *);\nint main() { scale<<<4, 64>>>(nullptr); }\n"


def checkout(folder: Path, mark: str = ".git") -> Path:
    """A project whose kernel and host code lie in different folders; returns the kernel's file."""
    for name, text in (("kernels/scale.cu", KERNEL), ("app/main.cu", HOST)):
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    if mark:
        (folder / mark).touch()
    return folder / "kernels/scale.cu"


@pytest.mark.parametrize("mark", [".git", ".hg", "roofline.toml"])
def test_each_checkout_is_a_project(tmp_path: Path, mark: str) -> None:
    one, two = checkout(tmp_path / "one", mark), checkout(tmp_path / "deep/two", mark)
    projects = Projects(tmp_path, (one, two))
    assert projects.of(one).root == tmp_path / "one"
    assert projects.of(two).root == tmp_path / "deep/two"
    tasks = tasks_by_project((two, one), projects)
    assert [(task.units, task.members, task.root) for task in tasks] == [
        ((file.parent.parent / "app/main.cu", file), (file,), file.parent.parent)
        for file in (two, one)
    ]


def test_what_lies_in_a_marked_project_is_part_of_it(tmp_path: Path) -> None:
    (tmp_path / ".git").touch()
    module = checkout(tmp_path / "module")
    assert Projects(tmp_path, (module,)).of(module).root == tmp_path


def test_the_uppermost_mark_below_the_common_folder_counts(tmp_path: Path) -> None:
    module = checkout(tmp_path / "outer/module")
    (tmp_path / "outer/.git").touch()
    assert Projects(tmp_path, (module,)).of(module).root == tmp_path / "outer"


def test_files_without_a_mark_share_the_common_folder(tmp_path: Path) -> None:
    one, two = checkout(tmp_path / "one", ""), checkout(tmp_path / "two", "")
    projects = Projects(tmp_path, (one, two))
    assert projects.of(one) is projects.of(two)
    assert projects.of(one).root == tmp_path


def test_a_folder_above_checkouts_is_looked_through_for_each(tmp_path: Path) -> None:
    one, two = checkout(tmp_path / "one"), checkout(tmp_path / "two")
    (tmp_path / "apart").mkdir()
    (tmp_path / "apart/loose.cu").write_text(KERNEL)
    projects = Projects(tmp_path, (one, two), (tmp_path,))
    assert (projects.of(one).size, projects.of(two).size) == (2, 2)


def test_a_file_of_no_project_of_the_request_has_no_index(tmp_path: Path) -> None:
    one, two = checkout(tmp_path / "one"), checkout(tmp_path / "two")
    with pytest.raises(KeyError):
        Projects(tmp_path, (one,)).of(two)


def test_without_a_root_the_given_files_are_one_project(tmp_path: Path) -> None:
    one, two = checkout(tmp_path / "one"), checkout(tmp_path / "two")
    projects = Projects(None, (one, two))
    assert projects.of(one) is projects.of(two)
    assert projects.of(one).root is None
