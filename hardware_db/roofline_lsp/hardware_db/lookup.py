"""Finds a GPU by whatever a person or a tool calls it."""

from difflib import get_close_matches
from functools import cache

from roofline_lsp.hardware_db.errors import UnknownGpuError
from roofline_lsp.hardware_db.index import NameIndex, load_index
from roofline_lsp.hardware_db.load import GPU_FOLDER, load_gpu_file
from roofline_lsp.hardware_db.model import Gpu
from roofline_lsp.hardware_db.names import key_of, slug_of, words_of

MAX_SUGGESTIONS = 5


def find_gpu(name: str) -> Gpu:
    """The GPU with this name, alias or slug; case, spaces, hyphens and brands do not matter.

    A name that several GPUs share means the one whose file claims it in ``default_for``
    (``RTX 3080``: the 10 GB model). A memory size may follow any name and must then be right
    (``RTX 4090 24 GB``). Raises UnknownGpuError, which names the nearest GPUs.
    """
    slug = slug_of(name)
    if slug and (GPU_FOLDER / f"{slug}.toml").is_file():
        return _load(slug)
    index = load_index()
    found = index.keys.get(key_of(name))
    if found is not None:
        return _load(found)
    gpu = _find_with_memory_size(name, index)
    if gpu is None:
        raise UnknownGpuError(name, _nearest(key_of(name), index))
    return gpu


def gpu_names() -> tuple[str, ...]:
    """The names of all GPUs of the database, in the order of their slugs."""
    index = load_index()
    return tuple(index.names[slug] for slug in sorted(index.names))


@cache
def _load(slug: str) -> Gpu:
    return load_gpu_file(GPU_FOLDER / f"{slug}.toml")


def _find_with_memory_size(name: str, index: NameIndex) -> Gpu | None:
    *model, size = words_of(name) or ("",)
    slug = index.keys.get("".join(model))
    if slug is None or not size.endswith("gb"):
        return None
    gpu = _load(slug)
    return gpu if gpu.memory_gb is not None and size == f"{gpu.memory_gb:g}gb" else None


def _nearest(key: str, index: NameIndex) -> tuple[str, ...]:
    """Names that contain the key, then names that are spelt like it."""
    containing = [known for known in index.keys if key and key in known]
    similar = get_close_matches(key, index.keys, n=MAX_SUGGESTIONS, cutoff=0.6)
    slugs = dict.fromkeys(index.keys[known] for known in (*containing, *similar))
    return tuple(index.names[slug] for slug in slugs)[:MAX_SUGGESTIONS]
