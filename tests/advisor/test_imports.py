"""The SDK is loaded by who asks, and by nobody else."""

from __future__ import annotations

import subprocess
import sys

import pytest

SLOW = ("anthropic", "httpx2", "pydantic", "diskcache")


@pytest.mark.parametrize(
    ("module", "absent"),
    [
        ("roofline_lsp.cli.check", (*SLOW, "roofline_advisor.bench")),
        ("roofline_lsp.cli.main", (*SLOW, "roofline_advisor.bench")),
        # The server shows advice that another process gives: it needs no analyser.
        (
            "roofline_lsp.server.session.handlers",
            (*SLOW, "roofline_analysis.api.entry", "tree_sitter_cuda"),
        ),
        ("roofline_lsp.server.advice.main", SLOW),
        ("roofline_lsp.cli.prompt", SLOW),
    ],
)
def test_what_a_module_loads(module: str, absent: tuple[str, ...]) -> None:
    code = f"import sys, {module}; print(*sorted(set({absent!r}) & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []
