"""What ``--check`` says of the examples in each language."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from roofline_lsp.formats.json import schema_text

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.mark.parametrize(
    ("file", "dialect", "verdict", "launch", "grid", "block"),
    [
        ("saxpy.cu", "cuda", "BB", "saxpy.cu", [65536, 1, 1], [256, 1, 1]),
        ("hip/transpose.hip", "hip", "BB", "hip/transpose.hip", [128, 128, 1], [32, 8, 1]),
        (
            "opencl/convolution.cl",
            "opencl",
            "CB",
            "opencl/convolution.cpp",
            [256, 256, 1],
            [16, 16, 1],
        ),
        ("openmp/dot_product.cpp", "openmp", "CB", "openmp/dot_product.cpp", None, [128, 1, 1]),
    ],
)
def test_one_kernel_of_each_language(
    run: Callable[..., Any],
    file: str,
    dialect: str,
    verdict: str,
    launch: str,
    grid: list[int] | None,
    block: list[int],
) -> None:
    options = ["--gpu", "RTX 3080", "--clock", "base", "--args", ""]
    ran = run("--check", EXAMPLES / file, *options, "--format", "json")
    assert (ran.code, ran.err) == (0, "")
    content = json.loads(ran.out)
    jsonschema.Draft202012Validator(json.loads(schema_text())).validate(content)
    (checked,) = content["files"]
    (kernel,) = checked["kernels"]
    assert kernel["dialect"] == dialect
    assert kernel["prediction"]["class"] == verdict
    (found,) = kernel["launches"]
    assert found["path"] == str(EXAMPLES / launch)
    assert found["block"] == block
    if grid is not None:
        assert found["grid"] == grid

    text = run("--format", "full", "--check", EXAMPLES / file, *options).out
    assert f"{EXAMPLES / file}:{kernel['name_range']['line']}  " in text
    assert re.search(rf"  {verdict}( by intensity)?  \d+%  ", text)


def test_the_folder_of_the_examples(run: Callable[..., Any]) -> None:
    ran = run("--check", EXAMPLES, "--args", "", "--format", "json", "--jobs", "1")
    assert (ran.code, ran.err) == (0, "")
    kernels = [kernel for file in json.loads(ran.out)["files"] for kernel in file["kernels"]]
    assert len(kernels) == 14
    assert sum(kernel["dialect"] == "cuda" for kernel in kernels) == 11
    assert all(kernel["launches"] for kernel in kernels)
