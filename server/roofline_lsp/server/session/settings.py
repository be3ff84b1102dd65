"""Settings of a session: files, initialization options and configuration, one over the other.

Whatever is wrong is told once, and until it is put right the last good value of the same origin
stays in force.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from roofline_core.program.errors import RooflineError
from roofline_core.settings import (
    COMMON_GPUS,
    OWN_FILE,
    Layer,
    Settings,
    SettingsError,
    from_json,
    load,
    locate,
    merge,
    personal_file,
    profile_names,
)

logger = logging.getLogger(__name__)

SECTION = "roofline"
"""The section of an editor's configuration: ``roofline.gpu``."""

CLIENT_COMMANDS = "clientCommands"
"""The initialization option that lists the commands that the client has."""

CLIENT_NOTIFICATIONS = "clientNotifications"
"""The one with the notifications of this server's own that the client wants."""

_NO_SETTINGS = frozenset({CLIENT_COMMANDS, CLIENT_NOTIFICATIONS, "workspaceTrusted"})
"""Initialization options that say something of the client or its workspace."""

_OPTIONS = "initialization options"
_CONFIGURATION = f"editor settings '{SECTION}'"

_EDITOR = Layer("an editor", {"what_if": COMMON_GPUS, "notes": False})
"""What editors do where nothing else is said."""

Check = Callable[[Settings], Awaitable[str | None]]
"""Whether the GPU of some settings is known: None, or what is wrong."""


