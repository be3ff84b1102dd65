"""Calls in processes of their own, ended when they take too long."""

from __future__ import annotations

import multiprocessing
import traceback
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any, TypeVar

Argument = TypeVar("Argument")
Result = TypeVar("Result")


class FailedError(Exception):
    """The call raised, took too long, or its process ended; the message says which."""


def _work(call: Callable[[Any], Any], argument: object, sender: Connection) -> None:
    try:
        sender.send((call(argument), None))
    except Exception:
        sender.send((None, traceback.format_exc()))


def limited(call: Callable[[Argument], Result], argument: Argument, seconds: float) -> Result:
    """What ``call(argument)`` gives; raises ``FailedError``."""
    receiver, sender = multiprocessing.Pipe(duplex=False)
    process = multiprocessing.Process(target=_work, args=(call, argument, sender))
    process.start()
    sender.close()
    try:
        if not receiver.poll(seconds):
            raise FailedError(f"stopped after {seconds:g} s")
        result, error = receiver.recv()
    except EOFError:
        process.join()
        raise FailedError(f"the process ended with {process.exitcode}") from None
    finally:
        process.terminate()
        process.join()
    if error is not None:
        raise FailedError(error)
    found: Result = result
    return found
