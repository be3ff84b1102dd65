"""Pieces of work on a Dask cluster that a person runs, where a lost worker costs nothing.

The cluster is another way to have work done, as processes of this machine are: items go out,
outcomes come back as they are made. Whatever a worker needs travels with the work, and what it has
to read lies on storage that all machines see under the same paths.
"""

from __future__ import annotations

import threading
import uuid
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from queue import SimpleQueue
from typing import Any, Final, Protocol, cast

from roofline_core.program.crash import crash_reason
from roofline_core.program.errors import RooflineError
from roofline_lsp.batch.identity import code_digest
from roofline_study.workers import Done

_ANSWER_S: Final = "30s"
"""How long a scheduler may take to answer at first."""
_AHEAD: Final = 4
"""Items given out for each thread of the cluster, so that none waits for this machine."""
_LEAST_AHEAD: Final = 64
_NO_ROOFLINE: Final = (
    "a worker of the cluster cannot import roofline-lsp: install the same version there"
)


class ClusterError(RooflineError):
    """A cluster that cannot be used, or no longer."""


class ForWorkers(Protocol):
    """Work as it travels: what ``begun`` makes of it on a worker does one item after the other."""

    def begun(self) -> Callable[[Any], Any]:
        """The work with what it keeps from item to item; called once a worker and run."""
        ...


@dataclass(frozen=True, slots=True)
class _Errand:
    """One item with all that a worker has to know."""

    run: str
    """A name of the run that no other has."""
    code: str
    """The digest of the code that the run was begun with."""
    work: ForWorkers
    item: Any


@dataclass(frozen=True, slots=True)
class _Refused:
    """Why a worker does not do an errand."""

    reason: str


_ONE_AT_A_TIME: Final = threading.Lock()
"""An analysis knows no threads: a worker with several does one item at a time."""
_BEGUN: Final[dict[str, Callable[[Any], Any]]] = {}
"""On a worker: the work of the run that it served last, by the run's name."""


def run_errand(errand: _Errand) -> object:
    """Do an errand, on a worker: the result, or why it is refused."""
    own = code_digest()
    if own != errand.code:
        return _Refused("has another version of roofline-lsp; install the same one everywhere")
    with _ONE_AT_A_TIME:
        work = _BEGUN.get(errand.run)
        if work is None:
            _BEGUN.clear()  # another run may have read files as they were then
            work = _BEGUN[errand.run] = errand.work.begun()
        return work(errand.item)


def on_cluster(work: ForWorkers, items: Sequence[object], address: str) -> Iterator[Done[Any]]:
    """Do ``work`` for each item on the cluster of a scheduler; yield each outcome as it comes.

    An item whose worker is lost is done again on another one, as often as the scheduler allows;
    then it counts as what ended its workers. Items, work and results travel by pickle. Raises
    ClusterError: no scheduler at ``address``, no ``distributed`` here, other code on a worker.
    """
    client = _connected(address)
    try:
        yield from _Round(client, work, items, address).outcomes()
    finally:
        client.close()


def _connected(address: str) -> Any:
    try:
        from distributed import Client  # noqa: PLC0415 - takes long to import
    except ImportError:
        raise ClusterError(
            "--scheduler needs Dask: pip install 'roofline-lsp[distributed]'"
        ) from None
    make: Any = Client
    try:
        return make(address, timeout=_ANSWER_S, set_as_default=False)
    except (OSError, ValueError, TypeError) as error:
        raise ClusterError(f"{address}: no scheduler answers: {error}") from None


class _Round:
    """The items of one call, given out little by little, so that few wait anywhere."""

    def __init__(self, client: Any, work: ForWorkers, items: Sequence[Any], address: str) -> None:
        self._client = client
        self._work = work
        self._items = items
        self._address = address
        self._name = uuid.uuid4().hex
        self._next = 0
        self._ended: SimpleQueue[Any] = SimpleQueue()
        """What has come to an end on the cluster, in that order."""
        self._given: dict[str, int] = {}
        """The index of each item that is under way, by its key on the cluster."""

    def outcomes(self) -> Iterator[Done[Any]]:
        """Each item's outcome, once."""
        self._give_out()
        while self._given:
            future = self._ended.get()
            index = self._given.pop(future.key)
            yield self._outcome(index, future)
            future.release()
            self._give_out()

    def _give_out(self) -> None:
        """Give out what there is room for."""
        threads = sum(self._client.nthreads().values()) if self._next < len(self._items) else 0
        room = max(_LEAST_AHEAD, _AHEAD * threads) - len(self._given)
        for index in range(self._next, min(self._next + room, len(self._items))):
            key = f"roofline-{self._name}-{index}"
            errand = _Errand(self._name, code_digest(), self._work, self._items[index])
            self._given[key] = index
            future = self._client.submit(run_errand, errand, key=key, pure=False)
            future.add_done_callback(self._ended.put)
            self._next += 1

    def _outcome(self, index: int, future: Any) -> Done[Any]:
        error = self._error_of(future)
        if error is None:
            result = future.result()
            if isinstance(result, _Refused):
                raise ClusterError(f"{self._address}: a worker {result.reason}")
            return Done(index, result, None)
        if type(error).__name__ == "KilledWorker":
            return Done(index, None, "the process ended by itself, on several workers")
        if isinstance(error, ImportError) and "roofline" in str(error):
            raise ClusterError(f"{self._address}: {_NO_ROOFLINE}")
        return Done(index, None, crash_reason(error))

    def _error_of(self, future: Any) -> BaseException | None:
        if future.status in ("finished", "error"):
            return cast(BaseException | None, future.exception())
        raise ClusterError(f"{self._address}: the scheduler was lost ({future.status})")
