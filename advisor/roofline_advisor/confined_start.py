"""Starts a program with fewer rights: limits, no network, no files but those it is given.

It runs this file by itself, so it imports nothing of the project. Its first argument is JSON: a
table of ``limits`` and, where it is to be confined, the paths below which the program may run
programs (``runnable``), read (``readable``) and write (``writable``); the others are the program's
command line. On Linux the files are held
by Landlock, which takes no privileges, and the network by namespaces, and by Landlock where those
are not allowed. It exits with 126 if the program cannot be confined as it is told.
"""

from __future__ import annotations

import ctypes
import json
import os
import resource
import struct
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

CANNOT = 126
_NO_NEW_PRIVILEGES = 38
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
"""System calls, whose numbers are the same on every architecture of Linux but Alpha."""
_VERSION_ASKED = 1
_BELOW_PATH = 1

_EXECUTE, _WRITE, _READ, _LIST = 1 << 0, 1 << 1, 1 << 2, 1 << 3
_FIRST_RIGHTS = (1 << 13) - 1
_LATER_RIGHTS = ((2, 1 << 13), (3, 1 << 14), (5, 1 << 15))
"""By the version that brought them: links between folders, truncation, control of devices."""
_TRUNCATE = 1 << 14
_OF_FILES = _EXECUTE | _WRITE | _READ | _TRUNCATE | 1 << 15
_TCP = (4, 0b11)
_SCOPES = (6, 0b11)
"""Signals and sockets of programs outside."""

_NEW_USER, _NEW_NETWORK, _NEW_IPC = 0x10000000, 0x40000000, 0x08000000


def main(arguments: Sequence[str]) -> None:
    """Take rights away from this process, and become the program."""
    wanted, command = json.loads(arguments[0]), list(arguments[1:])
    for name, most in wanted["limits"].items():
        _limit(name, most)
    if "readable" in wanted:
        try:
            _without_network()
            _confine(wanted)
        except OSError as error:
            print(f"cannot be confined: {error.strerror}", file=sys.stderr)
            sys.exit(CANNOT)
    try:
        os.execv(command[0], command)
    except OSError as error:
        print(f"'{command[0]}' cannot be run: {error.strerror}", file=sys.stderr)
        sys.exit(127)


def landlock_version() -> int:
    """The version of Landlock that the system has; 0 for none."""
    if sys.platform != "linux":
        return 0
    found = _libc().syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), _VERSION_ASKED)
    return max(int(found), 0)


def _limit(name: str, most: int) -> None:
    """Set a limit, never above the one in force."""
    kind = getattr(resource, name, None)
    if kind is None:
        return
    if name == "RLIMIT_NPROC":
        most += _tasks()
    hard = resource.getrlimit(kind)[1]
    most = most if hard == resource.RLIM_INFINITY else min(most, hard)
    try:
        resource.setrlimit(kind, (most, most))
    except (OSError, ValueError):
        print(f"the limit {name} cannot be set", file=sys.stderr)
        sys.exit(CANNOT)


def _tasks() -> int:
    """How many threads the person's programs have: the limit is on all of them together."""
    count = 0
    for status in Path("/proc").glob("[0-9]*"):
        try:
            if status.stat().st_uid == os.getuid():
                count += sum(1 for _ in (status / "task").iterdir())
        except OSError:
            continue
    return count


def _without_network() -> None:
    """Leave the network, where people may have namespaces of their own."""
    user, group = os.getuid(), os.getgid()
    if _libc().unshare(_NEW_USER | _NEW_NETWORK | _NEW_IPC) != 0:
        return
    for name, text in (
        ("setgroups", "deny"),
        ("uid_map", f"{user} {user} 1"),
        ("gid_map", f"{group} {group} 1"),
    ):
        Path(f"/proc/self/{name}").write_text(text, encoding="ascii")


def _confine(wanted: dict[str, list[str]]) -> None:
    """Take away every file but those below the paths that are told. Raises OSError."""
    version = landlock_version()
    rights = _FIRST_RIGHTS
    for since, right in _LATER_RIGHTS:
        rights |= right if version >= since else 0
    handled = struct.pack(
        "=QQQ",
        rights,
        _TCP[1] if version >= _TCP[0] else 0,
        _SCOPES[1] if version >= _SCOPES[0] else 0,
    )
    size = 8 if version < _TCP[0] else 16 if version < _SCOPES[0] else 24
    rules = _called(_CREATE_RULESET, handled, ctypes.c_size_t(size), 0)
    for name, allowed in (
        ("runnable", _EXECUTE | _READ | _LIST),
        ("readable", _READ | _LIST),
        ("writable", rights & ~_EXECUTE),
    ):
        for path in wanted[name]:
            _allow(rules, path, allowed)
    if _libc().prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    _called(_RESTRICT_SELF, rules, 0)
    os.close(rules)


def _allow(rules: int, path: str, rights: int) -> None:
    """Allow something below a path; one that is not there needs no rule."""
    try:
        handle = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    try:
        allowed = rights if Path(path).is_dir() else rights & _OF_FILES
        _called(_ADD_RULE, rules, _BELOW_PATH, struct.pack("=Qi", allowed, handle), 0)
    finally:
        os.close(handle)


def _called(number: int, *arguments: Any) -> int:
    found = int(_libc().syscall(number, *arguments))
    if found < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return found


def _libc() -> Any:
    return ctypes.CDLL(None, use_errno=True)


if __name__ == "__main__":
    main(sys.argv[1:])
