"""A worker that makes each analysis as if it were its first."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable
from pathlib import Path

from roofline_lsp.server.worker import main as worker_main
from roofline_lsp.server.worker.api_analyser import ApiAnalyser
from roofline_lsp.server.worker.jobs import (
    Analyse,
    AskExplanation,
    AskWhatIf,
    EarlyKernel,
    IndexProject,
    Job,
    JobOutcome,
    Overlay,
)
from roofline_lsp.server.worker.waited_for import WaitedFor


class FreshWorker(worker_main.Worker):
    """Each analysis is made by a worker that was told the open texts and the folders alone.

    What is asked about an analysis goes to the one that made it.
    """

    def __init__(
        self,
        analyser: ApiAnalyser,
        waited_for: WaitedFor,
        tell: Callable[[EarlyKernel], None],
    ) -> None:
        super().__init__(analyser, waited_for, tell)
        self._folders_told: dict[Path, IndexProject] = {}
        self._texts_told: dict[Path, Overlay] = {}
        self._made: dict[Path, worker_main.Worker] = {}

    def do(self, job: Job) -> JobOutcome | None:
        """Do one job."""
        if isinstance(job, IndexProject):
            self._folders_told[job.folder] = job
        elif isinstance(job, Overlay):
            self._texts_told[job.path] = job
        elif isinstance(job, Analyse):
            self._made[job.path] = self._new()
            return self._made[job.path].do(job)
        elif isinstance(job, AskWhatIf | AskExplanation) and job.path in self._made:
            return self._made[job.path].do(job)
        return super().do(job)

    def _new(self) -> worker_main.Worker:
        analyser = ApiAnalyser()
        made = PLAIN(analyser)
        for text in self._texts_told.values():
            made.do(text)
        for folder in self._folders_told.values():
            made.do(folder)
        while not analyser.step():
            pass
        return made


PLAIN = worker_main.Worker

if __name__ == "__main__":
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING)
    worker_main.Worker = FreshWorker  # type: ignore[misc, assignment]
    worker_main.serve(ApiAnalyser())
