"""Every heuristic that the ablation switches off: that it is there, and is off when it says so."""

from __future__ import annotations

import importlib
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from roofline_analysis.api import ProgramAnalysis
from roofline_core.settings import Settings

table: Any = importlib.import_module("ablations.table")
replacing: Any = importlib.import_module("ablations.replacing")

CASES = Path(__file__).parent / "switch_cases.txt"
SWITCHES = {switch.name: switch for switch in table.SWITCHES}
NO_FIGURE = "launch_words.suspects"
"""It saves the reading of functions that do not matter, and so changes no figure."""


@cache
def cases() -> dict[str, tuple[str, str]]:
    """By switch, the name and the source of the program that tests it."""
    found: dict[str, tuple[str, str]] = {}
    for part in CASES.read_text(encoding="utf-8").split("\n//// ")[1:]:
        head, _, source = part.partition("\n")
        name, _, switches = head.partition(": ")
        found |= dict.fromkeys(switches.split(", "), (name, source))
    return found


def figures(source: str, folder: Path) -> list[tuple[object, ...]]:
    """All that is predicted for the kernels of a program.

    A program without a host's part is launched by a few blocks.
    """
    path = folder / ("k.cpp" if "#pragma omp" in source else "k.cu")
    path.write_text(source, encoding="utf-8")
    program = ProgramAnalysis.load([path], Settings(gpu="RTX 3080"))
    alone = "main" not in source
    grid, block = ((5, 1, 1), (256, 1, 1)) if alone else (None, None)
    found: list[tuple[object, ...]] = [(len(program.host.launches),)]
    for kernel in program.kernels():
        made = program.predict(kernel.base_name, grid=grid, block=block)
        assert made is not None
        found.append((made.sp_flops, made.dp_flops, made.int_ops, made.dram_bytes, made.time_ns))
    return found


def named(switch: Any) -> list[str]:
    """Every dotted name that a switch has."""
    witness = [switch.witness.target] if switch.witness is not None else []
    return [*(each.target for each in switch.replacements), *witness, *switch.removes]


def test_names_are_unique() -> None:
    assert len(SWITCHES) == len(table.SWITCHES)


@pytest.mark.parametrize(
    "target", sorted({name for switch in SWITCHES.values() for name in named(switch)})
)
def test_what_a_switch_names_exists(target: str) -> None:
    assert table.lines_named(target) >= 1


@pytest.mark.parametrize("each", table.UNSWITCHED, ids=lambda each: str(each.name))
def test_what_cannot_be_switched_exists(each: Any) -> None:
    assert table.lines_named(each.module) > 10
    assert each.why


@pytest.mark.parametrize("name", SWITCHES)
def test_a_switch_is_asked_and_changes_what_is_predicted(name: str, tmp_path: Path) -> None:
    switch = SWITCHES[name]
    _, source = cases()[name]
    before = figures(source, tmp_path)
    with replacing.counted([switch]) as asked:
        assert figures(source, tmp_path) == before
    with replacing.switched_off([switch]) as calls:
        after = figures(source, tmp_path)
    assert asked[name].telling > 0
    assert calls[name].made > 0
    assert (after == before) == (name == NO_FIGURE)
    assert figures(source, tmp_path) == before


def bindings() -> dict[tuple[str, str], int]:
    """The identity of every function in every module of the project."""
    return {
        (module.__name__, name): id(value)
        for module in list(sys.modules.values())
        if getattr(module, "__name__", "").startswith("roofline_")
        for name, value in vars(module).items()
        if callable(value)
    }


def test_all_is_put_back() -> None:
    before = bindings()
    with replacing.switched_off(table.SWITCHES):
        assert bindings() != before
    assert bindings() == before
    with replacing.counted(table.SWITCHES):
        pass
    assert bindings() == before


def test_a_function_is_replaced_where_it_was_imported() -> None:
    touched: Any = importlib.import_module("roofline_analysis.traffic.access_footprints")
    with replacing.switched_off([SWITCHES["gathers.all_random"]]) as calls:
        assert touched.has_locality("anything", ()) is False
    assert calls["gathers.all_random"].made == 1


@pytest.mark.parametrize(
    "target",
    ["roofline_analysis.traffic.gathers.nothing", "roofline_lsp.nowhere.at_all", "nowhere"],
)
def test_a_name_that_is_not_there_is_told(target: str) -> None:
    with pytest.raises(LookupError, match=target):
        replacing.place_of(target)


@pytest.mark.parametrize(
    ("names", "count"),
    [
        (["crossover"], 0),
        (["gathers.all_local"], 1),
        (["gathers"], 4),
        (["sampled_contents", "crossover"], 3),
    ],
)
def test_switches_are_chosen_by_name_or_module(names: list[str], count: int) -> None:
    assert len(table.chosen(names)) == count


def test_all_are_chosen_without_names() -> None:
    assert table.chosen([]) == table.SWITCHES


def test_an_unknown_name_is_told() -> None:
    with pytest.raises(LookupError, match="'gathered'"):
        table.chosen(["gathered"])


def test_lines_are_those_of_what_goes_with_it() -> None:
    own = importlib.import_module("roofline_analysis.device.functions.atomic_retries")
    assert own.__file__ is not None
    lines = Path(own.__file__).read_text(encoding="utf-8").splitlines()
    assert table.lines_of(SWITCHES["atomic_retries"]) == len(lines)
    assert table.lines_of(SWITCHES["execution.exit_share"]) == 1
