"""JSON by lines: the run, then each file by itself, for corpora that no memory holds."""

from __future__ import annotations

import json

from roofline_lsp.formats.json import check_json, file_json
from roofline_lsp.formats.style import ColourStyle
from roofline_lsp.ratchet.result import CheckResult


def render(result: CheckResult, _style: ColourStyle) -> str:
    """First ``{"run": ...}``, the JSON report without files; then ``{"file": ...}`` for each."""
    whole = check_json(result)
    run = {key: value for key, value in whole.items() if key != "files"}
    lines: list[object] = [{"run": run}]
    lines += [{"file": file_json(file)} for file in result.report.files]
    texts = (json.dumps(line, ensure_ascii=False, allow_nan=False) for line in lines)
    return "\n".join(texts) + "\n"
