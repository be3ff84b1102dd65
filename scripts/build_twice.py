"""Builds the sdist and the wheel twice, in different circumstances, and compares them byte by byte.

    python scripts/build_twice.py OUT

Takes what version control holds, so that nothing that only lies in the folder is released. The
time in the archives is SOURCE_DATE_EPOCH, or else that of the last commit. The two builds differ in
folder, time zone, file times, permissions and hash seed. A commit with a tag that is not its
version, ``v0.2.0`` for 0.2.0, is not built. Prints a SHA-256 for each file, as ``sha256sum`` does,
and leaves the files in OUT; exits with 1 if the builds differ. Needs git and hatchling, and no
network.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[1]


def tracked_files() -> list[Path]:
    """The files that version control holds, as they are in the folder."""
    done = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True)
    found = (Path(os.fsdecode(name)) for name in done.stdout.split(b"\0") if name)
    return [path for path in found if (ROOT / path).is_file()]


def commit_time() -> str:
    """The time of the last commit, in seconds since 1970."""
    command = ["git", "log", "-1", "--format=%ct"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def check_tag() -> None:
    """Exit where the commit has a tag of another version than the project or the extension."""
    command = ["git", "tag", "--points-at", "HEAD", "--list", "v[0-9]*"]
    tags = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    version = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    package = ROOT / "editor-clients" / "vscode" / "package.json"
    extension = json.loads(package.read_text(encoding="utf-8"))
    for where, found in (("pyproject.toml", version), (package.name, extension)):
        if tags.split() and f"v{found['version']}" not in tags.split():
            told = ", ".join(tags.split())
            raise SystemExit(f"{where} has version {found['version']}, and the commit tag {told}")


def build(folder: Path, out: Path, environment: Mapping[str, str], mode: int) -> None:
    """Copy the tracked files into a folder and build both archives there."""
    for number, path in enumerate(tracked_files()):
        copy = folder / path
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / path, copy)
        executable = 0o111 if os.access(ROOT / path, os.X_OK) else 0
        copy.chmod(mode | (executable & (mode >> 2 | 0o100)))
        os.utime(copy, (number, number + mode))
    command = [sys.executable, "-m", "hatchling", "build", "-d", str(out)]
    both = {**os.environ, **environment}
    done = subprocess.run(
        command, cwd=folder, env=both, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise SystemExit(f"the build failed:\n{done.stdout}{done.stderr}")


def digests(folder: Path) -> dict[str, str]:
    """The SHA-256 of each file by its name."""
    files = sorted(folder.iterdir())
    return {each.name: hashlib.sha256(each.read_bytes()).hexdigest() for each in files}


def main(out: Path) -> int:
    """Build twice and compare."""
    check_tag()
    epoch = os.environ.get("SOURCE_DATE_EPOCH") or commit_time()
    with tempfile.TemporaryDirectory() as first, tempfile.TemporaryDirectory() as second:
        other = Path(second) / "a longer name"
        again = Path(second) / "out"
        shared = {"SOURCE_DATE_EPOCH": epoch}
        out.mkdir(parents=True, exist_ok=True)
        if any(out.iterdir()):
            raise SystemExit(f"{out} is not empty; name a new folder")
        build(Path(first), out, {**shared, "TZ": "UTC", "PYTHONHASHSEED": "1"}, 0o644)
        build(other, again, {**shared, "TZ": "Asia/Tokyo", "PYTHONHASHSEED": "2"}, 0o600)
        made, repeated = digests(out), digests(again)
    for name, digest in made.items():
        print(f"{digest}  {name}")
    if made != repeated:
        differ = [name for name in made if made[name] != repeated.get(name)]
        print(f"not reproducible: {', '.join(differ)}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    sys.exit(main(Path(sys.argv[1])))
