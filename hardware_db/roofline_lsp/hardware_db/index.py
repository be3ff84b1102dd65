"""The generated index of names, so that a look-up by any spelling opens two small files.

``python -m roofline_lsp.hardware_db index`` writes it anew; a test checks that it is up to date.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from roofline_lsp.hardware_db.errors import GpuDataError
from roofline_lsp.hardware_db.load import DATA_FOLDER, GPU_FOLDER, load_gpu_file
from roofline_lsp.hardware_db.names import key_of

INDEX_FILE = DATA_FOLDER / "index.json"
REMEDY = "run `python -m roofline_lsp.hardware_db index`"


@dataclass(frozen=True, slots=True)
class NameIndex:
    """``names`` maps a slug to the GPU's name; ``keys`` maps each form of a name to a slug."""

    names: Mapping[str, str]
    keys: Mapping[str, str]


@cache
def load_index(path: Path = INDEX_FILE) -> NameIndex:
    """The index as it was generated; raises GpuDataError if the file is missing or broken."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        return NameIndex(content["names"], content["keys"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise GpuDataError(str(path), [f"cannot be used ({error!r}); {REMEDY}"]) from error


def build_index(folder: Path = GPU_FOLDER) -> NameIndex:
    """The index of all GPU files in a folder.

    Raises GpuDataError if a file is not called after its GPU or two GPUs claim the same name.
    """
    names: dict[str, str] = {}
    keys: dict[str, str] = {}
    problems: list[str] = []
    for path in sorted(folder.glob("*.toml")):
        gpu = load_gpu_file(path)
        if path.stem != gpu.slug:
            problems.append(f"{path.name}: must be called {gpu.slug}.toml after its name")
        names[gpu.slug] = gpu.name
        for name in (gpu.name, *gpu.aliases, *gpu.default_for):
            owner = keys.setdefault(key_of(name), gpu.slug)
            if owner != gpu.slug:
                problems.append(f'"{name}" is claimed by {owner} and by {gpu.slug}; drop one')
    if problems:
        raise GpuDataError(str(folder), problems)
    return NameIndex(names, dict(sorted(keys.items())))


def render_index(index: NameIndex) -> str:
    """The text of the index file."""
    return json.dumps({"names": dict(index.names), "keys": dict(index.keys)}, indent=1) + "\n"


def index_is_current() -> bool:
    """Whether the index file holds what the GPU files say."""
    current = INDEX_FILE.is_file() and INDEX_FILE.read_text(encoding="utf-8")
    return current == render_index(build_index())


def write_index() -> NameIndex:
    """Generates the index file and returns what it holds."""
    index = build_index()
    INDEX_FILE.write_text(render_index(index), encoding="utf-8")
    load_index.cache_clear()
    return index
