"""The nesting of ``#if`` groups."""

from __future__ import annotations

from collections.abc import Callable


class _Group:
    """One ``#if`` and what has been seen of its branches."""

    __slots__ = ("enclosing_active", "line", "seen_else", "taken")

    def __init__(self, line: int, enclosing_active: bool) -> None:
        self.line = line
        self.enclosing_active = enclosing_active
        self.taken = False
        self.seen_else = False


class ConditionalStack:
    """Knows whether text is active. Methods give a fault's description or None."""

    def __init__(self) -> None:
        self._groups: list[_Group] = []
        self.active = True

    def open(self, line: int, condition: Callable[[], bool]) -> None:
        """``#if``: the condition is asked only in active text."""
        group = _Group(line, self.active)
        self._groups.append(group)
        if self.active:
            self.active = group.taken = condition()

    def alternative(self, keyword: str, condition: Callable[[], bool] | None) -> str | None:
        """``#elif`` and its kin, or ``#else`` (condition None)."""
        if not self._groups:
            return f"#{keyword} without #if"
        group = self._groups[-1]
        fault = f"#{keyword} after #else" if group.seen_else else None
        group.seen_else = group.seen_else or condition is None
        if group.taken or not group.enclosing_active or fault:
            self.active = False
        else:
            self.active = group.taken = condition is None or condition()
        return fault

    def close(self) -> str | None:
        """``#endif``."""
        if not self._groups:
            return "#endif without #if"
        self.active = self._groups.pop().enclosing_active
        return None

    @property
    def open_lines(self) -> list[int]:
        """The lines of the ``#if`` directives still open, outermost first."""
        return [group.line for group in self._groups]
