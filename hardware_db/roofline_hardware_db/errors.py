"""What can go wrong with the GPU data."""

from collections.abc import Sequence

from roofline_core.program.errors import RooflineError


class GpuDataError(RooflineError):
    """A data file that cannot be used; the message names the file, the keys and the remedies.

    ``source`` is the file (or another name of where the data came from) and ``problems`` holds
    one sentence per fault.
    """

    def __init__(self, source: str, problems: Sequence[str]) -> None:
        super().__init__(source, tuple(problems))
        self.source = source
        self.problems = tuple(problems)

    def __str__(self) -> str:
        if len(self.problems) == 1:
            return f"{self.source}: {self.problems[0]}"
        listed = "".join(f"\n  {problem}" for problem in self.problems)
        return f"{self.source}: {len(self.problems)} problems:{listed}"


class UnknownGpuError(RooflineError):
    """A name that no GPU of the database answers to; ``suggestions`` holds the nearest that do.

    ``origin`` is where the name was written, such as a settings file; empty where that is plain.
    """

    def __init__(self, name: str, suggestions: Sequence[str], origin: str = "") -> None:
        super().__init__(name, tuple(suggestions), origin)
        self.name = name
        self.suggestions = tuple(suggestions)
        self.origin = origin

    def __str__(self) -> str:
        own = "describe the GPU in a TOML file of your own"
        where = f"{self.origin}: " if self.origin else ""
        if not self.suggestions:
            return f'{where}unknown GPU "{self.name}": choose a name of the database, or {own}'
        nearest = ", ".join(f'"{suggestion}"' for suggestion in self.suggestions)
        choice = f"the nearest names are {nearest}; choose one, or {own}"
        return f'{where}unknown GPU "{self.name}": {choice}'