class EditorSettings:
    """The settings of each document."""

    def __init__(self, overrides: Layer | None, check: Check, tell: Callable[[str], None]) -> None:
        """``overrides`` go before all others; ``tell`` shows a message."""
        self._overrides = overrides
        self._check = check
        self._tell = tell
        self._folder = Path.cwd()
        self._editor: dict[str, Layer] = {}
        self._files: dict[Path, Layer] = {}
        self._stamps: dict[Path, tuple[int, int]] = {}
        self._located: dict[Path, Path | None] = {}
        self._good: dict[Path | None, Settings] = {}
        self._told: dict[str, str] = {}

    def set_folder(self, folder: Path) -> None:
        """Set the workspace's folder.

        Relative paths of editor settings and documents that are no files belong to it.
        """
        self._folder = folder

    def set_options(self, options: object) -> None:
        """Take the initialization options."""
        if isinstance(options, Mapping):
            options = {key: value for key, value in options.items() if key not in _NO_SETTINGS}
        self._set(_OPTIONS, options)

    def set_configuration(self, values: object) -> None:
        """Take the section of the editor's configuration; None clears it."""
        self._set(_CONFIGURATION, values)

    def forget_files(self) -> None:
        """Look for settings files again: one may have been made, changed or removed."""
        self._located.clear()
        self._stamps.clear()

    async def for_path(self, path: Path | None) -> Settings:
        """The settings for a file, or for a document that is none."""
        file = self._file_of(path)
        layers = self._layers(file)
        good = self._good.get(file)
        wanted = self._merged(layers)
        if wanted is None:
            return good if good is not None else merge(_EDITOR)
        self._warn(wanted)
        if wanted == good:
            return wanted
        wrong = await self._check(wanted)
        if wrong is None:
            self._told.pop("gpu", None)
            self._good[file] = wanted
            return wanted
        without = replace(wanted, what_if=())
        if wanted.what_if and await self._check(without) is None:
            self._complain("gpu", f"{_origin_of(layers, 'what_if')}: {wrong}")
            return good if good is not None else without
        self._complain("gpu", f"{_origin_of(layers, 'gpu')}: {wrong}")
        return (
            good if good is not None else replace(wanted, gpu=Settings().gpu, what_if=COMMON_GPUS)
        )

    def profiles_for(self, path: Path | None) -> dict[str, dict[str, object]]:
        """What each profile sets that a file can use, by the profile's name, in files' order."""
        found: dict[str, dict[str, object]] = {}
        for layer in self._layers(self._file_of(path)):
            tables = layer.values.get("profiles")
            for name, table in tables.items() if isinstance(tables, Mapping) else ():
                found.setdefault(name, {}).update(table)
        return found

    def own_profiles(self, path: Path | None) -> tuple[frozenset[str], str | None]:
        """The profiles that stand in the project's file alone, and the one that it names."""
        file = self._file_of(path)
        own = self._load(file) if file is not None else None
        if own is None:
            return frozenset(), None
        others = [each for each in self._layers(file) if each is not own]
        default = own.values.get("settings_profile")
        names = frozenset(profile_names([own])) - frozenset(profile_names(others))
        return names, default if isinstance(default, str) else None

    def _file_of(self, path: Path | None) -> Path | None:
        """The project's settings file for a source, or for a document that is no file."""
        return self._locate(path.parent if path is not None else self._folder)

    def _layers(self, file: Path | None) -> list[Layer]:
        """All that says something, the strongest last."""
        layers = (
            _EDITOR,
            self._load_personal(),
            self._load(file) if file is not None else None,
            self._editor.get(_OPTIONS),
            self._editor.get(_CONFIGURATION),
            self._overrides,
        )
        return [layer for layer in layers if layer is not None]

    def _merged(self, layers: Sequence[Layer]) -> Settings | None:
        """The settings of all layers; None where they name a profile that there is not."""
        try:
            found = merge(*layers)
        except SettingsError as error:
            self._complain("settings profile", str(error))
            return None
        self._told.pop("settings profile", None)
        return found

    def file_for(self, path: Path, folder: Path, field: str) -> Path | None:
        """The settings file in which a field is to be set for a source.

        That is the project's, or a new one in ``folder`` where there is none. None where the editor
        or the command line sets the field, so that no file decides.
        """
        stronger = (self._editor.get(_OPTIONS), self._editor.get(_CONFIGURATION), self._overrides)
        if any(layer is not None and field in layer.values for layer in stronger):
            return None
        return self._locate(path.parent) or folder / OWN_FILE

    def _set(self, origin: str, values: object) -> None:
        if values is None:
            self._editor.pop(origin, None)
            self._told.pop(origin, None)
            return
        if not isinstance(values, Mapping):
            self._complain(origin, f"{origin}: must be an object with settings such as 'gpu'")
            return
        try:
            self._editor[origin] = from_json(values, origin=origin, folder=self._folder)
            self._told.pop(origin, None)
        except RooflineError as error:
            self._complain(origin, str(error))

    def _locate(self, folder: Path) -> Path | None:
        if folder not in self._located:
            try:
                self._located[folder] = locate(folder)
                self._told.pop("locate", None)
            except RooflineError as error:
                self._complain("locate", str(error))
                return None
        return self._located[folder]

    def _load_personal(self) -> Layer | None:
        """The person's own settings for all projects."""
        file = personal_file()
        return self._load(file, shared=False) if file.is_file() else None

    def _load(self, file: Path, *, shared: bool = True) -> Layer | None:
        try:
            stat = file.stat()
            stamp = (stat.st_mtime_ns, stat.st_size)
        except OSError:
            self._located.clear()
            return None
        if self._stamps.get(file) != stamp:
            self._stamps[file] = stamp
            try:
                self._files[file] = load(file, shared=shared)
                self._told.pop(str(file), None)
            except RooflineError as error:
                self._complain(str(file), str(error))
        return self._files.get(file)

    def _warn(self, settings: Settings) -> None:
        """Tell, once, what a project's file sets in vain."""
        for warning in settings.warnings:
            if warning not in self._told:
                self._told[warning] = warning
                self._tell(warning)

    def _complain(self, origin: str, message: str) -> None:
        if self._told.get(origin) != message:
            self._told[origin] = message
            end = "" if message.endswith("?") else "."
            self._tell(
                f"{message}{end} Until it is put right, the last good settings stay in force."
            )


def _origin_of(layers: Sequence[Layer], field: str) -> str:
    """Where a setting comes from, and how it is spelt: ``initialization options: 'gpu'``."""
    given = [layer.origin for layer in layers if field in layer.values]
    name = field.replace("_", "-")
    return f"{given[-1]}: '{name}'" if given else f"'{name}'"
