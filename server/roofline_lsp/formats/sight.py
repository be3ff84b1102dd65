"""What the analysis could not follow, in one sentence with what to do about it."""

from __future__ import annotations

from roofline_analysis.report.report import Sight, Unseen, UnseenKind
from roofline_core.text.units import duration, percent

_MOST_NAMED = 3
_REMEDIES = {
    UnseenKind.CALL: "name the folder of the header that defines it (--include-dir, include_dirs)",
    UnseenKind.RECURSION: "write it as a loop, whose runs can be counted",
    UnseenKind.ACCESS: "name the folder of the header that declares it (--include-dir,"
    " include_dirs)",
    UnseenKind.TYPE: "name the folder of the header that declares it (--include-dir, include_dirs)",
    UnseenKind.ADDRESS: "index the array by numbers that the loop counts",
    UnseenKind.CODE: "report the kernel as one that is not understood",
    UnseenKind.DIRECTIVE: "define the macro that it asks for (--define, defines)",
}
_NO_RESULT = (
    "nothing that the kernel writes was found; a macro may be missing that its body needs"
    " (--define, defines)"
)
_NO_STORE = (
    "its stores stand in code that is not known, and that this launch does not come to; give the"
    " program's arguments (--args, args), or analyse it together with its launch"
)
_COLLIDING = (
    "sizes that had to be assumed make its threads store to the same places; give the program's"
    " arguments (--args, args), or analyse it together with its launch"
)
_IDLE = (
    "sizes that had to be assumed leave nearly all of its threads without work, {each} B of DRAM"
    " traffic each; give the program's arguments (--args, args), or analyse it together with its"
    " launch"
)
_TOO_MUCH_CODE = (
    "it is too long to be followed to its end, and what it computes there is not known; kernels of"
    " some thousand statements, as often as they are called, are followed whole"
)
_TOO_LONG = (
    "sizes that had to be assumed do not go together, as the launch would take {time}; give the"
    " program's arguments (--args, args), or state sizes in a comment"
)


def missing(sight: Sight) -> str:
    """The most important things that were not followed; empty if everything was."""
    named = [_name(item) for item in sight.missing[:_MOST_NAMED]]
    more = len(sight.missing) - len(named)
    return ", ".join(named) + (f" and {more} more" if more > 0 else "")


def undecided(sight: Sight | None) -> str:
    """Why there is no verdict, and the one thing to do."""
    if sight is None:
        return "too little is known of this kernel"
    if sight.fault is not None:
        return f"this launch fails: {sight.fault}"
    if not sight.writes:
        return _NO_RESULT
    if sight.too_long_ns is not None:
        return _TOO_LONG.format(time=duration(sight.too_long_ns))
    if sight.suffices and sight.idle_bytes is not None:
        return _IDLE.format(each=f"{sight.idle_bytes:.2g}")
    if sight.suffices and sight.colliding_bytes:
        return _COLLIDING
    if not sight.missing:
        return _NO_STORE if not sight.stores else "too little is known of this kernel"
    if sight.suffices and not sight.is_whole:
        return _TOO_MUCH_CODE
    if sight.suffices and not sight.stores:
        found = sight.missing[0]
        return f"what it writes is not known, nor {missing(sight)}; {_REMEDIES[found.kind]}"
    remedy = _REMEDIES[sight.missing[0].kind]
    share = percent(1 - sight.share)
    return f"{share} of what the kernel does is not known: {missing(sight)}; {remedy}"


def half_seen(sight: Sight | None) -> str | None:
    """What a verdict leaves out; None if it rests on the whole kernel."""
    if sight is None or not sight.missing or not sight.suffices:
        return None
    return f"{missing(sight)}: {percent(1 - sight.share)} of what the kernel does"


def doubt(sight: Sight | None) -> str | None:
    """Why a verdict is a guess although the kernel was followed; None if it is not."""
    if sight is None or sight.idle_bytes is None or not sight.suffices:
        return None
    return _IDLE.format(each=f"{sight.idle_bytes:.2g}")


def _name(item: Unseen) -> str:
    match item.kind:
        case UnseenKind.CALL:
            return f"the body of '{item.name}'"
        case UnseenKind.RECURSION:
            return f"how deep '{item.name}' calls itself"
        case UnseenKind.ACCESS:
            return f"what '{item.name}' points to" if item.name else "what is accessed"
        case UnseenKind.TYPE:
            return f"the type '{item.name}'"
        case UnseenKind.ADDRESS:
            return f"where in '{item.name}' a loop goes"
        case UnseenKind.CODE:
            return item.name
        case UnseenKind.DIRECTIVE:
            return f"the code behind '{item.name}'"
