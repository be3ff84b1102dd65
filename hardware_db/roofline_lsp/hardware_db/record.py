"""What the records of this package share, written once.

``dataclass`` generates and compiles comparison, hash and display anew for every class, which took
a third of the time of importing them; every cold start pays for that.
"""

from typing import Any


class Record:
    """Compares, hashes and shows the fields of a frozen dataclass with slots.

    For ``@dataclass(frozen=True, slots=True, eq=False, repr=False)``. Fields that hold a dict do
    not count for the hash.
    """

    __slots__: tuple[str, ...] = ()

    def __eq__(self, other: object) -> bool:
        """Whether both are of one class and all fields are equal."""
        if other.__class__ is not self.__class__:
            return NotImplemented
        return self is other or all(
            getattr(self, name) == getattr(other, name) for name in self.__slots__
        )

    def __hash__(self) -> int:
        """Of all fields that can be hashed."""
        return hash(tuple(value for value in self._values() if not isinstance(value, dict)))

    def __repr__(self) -> str:
        """As the constructor is called."""
        pairs = zip(self.__slots__, self._values(), strict=True)
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in pairs)})"

    def _values(self) -> list[Any]:
        return [getattr(self, name) for name in self.__slots__]
