"""Finds a GPU by whatever a person or a tool calls it."""

import re
from functools import cache
from typing import Final

from roofline_hardware_db.errors import UnknownGpuError
from roofline_hardware_db.index import NameIndex, claimed_by, load_index
from roofline_hardware_db.load import GPU_FOLDER, load_gpu_file
from roofline_hardware_db.mig import slice_of, split_profile
from roofline_hardware_db.model import Gpu
from roofline_hardware_db.names import key_of, slug_of, words_of

MAX_SUGGESTIONS = 5

SERIES = ("rtx", "gtx", "rx", "quadro", "arc", "jetson", "pro")
"""What may be left out before a model's number, if then only one GPU can be meant."""

_PCI_ID = (
    r"(?:pci[\s:]*)?(?:0x)?([0-9a-f]{4}):(?:0x)?([0-9a-f]{4})"
    r"(?:(?::|\s*\(?rev\s*)([0-9a-f]{2})\)?)?"
)
_NVML_ID = r"0x([0-9a-f]{4})([0-9a-f]{4})"
"""As NVML gives it: the device, then the vendor."""

_LONGEST_SLUG: Final = 100
"""Longer names are no GPU's, and may be too long for a file system."""


def find_gpu(name: str) -> Gpu:
    """The GPU with this name, alias, slug or PCI id; case, spaces, hyphens and brands are ignored.

    A name that several GPUs share means the one whose file claims it in ``default_for``
    (``RTX 3080``: the 10 GB model). A memory size may follow any name and must then be right
    (``RTX 4090 24 GB``), and the series before a model's number may be left out (``4090``) if only
    one GPU can be meant. A slice of a partitioned GPU is named by its profile behind the GPU
    (``H100 1g.10gb``). PCI ids are ``10de:2206``, ``1002:744c:c8`` with a revision, or NVML's
    ``0x220610de``. Raises UnknownGpuError, which names the nearest GPUs.
    """
    model, profile = split_profile(name)
    gpu = _whole_gpu(name if profile is None else model, name)
    if profile is None:
        return gpu
    part = slice_of(gpu, profile)
    if part is None:
        raise UnknownGpuError(name, tuple(f"{gpu.name} {known}" for known in gpu.mig))
    return part


def gpu_names() -> tuple[str, ...]:
    """The names of all GPUs of the database, in the order of their slugs."""
    index = load_index()
    return tuple(index.names[slug] for slug in sorted(index.names))


def _whole_gpu(name: str, asked: str) -> Gpu:
    slug = slug_of(name)
    if slug and len(slug) <= _LONGEST_SLUG and (GPU_FOLDER / f"{slug}.toml").is_file():
        return _load(slug)
    key = key_of(name)
    devices: tuple[str, ...] = ()
    found = claimed_by(key) or _in_a_series(key)
    if found is None:
        devices = _by_pci_id(name)
        found = devices[0] if len(devices) == 1 else None
    gpu = _load(found) if found is not None else _find_with_memory_size(name)
    if gpu is None:
        index = load_index()
        near = tuple(index.names[device] for device in devices[:MAX_SUGGESTIONS])
        raise UnknownGpuError(asked, near or _nearest(name, index))
    return gpu


def _in_a_series(key: str) -> str | None:
    """``3080`` means the RTX 3080, if no other series has a 3080."""
    found = {slug for series in SERIES if (slug := claimed_by(series + key)) is not None}
    return found.pop() if key and len(found) == 1 else None


@cache
def _load(slug: str) -> Gpu:
    return load_gpu_file(GPU_FOLDER / f"{slug}.toml")


def _by_pci_id(name: str) -> tuple[str, ...]:
    """The GPUs with a PCI id; a revision that is left out may leave several of them."""
    text = name.strip().lower()
    nvml = re.fullmatch(_NVML_ID, text)
    given = re.fullmatch(_PCI_ID, f"{nvml[2]}:{nvml[1]}" if nvml else text)
    if given is None:
        return ()
    device = f"{given[1]}:{given[2]}"
    exact = None if given[3] is None else claimed_by(f"{device}:{given[3]}", "pci_ids")
    exact = exact or claimed_by(device, "pci_ids")
    if exact is not None or given[3] is not None:
        return () if exact is None else (exact,)
    revisions = load_index().pci_ids.items()
    return tuple(dict.fromkeys(slug for key, slug in revisions if key.startswith(f"{device}:")))


def _find_with_memory_size(name: str) -> Gpu | None:
    *model, size = words_of(name) or ("",)
    slug = claimed_by("".join(model))
    if slug is None or not size.endswith("gb"):
        return None
    gpu = _load(slug)
    return gpu if gpu.memory_gb is not None and size == f"{gpu.memory_gb:g}gb" else None


_LIKE_DIGITS: Final = str.maketrans("oil", "011")


def _nearest(name: str, index: NameIndex) -> tuple[str, ...]:
    """Names that contain this one, then names spelt like it or like one of its words.

    Letters that look like digits are taken for them, too: ``A1OO``.
    """
    from difflib import get_close_matches  # noqa: PLC0415 - only a name that is unknown needs it

    key = key_of(name)
    containing = sorted((known for known in index.keys if key and key in known), key=len)
    spellings = [series + key for series in SERIES] if key[:1].isdigit() else [key]
    spellings += [key.translate(_LIKE_DIGITS)] if any(map(str.isdigit, key)) else []
    similar = [
        near
        for spelling in spellings
        for near in get_close_matches(spelling, index.keys, n=MAX_SUGGESTIONS, cutoff=0.6)
    ]
    single = [word for word in words_of(name) if word in index.keys]
    nearest = (*containing, *similar, *single)
    slugs = dict.fromkeys(index.keys[known] for known in nearest)
    return tuple(index.names[slug] for slug in slugs)[:MAX_SUGGESTIONS]
