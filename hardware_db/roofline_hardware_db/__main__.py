"""``python -m roofline_hardware_db``: ``index`` writes the index, ``check`` checks all data.

``check`` prints one fault a line and exits with 1 if there is any.
"""

import sys

from roofline_hardware_db.errors import GpuDataError
from roofline_hardware_db.index import REMEDY, index_is_current, write_index
from roofline_hardware_db.load import GPU_FOLDER
from roofline_hardware_db.validation import validate_file


def main(arguments: list[str]) -> int:
    """Runs one command and returns the exit status; 2 for a wrong command line."""
    match arguments:
        case ["index"]:
            return _index()
        case ["check"]:
            return _check()
        case _:
            print("usage: python -m roofline_hardware_db index|check", file=sys.stderr)
            return 2


def _index() -> int:
    try:
        index = write_index()
    except GpuDataError as error:
        print(error, file=sys.stderr)
        return 1
    print(f"{len(index.names)} GPUs, {len(index.keys)} names")
    return 0


def _check() -> int:
    paths = sorted(GPU_FOLDER.glob("*.toml"))
    found = [f"{path.name}: {problem}" for path in paths for problem in validate_file(path)]
    if not found:
        try:
            found = [] if index_is_current() else [f"index.json: out of date; {REMEDY}"]
        except GpuDataError as error:
            found = [str(error)]
    for line in found:
        print(line)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
