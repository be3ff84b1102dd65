"""What an editor's worker keeps does not grow with the number of edits."""

from __future__ import annotations

import gc
import random
from pathlib import Path

from roofline_core.algebra import symbolic
from roofline_core.program.expressions import Expression
from roofline_core.program.statements import Block
from roofline_core.program.units import Function
from roofline_core.settings import Settings
from roofline_lsp.server.worker.api_analyser import ApiAnalyser
from roofline_parsers.preprocess.result import PreprocessedFile
from tests.robustness.sessions.edits import EditedText, random_edit

SOURCE = """\
__global__ void relax(const float *x, float *y, int width, int height) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y;
    if (i > 0 && i < width - 1 && j > 0 && j < height - 1) {
        float sum = 0;
        for (int k = -1; k <= 1; k += 2) sum += x[j * width + i + k];
        y[j * width + i] = 0.25f * sum;
    }
}
int main(int argc, char **argv) {
    int width = atoi(argv[1]), height = atoi(argv[2]);
    float *x, *y; cudaMalloc(&x, width * height * 4); cudaMalloc(&y, width * height * 4);
    relax<<<dim3((width + 255) / 256, height), 256>>>(x, y, width, height);
}
"""
PATH = Path("/none/relax.cu")
SETTINGS = Settings(gpu="RTX 3080")


class Edited:
    """A worker's analyser, and a document that is edited."""

    def __init__(self) -> None:
        self._analyser = ApiAnalyser()
        self._chance = random.Random(20260801)

    def edit(self, edits: int) -> None:
        """Analyse the text after each of some edits, and at last as it was at the beginning."""
        text = EditedText(SOURCE, "utf-8")
        for _ in range(edits):
            random_edit(self._chance, text, (SOURCE,))
            self._analyse(text.text)
            if self._chance.random() < 0.3:
                text = EditedText(SOURCE, "utf-8")
        for number in range(10):  # as many as there are earlier programs that are kept, and more
            self._analyse(SOURCE + "\n" * number)
        gc.collect()
        symbolic.forget_unused_atoms()

    def _analyse(self, text: str) -> None:
        self._analyser.analyse(text.encode(), PATH, SETTINGS, lambda _: None, findings=True)


def test_the_table_of_atoms_does_not_grow() -> None:
    edited = Edited()
    edited.edit(10)
    first = len(symbolic._interned._atoms)
    assert first > 0
    edited.edit(60)
    # Fewer is right, too: what other tests of this process left may go in the meantime.
    assert len(symbolic._interned._atoms) <= first


def test_no_tree_of_an_earlier_text_lives_on() -> None:
    """Functions, their statements and what is known of them go with the text that they are of."""
    kinds = (Function, Block, Expression, PreprocessedFile)

    def alive() -> list[int]:
        objects = gc.get_objects()
        return [sum(isinstance(each, kind) for each in objects) for kind in kinds]

    edited = Edited()
    edited.edit(10)
    first = alive()
    assert all(first)
    edited.edit(60)
    assert alive() == first
