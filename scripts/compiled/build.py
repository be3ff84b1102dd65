"""Builds a wheel for this platform with the analysis as machine code, by mypyc.

    python scripts/compiled/build.py OUT [--work DIR] [--jobs N] [--optimise N]

The modules that ``rooms.py`` lists are copied, rewritten where the compiler needs it, and compiled
with the types that they have; a wheel that holds them beside the Python sources is left in OUT.
Python takes the machine code where there is some. Needs a C compiler, and the packages of the
``compiled`` extra. What was compiled before in DIR is not compiled again.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path
from typing import Any, Final

from module_index import ModuleIndex
from rewriting import TOLD_FIELDS, TOLD_FIELDS_TEXT, rewritten, with_tuples_made
from rooms import PACKAGES, is_compiled, modules

ROOT: Final = Path(__file__).resolve().parents[2]
GROUP: Final = "roofline_native"
"""The library that holds all modules' code."""
SUFFIX: Final = str(sysconfig.get_config_var("EXT_SUFFIX"))


def lay_out(target: Path) -> list[str]:
    """Write the packages as they are compiled; returns the paths to compile, from ``target`` on."""
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    for package in PACKAGES:
        source = ROOT / package
        shutil.copytree(source, target / source.name, ignore=shutil.ignore_patterns("__pycache__"))
    (target / f"{TOLD_FIELDS.replace('.', '/')}.py").write_text(TOLD_FIELDS_TEXT)
    chosen = {name: path for name, path in modules(target) if is_compiled(name)}
    for path in chosen.values():
        path.write_text(with_tuples_made(path.read_text()))
    index = ModuleIndex(dict(modules(target)))
    for name, path in chosen.items():
        path.write_text(rewritten(name, path.read_text(), index))
    return [str(path.relative_to(target)) for name, path in chosen.items() if name != TOLD_FIELDS]


def extensions(sources: Path, compiled: list[str], c_code: Path) -> list[Any]:
    """The extension modules of which mypyc writes the C code into ``c_code``."""
    from mypyc.build import mypycify  # noqa: PLC0415 - it takes a second

    os.chdir(sources)
    every = [str(path.relative_to(sources)) for _, path in modules(sources)]
    return list(
        mypycify(
            ["--ignore-missing-imports", "--no-warn-no-return", *every],
            only_compile_paths=compiled,
            opt_level="2",
            debug_level="0",
            multi_file=True,
            group_name=GROUP,
            target_dir=str(c_code),
        )
    )


def write_ninja_file(made: list[Any], work: Path, optimise: int) -> Path:
    """What ninja is to compile and link: in parallel, and only what has changed."""
    from ninja.ninja_syntax import Writer  # noqa: PLC0415 - of the same extra

    path = work / "build.ninja"
    with path.open("w") as stream:
        ninja = Writer(stream)
        compiler = sysconfig.get_config_var("CC") or "cc"
        include = f"-I{sysconfig.get_paths()['include']} -I{work / 'c'}"
        hidden = f"-fPIC -fvisibility=hidden -fno-strict-overflow -DNDEBUG -w -O{optimise}"
        ninja.rule(
            "compile",
            f"{compiler} {hidden} {include} $include -MMD -MF $out.d -c $in -o $out",
            depfile="$out.d",
            deps="gcc",
        )
        linker = sysconfig.get_config_var("LDSHARED") or f"{compiler} -shared"
        ninja.rule(
            "link", f"{linker} -s -o $out @$out.rsp", rspfile="$out.rsp", rspfile_content="$in"
        )
        for extension in made:
            objects = []
            for source in map(os.path.abspath, extension.sources):
                name = re.sub(r"[^A-Za-z0-9.]+", "_", source)
                objects.append(str(work / "objects" / f"{name}.o"))
                folders = " ".join(f"-I{each}" for each in extension.include_dirs)
                ninja.build(objects[-1:], "compile", [source], variables={"include": folders})
            library = str(work / "lib" / extension.name.replace(".", "/")) + SUFFIX
            ninja.build([library], "link", objects)
    return path


def compile_all(work: Path, jobs: int, optimise: int) -> Path:
    """The folder of the compiled modules, by their packages."""
    compiled = lay_out(work / "src")
    made = extensions(work / "src", compiled, work / "c")
    shutil.rmtree(work / "lib", ignore_errors=True)
    ninja = write_ninja_file(made, work, optimise)
    subprocess.run(["ninja", "-f", str(ninja), "-j", str(jobs), "--quiet"], check=True)
    return work / "lib"


def wheel_with(libraries: Path, source: Path, out: Path, work: Path) -> None:
    """The wheel as it is for every platform, with the libraries beside the sources they are of."""
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(work / "pure")],
        check=True,
        cwd=ROOT,
        stdout=subprocess.DEVNULL,
    )
    (pure,) = (work / "pure").glob("*.whl")
    shutil.rmtree(work / "unpacked", ignore_errors=True)
    _wheel("unpack", "--dest", str(work / "unpacked"), str(pure))
    pure.unlink()
    (unpacked,) = (work / "unpacked").iterdir()
    shutil.copytree(libraries, unpacked, dirs_exist_ok=True, ignore=shutil.ignore_patterns("*.rsp"))
    told = f"{TOLD_FIELDS.replace('.', '/')}.py"
    shutil.copy(source / told, unpacked / told)
    (description,) = unpacked.glob("*.dist-info/WHEEL")
    version = f"cp{sys.version_info.major}{sys.version_info.minor}"
    platform = re.sub(r"[-.]", "_", sysconfig.get_platform())
    text = description.read_text().replace("Root-Is-Purelib: true", "Root-Is-Purelib: false")
    text = re.sub(r"^Tag: .*$", f"Tag: {version}-{version}-{platform}", text, flags=re.MULTILINE)
    description.write_text(text)
    out.mkdir(parents=True, exist_ok=True)
    _wheel("pack", "--dest-dir", str(out), str(unpacked))


def _wheel(*arguments: str) -> None:
    command = [sys.executable, "-m", "wheel", *arguments]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def main() -> None:
    """Build the wheel and print its path."""
    parser = argparse.ArgumentParser(description="Build a wheel with the analysis compiled.")
    parser.add_argument("out", type=Path, metavar="OUT")
    parser.add_argument("--work", type=Path, metavar="DIR", help="keep what is compiled here")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--optimise", type=int, default=2, metavar="N", help="the compiler's -ON")
    options = parser.parse_args()
    out = options.out.resolve()
    with tempfile.TemporaryDirectory() as temporary:
        work = (options.work or Path(temporary)).resolve()
        libraries = compile_all(work, options.jobs, options.optimise)
        wheel_with(libraries, work / "src", out, work)
    print(*out.glob("*.whl"), sep="\n")


if __name__ == "__main__":
    main()
