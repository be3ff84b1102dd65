"""The server with the fake worker: ``fake_server.py [seconds a job may take]``."""

import sys
from pathlib import Path

from roofline_lsp.server.session.main import run_stdio
from roofline_lsp.server.worker.spare import WorkerWithSpare

COMMAND = (sys.executable, "-P", str(Path(__file__).with_name("fake_worker.py")))

if __name__ == "__main__":
    longest_job_s = float(sys.argv[1]) if len(sys.argv) > 1 else 60.0
    raise SystemExit(run_stdio(worker=WorkerWithSpare(COMMAND, longest_job_s=longest_job_s)))
