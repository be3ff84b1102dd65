"""The packages, the lists that name them, and what ends up in the wheel agree."""

import ast
import importlib.metadata
import re
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import NOT_FAST

ROOT = Path(__file__).resolve().parent.parent


@cache
def pyproject() -> dict[str, Any]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def packages() -> list[Path]:
    """The import package of each top-level folder that has one."""
    return sorted(path for path in ROOT.glob("*/roofline_*") if path.is_dir())


def source_roots() -> list[str]:
    """The top-level folders that hold a package."""
    return [path.parent.name for path in packages()]


def rooms() -> list[str]:
    """Every folder of modules directly in a package, as a module; a package without any itself."""
    found = []
    for package in packages():
        inside = sorted(path.parent.name for path in package.glob("*/__init__.py"))
        modules = [path for path in package.glob("*.py") if not path.name.startswith("__")]
        found += [package.name] if modules else [f"{package.name}.{name}" for name in inside]
    return found


def package_files() -> set[str]:
    """The paths in it that a wheel should hold: every file but bytecode and what editors drop."""
    return {
        path.relative_to(package.parent).as_posix()
        for package in packages()
        for path in package.rglob("*")
        if path.is_file()
        and "__pycache__" not in path.parts
        and not path.name.startswith(".")
        and not path.name.endswith("~")
    }


def test_required_folders_exist() -> None:
    required = ["server", "parsers", "hardware_db", "editor-clients", "tests", "examples"]
    assert [name for name in required if not (ROOT / name).is_dir()] == []


def test_what_is_not_fast_is_there() -> None:
    """A test that has moved would be taken for a fast one."""
    paths = [name.partition("::")[0] for name in NOT_FAST]
    assert [path for path in paths if not (ROOT / "tests" / path).exists()] == []


def test_each_folder_has_one_package() -> None:
    assert {"core", "parsers", "hardware_db", "analysis", "server"} <= set(source_roots())
    assert sorted(source_roots()) == sorted(set(source_roots()))


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
    assert sorted(value) == sorted(source_roots())


@pytest.mark.parametrize(("tool", "key"), [("mypy", "files"), ("pyright", "include")])
def test_type_checkers_look_at_every_source_root(tool: str, key: str) -> None:
    assert sorted(pyproject()["tool"][tool][key]) == sorted([*source_roots(), "tests"])


def test_wheel_packages_agree_with_the_folders() -> None:
    listed = pyproject()["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]
    assert sorted(listed) == sorted(path.relative_to(ROOT).as_posix() for path in packages())


@pytest.mark.parametrize(
    "keys",
    [
        ("tool", "importlinter", "root_packages"),
        ("tool", "ruff", "lint", "isort", "known-first-party"),
    ],
    ids=".".join,
)
def test_lists_of_packages_agree(keys: tuple[str, ...]) -> None:
    value: Any = pyproject()
    for key in keys:
        value = value[key]
    assert sorted(value) == sorted(path.name for path in packages())


@pytest.mark.parametrize("name", ["__init__.py", "py.typed"])
def test_every_package_has(name: str) -> None:
    lacking = [p.relative_to(ROOT).as_posix() for p in packages() if not (p / name).is_file()]
    assert lacking == []


def test_every_folder_with_modules_is_a_package() -> None:
    folders = {path.parent for package in packages() for path in package.rglob("*.py")}
    lacking = [str(folder) for folder in folders if not (folder / "__init__.py").is_file()]
    assert sorted(lacking) == []


def test_no_class_name_is_defined_twice() -> None:
    places: dict[str, list[str]] = {}
    for module in (module for package in packages() for module in package.rglob("*.py")):
        for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                place = f"{module.relative_to(ROOT).as_posix()}:{node.lineno}"
                places.setdefault(node.name, []).append(place)
    assert {name: found for name, found in places.items() if len(found) > 1} == {}


def undocumented(node: ast.AST, *, outer: str = "") -> Iterator[str]:
    """The public functions without a docstring in a module, those within functions too.

    A method that is marked to override another has that one's docstring.
    """
    for child in ast.iter_child_nodes(node):
        inner = outer
        if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            inner = f"{outer}.{child.name}".lstrip(".")
        if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef)):
            overrides = any(ast.unparse(each).endswith("override") for each in child.decorator_list)
            if not child.name.startswith("_") and not overrides and not ast.get_docstring(child):
                yield inner
        yield from undocumented(child, outer=inner)


def test_every_public_function_has_a_docstring() -> None:
    """Ruff's D102 and D103 pass over methods of private classes and functions in functions."""
    lacking = [
        f"{module.relative_to(ROOT).as_posix()}: {name}"
        for package in packages()
        for module in sorted(package.rglob("*.py"))
        for name in undocumented(ast.parse(module.read_text(encoding="utf-8")))
    ]
    assert lacking == []


