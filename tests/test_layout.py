"""The source roots, the lists that name them, and what ends up in the wheel agree."""

import importlib.metadata
import re
import subprocess
import sys
import tomllib
import zipfile
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from .conftest import NOT_FAST

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = "roofline_lsp"


@cache
def pyproject() -> dict[str, Any]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def source_roots() -> list[str]:
    """The top-level folders that hold a part of the package."""
    return sorted(path.parent.name for path in ROOT.glob(f"*/{PACKAGE}") if path.is_dir())


def subpackages() -> list[Path]:
    """Every package folder directly under the namespace, in every source root."""
    return sorted(
        path for path in ROOT.glob(f"*/{PACKAGE}/*") if path.is_dir() and path.name != "__pycache__"
    )


def package_files() -> set[str]:
    """The paths in it that a wheel should hold: every file but bytecode and what editors drop."""
    return {
        path.relative_to(ROOT / root).as_posix()
        for root in source_roots()
        for path in (ROOT / root / PACKAGE).rglob("*")
        if path.is_file()
        and "__pycache__" not in path.parts
        and not path.name.startswith(".")
        and not path.name.endswith("~")
    }


def test_required_folders_exist() -> None:
    required = ["server", "parsers", "hardware_db", "editor-clients", "tests", "examples"]
    assert [name for name in required if not (ROOT / name).is_dir()] == []


@pytest.mark.parametrize("name", NOT_FAST)
def test_what_is_not_fast_is_there(name: str) -> None:
    path, _, test = name.partition("::")
    assert (ROOT / "tests" / path).exists()
    assert not test or f"def {test}(" in (ROOT / "tests" / path).read_text(encoding="utf-8")


def test_there_are_source_roots() -> None:
    assert {"parsers", "hardware_db", "analysis", "server"} <= set(source_roots())


@pytest.mark.parametrize(
    "keys",
    [
        ("tool", "hatch", "build", "dev-mode-dirs"),
        ("tool", "mypy", "mypy_path"),
        ("tool", "pyright", "extraPaths"),
    ],
    ids=".".join,
)
def test_lists_of_source_roots_agree(keys: tuple[str, ...]) -> None:
    value: Any = pyproject()
    for key in keys:
        value = value[key]
    assert sorted(value) == source_roots()


@pytest.mark.parametrize(("tool", "key"), [("mypy", "files"), ("pyright", "include")])
def test_type_checkers_look_at_every_source_root(tool: str, key: str) -> None:
    assert sorted(pyproject()["tool"][tool][key]) == sorted([*source_roots(), "tests"])


def test_wheel_packages_agree_with_the_source_roots() -> None:
    packages = pyproject()["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]
    assert sorted(packages) == [f"{root}/{PACKAGE}" for root in source_roots()]


def test_the_namespace_has_no_init() -> None:
    """An ``__init__.py`` there would make one root's part hide all the others."""
    assert [str(path) for path in ROOT.glob(f"*/{PACKAGE}/__init__.py")] == []


@pytest.mark.parametrize("name", ["__init__.py", "py.typed"])
def test_every_subpackage_has(name: str) -> None:
    lacking = [p.relative_to(ROOT).as_posix() for p in subpackages() if not (p / name).is_file()]
    assert lacking == []


def test_every_folder_with_modules_is_a_package() -> None:
    folders = {path.parent for package in subpackages() for path in package.rglob("*.py")}
    lacking = [str(folder) for folder in folders if not (folder / "__init__.py").is_file()]
    assert sorted(lacking) == []


def test_no_two_source_roots_hold_the_same_subpackage() -> None:
    names = [path.name for path in subpackages()]
    assert sorted(names) == sorted(set(names))


def test_every_subpackage_has_a_layer() -> None:
    contracts = pyproject()["tool"]["importlinter"]["contracts"]
    (layers,) = [contract for contract in contracts if contract["type"] == "layers"]
    names = [name.strip() for layer in layers["layers"] for name in layer.split("|")]
    assert sorted(names) == sorted(path.name for path in subpackages())


def test_the_installed_version_is_that_of_pyproject() -> None:
    assert importlib.metadata.version("roofline-lsp") == pyproject()["project"]["version"]


def test_the_version_is_written_nowhere_else() -> None:
    """Code asks ``importlib.metadata``; a literal would be forgotten at the next release."""
    version = re.escape(pyproject()["project"]["version"])
    literal = re.compile(rf"""(?<!schema_)version\w*\s*[:=].*["']{version}["']""", re.IGNORECASE)
    found = [
        f"{path.relative_to(ROOT)}:{number}"
        for package in subpackages()
        for path in package.rglob("*.py")
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if literal.search(line)
    ]
    assert found == []


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel built by the build backend itself, which needs no network."""
    out = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(out)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    (path,) = out.glob("*.whl")
    return path


def test_wheel_holds_every_file_of_the_package(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if ".dist-info/" not in name}
    assert names == package_files()


def test_wheel_holds_the_data_files(wheel: Path) -> None:
    """The GPU database is data: a wheel without it would import well and know no GPU."""
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    assert any(re.fullmatch(rf"{PACKAGE}/hardware_db/.+\.toml", name) for name in names)
    assert {f"{PACKAGE}/{path.name}/py.typed" for path in subpackages()} <= set(names)


def test_wheel_declares_the_command_and_the_version(wheel: Path) -> None:
    version = pyproject()["project"]["version"]
    info = f"roofline_lsp-{version}.dist-info"
    with zipfile.ZipFile(wheel) as archive:
        entry_points = archive.read(f"{info}/entry_points.txt").decode()
        metadata = archive.read(f"{info}/METADATA").decode()
    assert "roofline-lsp = roofline_lsp.cli.main:main" in entry_points
    assert f"\nVersion: {version}\n" in metadata
