"""The generated index of names, so that a look-up by any spelling opens two small files.

``python -m roofline_hardware_db index`` writes it anew; a test checks that it is up to date.
"""

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

from roofline_hardware_db.errors import GpuDataError
from roofline_hardware_db.load import DATA_FOLDER, GPU_FOLDER, load_gpu_file
from roofline_hardware_db.names import key_of

INDEX_FILE = DATA_FOLDER / "index.json"
REMEDY = "run `python -m roofline_hardware_db index`"


class NameIndex(NamedTuple):
    """``names`` maps a slug to the GPU's name; ``keys`` maps each form of a name to a slug.

    ``pci_ids`` maps ``vendor:device`` or ``vendor:device:revision`` to a slug.
    """

    names: Mapping[str, str]
    keys: Mapping[str, str]
    pci_ids: Mapping[str, str]


@cache
def load_index(path: Path = INDEX_FILE) -> NameIndex:
    """The index as it was generated; raises GpuDataError if the file is missing or broken."""
    try:
        content = json.loads(_index_text(path))
        return NameIndex(content["names"], content["keys"], content["pci_ids"])
    except (ValueError, KeyError, TypeError) as error:
        raise GpuDataError(str(path), [f"cannot be used ({error!r}); {REMEDY}"]) from error


def claimed_by(key: str, table: str = "keys", path: Path = INDEX_FILE) -> str | None:
    """The slug behind one entry of a table of the index, or None.

    Looks for the entry in the text as it was generated: reading all of it as JSON would cost a
    cold start more, the more GPUs there are. Raises GpuDataError if there is no such file.
    """
    text = _index_text(path)
    start = text.find(f'\n "{table}": {{')
    entry = f'\n  "{key}": "'
    found = text.find(entry, start, text.find("\n }", start)) if start >= 0 else -1
    if found < 0:
        return load_index(path)._asdict()[table].get(key) if start < 0 else None
    value = found + len(entry)
    return text[value : text.index('"', value)]


@cache
def _index_text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise GpuDataError(str(path), [f"cannot be used ({error!r}); {REMEDY}"]) from error


def build_index(folder: Path = GPU_FOLDER) -> NameIndex:
    """The index of all GPU files in a folder.

    Raises GpuDataError if a file is not called after its GPU or two GPUs claim the same name.
    """
    names: dict[str, str] = {}
    keys: dict[str, str] = {}
    pci_ids: dict[str, str] = {}
    problems: list[str] = []
    for path in sorted(folder.glob("*.toml")):
        gpu = load_gpu_file(path)
        if path.stem != gpu.slug:
            problems.append(f"{path.name}: must be called {gpu.slug}.toml after its name")
        names[gpu.slug] = gpu.name
        for name in (gpu.name, *gpu.aliases, *gpu.default_for):
            _claim(keys, key_of(name), gpu.slug, name, problems)
        for pci_id in gpu.pci_ids:
            _claim(pci_ids, pci_id, gpu.slug, pci_id, problems)
    if problems:
        raise GpuDataError(str(folder), problems)
    return NameIndex(names, dict(sorted(keys.items())), dict(sorted(pci_ids.items())))


def _claim(owners: dict[str, str], key: str, slug: str, shown: str, problems: list[str]) -> None:
    owner = owners.setdefault(key, slug)
    if owner != slug:
        problems.append(f'"{shown}" is claimed by {owner} and by {slug}; drop one')


def render_index(index: NameIndex) -> str:
    """The text of the index file."""
    content = {
        "names": dict(index.names),
        "keys": dict(index.keys),
        "pci_ids": dict(index.pci_ids),
    }
    return json.dumps(content, indent=1) + "\n"


def index_is_current() -> bool:
    """Whether the index file holds what the GPU files say."""
    current = INDEX_FILE.is_file() and INDEX_FILE.read_text(encoding="utf-8")
    return current == render_index(build_index())


def write_index() -> NameIndex:
    """Generates the index file and returns what it holds."""
    index = build_index()
    INDEX_FILE.write_text(render_index(index), encoding="utf-8")
    load_index.cache_clear()
    _index_text.cache_clear()
    return index