def test_undocumented_functions_are_found_wherever_they_stand() -> None:
    source = """
class _Inner:
    def method(self): ...
    @override
    def given(self): ...
    def _own(self):
        def handler(): ...
def told():
    "What it gives."
"""
    assert list(undocumented(ast.parse(source))) == ["_Inner.method", "_Inner._own.handler"]


def test_every_room_has_a_layer() -> None:
    contracts = pyproject()["tool"]["importlinter"]["contracts"]
    (layers,) = [c for c in contracts if c["type"] == "layers" and "containers" not in c]
    names = [name for layer in layers["layers"] for name in re.split(r" [|:] ", layer)]
    assert sorted(names) == sorted(rooms())


def test_every_dependency_has_an_upper_major() -> None:
    """A new major version of a library comes in by a release of ours, when it was tested."""
    project = pyproject()["project"]
    extras = project["optional-dependencies"]
    used = [*project["dependencies"], *extras["ncu"], *extras["emulate"], *extras["png"]]
    used += extras["distributed"]
    assert [each for each in used if not re.search(r"<\d|==[\d.]+\.\*", each)] == []


def test_the_installed_version_is_that_of_pyproject() -> None:
    assert importlib.metadata.version("roofline-lsp") == pyproject()["project"]["version"]


def test_the_version_is_written_nowhere_else() -> None:
    """Code asks ``importlib.metadata``; a literal would be forgotten at the next release."""
    version = re.escape(pyproject()["project"]["version"])
    literal = re.compile(rf"""(?<!schema_)version\w*\s*[:=].*["']{version}["']""", re.IGNORECASE)
    found = [
        f"{path.relative_to(ROOT)}:{number}"
        for package in packages()
        for path in package.rglob("*.py")
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if literal.search(line)
    ]
    assert found == []


@pytest.mark.parametrize(
    ("code", "printed"),
    [
        ("import roofline_lsp; print(roofline_lsp.__version__)", "{version}"),
        (
            "from roofline_lsp import analyze; print(analyze.__module__)",
            "roofline_analysis.api.entry",
        ),
    ],
)
def test_the_face_of_the_product(code: str, printed: str) -> None:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == printed.format(version=pyproject()["project"]["version"])


def test_the_command_runs_as_a_module() -> None:
    command = [sys.executable, "-P", "-m", "roofline_lsp", "--version"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == f"roofline-lsp {pyproject()['project']['version']}\n"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel built by the build backend itself, which needs no network."""
    out = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(out)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    (path,) = out.glob("*.whl")
    return path


def test_wheel_holds_every_file_of_the_packages(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if ".dist-info/" not in name}
    assert names == package_files()


def test_wheel_holds_the_data_files(wheel: Path) -> None:
    """The GPU database is data: a wheel without it would import well and know no GPU."""
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    assert any(re.fullmatch(r"roofline_hardware_db/gpus/.+\.toml", name) for name in names)
    assert {f"{path.name}/py.typed" for path in packages()} <= set(names)


def test_wheel_declares_the_command_and_the_version(wheel: Path) -> None:
    version = pyproject()["project"]["version"]
    info = f"roofline_lsp-{version}.dist-info"
    with zipfile.ZipFile(wheel) as archive:
        entry_points = archive.read(f"{info}/entry_points.txt").decode()
        metadata = archive.read(f"{info}/METADATA").decode()
    assert "roofline-lsp = roofline_lsp.cli.entry:main" in entry_points
    assert f"\nVersion: {version}\n" in metadata


CODE_FROM_TEXT = frozenset(("exec", "eval", "compile", "__import__"))
PICKLES = frozenset(("pickle", "marshal", "shelve", "dill", "cloudpickle"))


def _code_from_text(tree: ast.Module) -> Iterator[str]:
    """The calls that make code of a text, and the modules that load code with values."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            yield from CODE_FROM_TEXT & {node.func.id}
        elif isinstance(node, ast.Import):
            yield from PICKLES & {each.name.partition(".")[0] for each in node.names}
        elif isinstance(node, ast.ImportFrom):
            yield from PICKLES & {(node.module or "").partition(".")[0]}


def test_code_is_made_of_a_text_and_values_are_unpickled_at_few_places() -> None:
    """``record`` writes the methods of its classes; whatever else is added is to be reviewed."""
    found = {
        (path.relative_to(package.parent).as_posix(), name)
        for package in packages()
        for path in package.rglob("*.py")
        for name in _code_from_text(ast.parse(path.read_bytes()))
    }
    assert found == {
        ("roofline_core/program/records.py", "exec"),
        # What processes of ours tell each other by pipes between them.
        ("roofline_lsp/server/worker/jobs.py", "pickle"),
        ("roofline_profiling/differential/running.py", "pickle"),
        ("roofline_profiling/differential/worker.py", "pickle"),
    }
