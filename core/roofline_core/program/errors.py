"""The base of every error this project raises on purpose."""


class RooflineError(Exception):
    """Something a person can mend: the message names the thing at fault and the remedy.

    Front ends print ``str(error)`` and nothing else; a traceback is never part of the message.
    """
