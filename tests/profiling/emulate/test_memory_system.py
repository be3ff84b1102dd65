"""The simulated memory system against figures computed by hand and against a plain model of it."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.profiling.emulate.memory_library import BUILDS, COMPILER, Library, System, build
from tests.profiling.emulate.memory_oracle import (
    EVERY,
    LANES,
    Machine,
    Operation,
    Oracle,
    Request,
    Traffic,
    coalesced,
    shared_passes,
)

pytestmark = pytest.mark.skipif(COMPILER is None, reason="the memory system is built with g++")

BASE = 0x7F12_3400_0000
"""A host address, as device memory has."""


@pytest.fixture(scope="session", params=sorted(BUILDS))
def library(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Library:
    """The memory system, built for this processor and for lesser ones."""
    return build(request.param, tmp_path_factory.mktemp("memory") / f"memory_{request.param}.so")


def warp(*, step: int, width: int = 4, start: int = BASE, lanes: int = EVERY) -> Request:
    """Lanes at a constant distance from each other."""
    active = [lane for lane in range(LANES) if lanes >> lane & 1]
    return Request({lane: start + lane * step for lane in active}, width)


def as_operation(request: Request, operation: Operation, bypass: bool = False) -> Request:
    return Request(request.addresses, request.width, operation, bypass)


# ---- Sectors and lines


@pytest.mark.parametrize(
    ("request_made", "sectors", "lines"),
    [
        (warp(step=4), 4, 1),
        (warp(step=4, start=BASE + 4), 5, 2),
        (warp(step=8, width=8), 8, 2),
        (warp(step=16, width=16), 16, 4),
        (warp(step=1, width=1), 1, 1),
        (warp(step=0), 1, 1),
        (warp(step=8), 8, 2),
        (warp(step=32), 32, 8),
        (warp(step=128), 32, 32),
        (warp(step=4096), 32, 32),
        (warp(step=-4, start=BASE + 124), 4, 1),
        (warp(step=4, lanes=0xFF), 1, 1),
        (warp(step=4, lanes=0x0101_0101), 4, 1),
        (warp(step=4, lanes=0), 0, 0),
        (warp(step=16, width=16, start=BASE + 8), 17, 5),
        (warp(step=64, width=8, start=BASE + 28), 64, 16),
        (warp(step=128, width=16, start=BASE + 120), 64, 33),
        (warp(step=1 << 37), 32, 32),
        (Request({lane: BASE + lane % 8 * 4096 + lane // 8 * 4 for lane in range(32)}, 4), 8, 8),
        (Request({0: BASE, 1: BASE + (1 << 37), 2: BASE, 3: BASE + 32}, 4), 3, 2),
    ],
)
def test_sectors_by_hand(library: Library, request_made: Request, sectors: int, lines: int) -> None:
    assert library.coalesce(request_made) == (sectors, lines)


WIDTHS = st.sampled_from([1, 2, 4, 8, 16])


@st.composite
def lane_sets(draw: st.DrawFn) -> list[int]:
    """Active lanes: all, the first or the last ones, or any."""
    kind = draw(st.sampled_from(["all", "first", "last", "any"]))
    if kind == "any":
        return sorted(draw(st.sets(st.integers(0, 31))))
    count = 32 if kind == "all" else draw(st.integers(0, 31))
    return list(range(32 - count, 32)) if kind == "last" else list(range(count))


@st.composite
def positions(draw: st.DrawFn, lanes: list[int], width: int, size: int) -> dict[int, int]:
    """A place of each lane in so many bytes: in steps, in tiles, or anywhere."""
    grain = draw(st.sampled_from([width, width, width, 1]))
    kind = draw(st.sampled_from(["step", "tile", "any"]))
    if kind == "any":
        units = st.integers(0, size // grain - 1)
        return {lane: draw(units) * grain for lane in lanes}
    start = draw(st.integers(0, size // grain - 1)) * grain
    steps = st.sampled_from([0, width, -width, 2 * width, 32, 64, 128, 4096, 12, 100])
    step, jump = draw(steps), draw(steps) if kind == "tile" else 0
    columns = draw(st.sampled_from([2, 4, 8, 16])) if kind == "tile" else 32
    return {lane: (start + lane % columns * step + lane // columns * jump) % size for lane in lanes}


@st.composite
def requests(draw: st.DrawFn, size: int) -> Request:
    """Any access to so many bytes of memory."""
    width = draw(WIDTHS)
    places = draw(positions(draw(lane_sets()), width, size))
    operation = draw(st.sampled_from([Operation.LOAD, Operation.LOAD, Operation.STORE, *Operation]))
    return Request(
        {lane: BASE + at for lane, at in places.items()}, width, operation, draw(st.booleans())
    )


many = settings(
    max_examples=400, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
)


@many
@given(made=st.one_of(requests(2048), requests(1 << 20), requests(1 << 42)))
def test_sectors_of_any_request(library: Library, made: Request) -> None:
    assert library.coalesce(made) == coalesced(made)


# ---- Shared memory


def shared(step: int, lanes: int = EVERY) -> dict[int, int]:
    return {lane: lane * step for lane in range(LANES) if lanes >> lane & 1}


@pytest.mark.parametrize(
    ("offsets", "width", "atomic", "passes"),
    [
        (shared(4), 4, False, 1),
        (shared(0), 4, False, 1),
        (shared(8), 4, False, 2),
        (shared(12), 4, False, 1),
        (shared(128), 4, False, 32),
        (shared(132), 4, False, 1),
        (shared(1), 1, False, 1),
        (shared(4, lanes=0), 4, False, 0),
        (shared(128, lanes=0xFF), 4, False, 8),
        ({0: 0, 1: 128, 2: 0, 3: 128}, 4, False, 2),
        # 8 bytes: half warps.
        (shared(8), 8, False, 2),
        (shared(8, lanes=0xFFFF), 8, False, 1),
        (shared(8, lanes=0xFFFF0000), 8, False, 1),
        (shared(16), 8, False, 4),
        (shared(128), 8, False, 32),
        (shared(0), 8, False, 1),
        ({lane: lane // 2 * 8 for lane in range(32)}, 8, False, 1),
        # 16 bytes: quarter warps, half warps where pairs are equal.
        (shared(16), 16, False, 4),
        (shared(128), 16, False, 32),
        (shared(0), 16, False, 2),
        (shared(16, lanes=0xFF), 16, False, 1),
        ({lane: lane // 2 * 16 for lane in range(32)}, 16, False, 2),
        ({lane: (lane // 4 * 2 + lane % 2) * 16 for lane in range(32)}, 16, False, 2),
        ({lane: lane // 4 * 16 for lane in range(32)}, 16, False, 2),
        # Atomics.
        (shared(4), 4, True, 1),
        (shared(0), 4, True, 32),
        (shared(0, lanes=0x111), 4, True, 3),
        ({lane: lane // 2 * 4 for lane in range(32)}, 4, True, 2),
        (shared(0), 8, True, 32),
        (shared(8), 8, True, 2),
        # Misaligned.
        (shared(8) | {0: 4, 1: 12}, 8, False, 2),
        ({0: 2, 1: 130}, 4, False, 2),
    ],
)
def test_passes_by_hand(
    library: Library, offsets: dict[int, int], width: int, atomic: bool, passes: int
) -> None:
    assert library.shared_passes(offsets, width, atomic) == passes
    assert shared_passes(offsets, width, atomic) == passes


@many
@given(data=st.data(), width=WIDTHS, atomic=st.booleans())
def test_passes_of_any_access(
    library: Library, data: st.DataObject, width: int, atomic: bool
) -> None:
    size = data.draw(st.sampled_from([256, 4096, 100 << 10]))
    offsets = data.draw(positions(data.draw(lane_sets()), width, size))
    if data.draw(st.booleans()):  # equal pairs
        distance = data.draw(st.sampled_from([1, 2]))
        offsets = {lane: offsets.get(lane & ~distance, at) for lane, at in offsets.items()}
    assert library.shared_passes(offsets, width, atomic) == shared_passes(offsets, width, atomic)


# ---- Caches

SMALL = Machine(multiprocessors=2, l1_bytes=1024, l2_bytes=2048)
"""Eight lines of L1, and one set of 16 lines of L2: no hash decides anything."""


def run(library: Library, machine: Machine, *accesses: tuple[int, Request]) -> Traffic:
    system = System(library, machine)
    for sm, made in accesses:
        system.access(sm, made)
    return system.end_launch()


def line(index: int, operation: Operation = Operation.LOAD, bypass: bool = False) -> Request:
    return as_operation(warp(step=4, start=BASE + index * 128), operation, bypass)


def word(at: int, operation: Operation = Operation.LOAD) -> Request:
    return Request({0: BASE + at}, 4, operation)


LOAD, STORE, REDUCTION, ATOMIC = Operation


def test_a_load_goes_through_both_caches_once(library: Library) -> None:
    counted = run(library, SMALL, (0, line(0)), (0, line(0)), (1, line(0)))
    assert counted == Traffic(
        l1_sectors=12, l1_hits=4, l2_sectors=8, l2_hits=4, dram_read_bytes=128
    )


def test_a_sector_does_not_bring_its_line(library: Library) -> None:
    counted = run(library, SMALL, (0, word(0)), (0, word(32)), (0, word(60)))
    assert counted == Traffic(l1_sectors=3, l1_hits=1, l2_sectors=2, dram_read_bytes=64)


@pytest.mark.parametrize(("fetch", "read", "hits"), [(32, 96, 0), (64, 128, 1), (128, 128, 2)])
def test_dram_gives_more_than_was_asked(library: Library, fetch: int, read: int, hits: int) -> None:
    machine = Machine(2, 1024, 2048, dram_fetch_bytes=fetch)
    counted = run(library, machine, (0, word(0)), (0, word(32)), (0, word(96)))
    assert (counted.dram_read_bytes, counted.l2_hits) == (read, hits)


def test_the_least_recently_used_line_is_given_up(library: Library) -> None:
    first = [(0, line(i)) for i in range(8)]
    again = [(0, line(0)), (0, line(8)), (0, line(0)), (0, line(1))]  # line 8 takes line 1's place
    counted = run(library, SMALL, *first, *again)
    assert counted.l1_hits == 8
    assert counted.l2_hits == 4  # line 1
    assert counted.dram_read_bytes == 9 * 128


def test_bypassing_loads_do_not_ask_l1(library: Library) -> None:
    counted = run(library, SMALL, (0, line(0)), (0, line(0, bypass=True)))
    assert counted == Traffic(l1_sectors=4, l2_sectors=8, l2_hits=4, dram_read_bytes=128)


def test_no_l1_at_all(library: Library) -> None:
    counted = run(library, Machine(2, 0, 2048), (0, line(0)), (0, line(0)))
    assert counted == Traffic(l1_sectors=8, l2_sectors=8, l2_hits=4, dram_read_bytes=128)


def test_whole_sectors_are_written_without_being_read(library: Library) -> None:
    counted = run(library, SMALL, (0, line(0, STORE)), (0, line(0)))
    assert counted == Traffic(l1_sectors=4, l2_sectors=8, l2_hits=8, dirty_bytes=128)


def test_a_sector_written_in_parts_becomes_whole(library: Library) -> None:
    parts = [(0, word(at, STORE)) for at in range(0, 32, 4)]
    counted = run(library, SMALL, *parts, (0, word(0)))
    assert counted == Traffic(l1_sectors=1, l2_sectors=9, l2_hits=9, dirty_bytes=32)


def test_a_load_reads_a_sector_that_was_written_in_part(library: Library) -> None:
    counted = run(library, SMALL, (0, word(0, STORE)), (0, word(0)), (0, word(4)))
    assert counted == Traffic(
        l1_sectors=2, l1_hits=1, l2_sectors=2, l2_hits=1, dram_read_bytes=32, dirty_bytes=32
    )


@pytest.mark.parametrize(("fill", "read"), [(False, 0), (True, 16 * 32)])
def test_what_l2_gives_up_is_written_back(library: Library, fill: bool, read: int) -> None:
    machine = Machine(1, 1024, 2048, fill_on_eviction=fill)
    parts = [(0, word(i * 128, STORE)) for i in range(16)]
    counted = run(library, machine, *parts, *[(0, line(16 + i, STORE)) for i in range(16)])
    assert counted.dram_write_bytes == 16 * 32
    assert counted.dram_read_bytes == read
    assert counted.dirty_bytes == 16 * 128


def test_a_given_up_line_leaves_no_written_bytes_behind(library: Library) -> None:
    half = [(0, word(at, STORE)) for at in range(0, 16, 4)]
    others = [(0, line(1 + i)) for i in range(16)]
    rest = [(0, word(at, STORE)) for at in range(16, 32, 4)]
    counted = run(library, SMALL, *half, *others, *rest, (0, word(0)))
    assert counted.dram_read_bytes == 16 * 128 + 32


@pytest.mark.parametrize("operation", [REDUCTION, ATOMIC])
def test_atomics_are_done_in_l2(library: Library, operation: Operation) -> None:
    counted = run(library, SMALL, (0, line(0)), (0, word(0, operation)), (0, line(0)))
    assert counted == Traffic(
        l1_sectors=8, l1_hits=3, l2_sectors=6, l2_hits=2, dram_read_bytes=128, dirty_bytes=32
    )


def test_an_atomic_reads_what_is_absent(library: Library) -> None:
    counted = run(library, SMALL, (0, word(0, ATOMIC)))
    assert counted == Traffic(l2_sectors=1, dram_read_bytes=32, dirty_bytes=32)


def test_launches_begin_cold(library: Library) -> None:
    system = System(library, SMALL)
    for l1_bytes in (1024, 512, 100 << 10, 1024):
        system.begin_launch(l1_bytes)
        system.access(0, line(0))
        system.access(0, line(1, STORE))
        assert system.end_launch() == Traffic(
            l1_sectors=4, l2_sectors=8, l2_hits=4, dram_read_bytes=128, dirty_bytes=128
        )


@pytest.mark.parametrize(("l1_bytes", "kept"), [(96 << 10, True), (64 << 10, False)])
def test_an_array_that_just_fits_stays(library: Library, l1_bytes: int, kept: bool) -> None:
    """The index hash spreads neighbouring lines evenly: 90 of 96 KiB are kept without a loss."""
    lines = (90 << 10) // 128
    system = System(library, Machine(1, l1_bytes, 4 << 20))
    for _ in range(2):
        for i in range(lines):
            system.access(0, line(i))
    counted = system.end_launch()
    assert counted.l1_sectors == 8 * lines
    assert counted.l1_hits == (4 * lines if kept else 0)


@pytest.mark.parametrize(
    "machine",
    [
        Machine(0, 1024, 2048),
        Machine(1, 1024, 0),
        Machine(1, 1024, 1024),
        Machine(1, 1024, 4096, l2_ways=0),
        Machine(1, 1024, 4096, l2_ways=17),
        Machine(1, 1024, 4096, dram_fetch_bytes=48),
    ],
)
def test_machines_that_cannot_be(library: Library, machine: Machine) -> None:
    with pytest.raises(ValueError, match="refused"):
        System(library, machine)


def test_a_multiprocessor_that_is_not_there(library: Library) -> None:
    with pytest.raises(IndexError):
        System(library, SMALL).access(2, line(0))


MACHINES = st.builds(
    Machine,
    multiprocessors=st.just(3),
    l1_bytes=st.sampled_from([0, 128, 1024, 9 << 10, 20 << 10]),
    l2_bytes=st.sampled_from([2048, 6 << 10, 48 << 10]),
    l2_ways=st.sampled_from([1, 3, 8, 16]),
    dram_fetch_bytes=st.sampled_from([32, 64, 128]),
    fill_on_eviction=st.booleans(),
)


@settings(many, max_examples=150)
@given(
    machine=MACHINES,
    size=st.sampled_from([2048, 8 << 10, 64 << 10]),
    l1_bytes=st.sampled_from([None, 256, 12 << 10]),
    data=st.data(),
)
def test_any_run_of_requests(
    library: Library, machine: Machine, size: int, l1_bytes: int | None, data: st.DataObject
) -> None:
    system, oracle = System(library, machine), Oracle(machine)
    made = st.tuples(st.integers(0, 2), requests(size))
    for launch in (machine.l1_bytes, l1_bytes):
        if launch is None:
            break
        system.begin_launch(launch)
        oracle.begin_launch(launch)
        for sm, request in data.draw(st.lists(made, max_size=60)):
            system.access(sm, request)
            oracle.access(sm, request)
        assert system.end_launch() == oracle.end_launch()
