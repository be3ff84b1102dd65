"""The fake worker, at rest after 0.1 s: ``fake_resting_worker.py FOLDER``.

It says that it takes as many bytes as the file ``resident`` of the folder has, and does not start
where there is a file ``refused``.
"""

import sys
from pathlib import Path

from fake_worker import FakeAnalyser

from roofline_lsp.server.worker import main

if __name__ == "__main__":
    folder = Path(sys.argv[1])
    if (folder / "refused").exists():
        raise SystemExit(7)
    main.TIDY_AFTER_S = 0.1  # type: ignore[misc]
    main.resident_bytes = lambda: int((folder / "resident").read_text())
    main.serve(FakeAnalyser())
