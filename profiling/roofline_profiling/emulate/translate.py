"""Makes a shared object of a kernel: ``python -m ...translate CUBIN KERNEL CACHE``.

The runtime library calls it when a kernel is first launched, and reads the path that it prints.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from roofline_profiling.emulate.sass.disassembly import disassemble
from roofline_profiling.emulate.translation.program import Translation, source_files, translate
from roofline_profiling.errors import ProfilerError

NATIVE = Path(__file__).parent / "native"
_FLAGS = (
    "-std=c++17", "-O1", "-march=native", "-ffp-contract=off", "-frounding-math", "-fPIC",
    "-shared", "-w", "-Wno-psabi",
)  # fmt: skip


def shared_object(cubin: Path, kernel: str, cache: Path) -> Path:
    """The kernel's shared object in the cache, made if it is not there. Raises ProfilerError."""
    entry = cache / f"{_key(_version(), kernel, cubin.read_bytes())}.path"
    if entry.exists() and (library := Path(entry.read_text(encoding="utf-8"))).exists():
        return library
    code = disassemble(os.environ.get("ROOFLINE_NVDISASM", "nvdisasm"), cubin)
    if kernel not in code.sections:
        raise ProfilerError(f"{kernel}: no such kernel in {cubin.name}")
    name = _key(cubin.read_bytes(), kernel)
    metadata = cache / f"{name}.json"
    done = translate(code, kernel, str(metadata))
    _write(metadata, json.dumps(_description(done, kernel, code.architecture)))
    library = cache / f"{_key(_headers(), *_FLAGS, done.text)}.so"
    if not library.exists():
        _compile(done.text, library, cache)
    _write(entry, str(library))
    return library


def _key(*parts: str | bytes) -> str:
    digest = hashlib.sha256()
    for part in parts:
        digest.update((part.encode() if isinstance(part, str) else part) + b"\0")
    return digest.hexdigest()[:24]


def _headers() -> bytes:
    """What translated code includes."""
    return b"".join((NATIVE / name).read_bytes() for name in ("types.h", "vectors.h", "warp.h"))


def _version() -> str:
    """Changes whenever what translates, or what the code includes, does."""
    folder = Path(__file__).parent
    sources = sorted([*folder.glob("translation/*.py"), *folder.glob("sass/*.py")])
    return _key(_headers(), *_FLAGS, *(path.read_bytes() for path in sources))


def _description(done: Translation, kernel: str, architecture: str) -> dict[str, object]:
    files = source_files(done.placed)
    return {
        "kernel": kernel,
        "arch": architecture,
        "files": files,
        "unsupported": list(done.unsupported),
        "instructions": [
            {
                "at": each.at,
                "opcode": each.instruction.opcode,
                "block": each.block,
                "predicated": each.predicated,
                "site": each.site,
                "file": files.index(line.path) if (line := each.instruction.line) else -1,
                "line": line.number if line else 0,
            }
            for each in done.placed
        ],
    }


def _precompiled(cache: Path, compiler: str) -> Path:
    """A folder with the header in the compiler's own form, which saves half of its time."""
    folder = cache / f"header-{_key(_headers(), *_FLAGS, compiler)}"
    if not folder.exists():
        with tempfile.TemporaryDirectory(prefix="roofline-", dir=cache) as held:
            made = Path(held) / "made"
            made.mkdir()
            flags = [each for each in _FLAGS if each != "-shared"]
            header, output = NATIVE / "warp.h", made / "warp.h.gch"
            command = [compiler, *flags, "-x", "c++-header", str(header), "-o", str(output)]
            done = subprocess.run(command, capture_output=True, check=False)
            if done.returncode:
                return NATIVE  # the header itself does as well
            with contextlib.suppress(OSError):  # another process was faster
                made.rename(folder)
    return folder


def _compile(text: str, library: Path, cache: Path) -> None:
    with tempfile.TemporaryDirectory(prefix="roofline-") as held:
        source, made = Path(held) / "kernel.cpp", Path(held) / "kernel.so"
        source.write_text(text, encoding="utf-8")
        compiler = os.environ.get("ROOFLINE_CXX", "g++")
        folders = [f"-I{_precompiled(cache, compiler)}", f"-I{NATIVE}"]
        command = [compiler, *_FLAGS, *folders, str(source), "-o", str(made)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            said = next((x for x in done.stderr.splitlines() if "error" in x), done.stderr[:300])
            raise ProfilerError(f"the compiler refuses the translated kernel: {said}")
        partial = library.with_suffix(f".{os.getpid()}")
        partial.write_bytes(made.read_bytes())
        partial.replace(library)


def _write(path: Path, text: str) -> None:
    partial = path.with_suffix(f".{os.getpid()}")
    partial.write_text(text, encoding="utf-8")
    partial.replace(path)


def main(arguments: list[str]) -> int:
    """Print the shared object's path, or what went wrong."""
    cubin, kernel, cache = arguments
    try:
        print(shared_object(Path(cubin), kernel, Path(cache)))
    except (ProfilerError, OSError) as problem:
        print(problem, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
