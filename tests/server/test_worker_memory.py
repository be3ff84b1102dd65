"""What an editor's worker keeps does not grow with the number of edits."""

from __future__ import annotations

import gc
import random
from pathlib import Path

from roofline_core.algebra import symbolic
from roofline_core.settings import Settings
from roofline_lsp.server.worker.api_analyser import ApiAnalyser
from tests.robustness.sessions.edits import EditedText, random_edit

SOURCE = """\
__global__ void relax(const float *x, float *y, int width, int height) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y;
    if (i > 0 && i < width - 1 && j > 0 && j < height - 1) {
        y[j * width + i] = 0.25f * (x[j * width + i - 1] + x[j * width + i + 1]);
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


def test_the_table_of_atoms_does_not_grow() -> None:
    analyser, chance = ApiAnalyser(), random.Random(20260801)

    def analyse(text: str) -> None:
        analyser.analyse(text.encode(), PATH, SETTINGS, lambda _: None, findings=True)

    def atoms_after(edits: int) -> int:
        text = EditedText(SOURCE, "utf-8")
        for _ in range(edits):
            random_edit(chance, text, (SOURCE,))
            analyse(text.text)
            if chance.random() < 0.3:
                text = EditedText(SOURCE, "utf-8")
        for number in range(10):  # as many as there are earlier programs that are kept, and more
            analyse(SOURCE + "\n" * number)
        gc.collect()
        return len(symbolic._interned._atoms)

    first = atoms_after(10)
    assert first > 0
    assert atoms_after(60) == first
