"""What all tests share: which are fast, how examples are tried, and that nothing personal is read.

A test is marked ``fast`` unless ``NOT_FAST`` names it, its file or its folder, so that
``./run-tests -m fast`` ends in less than a minute. That a fast test starts no process is checked
whenever it runs.

Property tests try new examples in every run. One that fails prints a ``@reproduce_failure`` line
that tries its example again wherever it is put above the test, and is kept in ``.hypothesis``, so
that the next run begins with it.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import pytest
from hypothesis import HealthCheck, settings

NOT_FAST: Final = (
    # Start programs: the server and its workers, profilers, compilers, build tools.
    "analysis/api/test_determinism.py",
    "batch/test_answers.py::test_the_same_request_is_answered_at_once",
    "batch/test_cluster.py",
    "batch/test_jobs.py",
    "batch/test_store.py::test_several_processes_share_a_store",
    "batch/test_store.py::test_a_process_that_is_killed_leaves_a_store",
    "batch/test_store.py::test_a_full_disk_ends_writing_alone",
    "benchmarks/test_ablation_command.py",
    "benchmarks/test_emulation_truth_runs.py",
    "cli/test_completion.py",
    "cli/test_corpus.py::test_processes_change_nothing",
    "cli/test_fixing.py::test_git_applies_the_difference",
    "cli/test_git.py",
    "cli/test_interrupts.py",
    "cli/test_revision_files.py",
    "docs/test_session.py",
    "cli/test_gpu_measuring.py",
    "cli/test_main.py",
    "docs/test_pages.py",
    "hardware_db/test_driver_tools.py",
    "hardware_db/test_index.py::test_look_up_by_slug_opens_two_data_files",
    "parsers/preprocess/test_gcc_agreement.py",
    "profiling/differential/test_comparing.py",
    "profiling/differential/test_differential_run.py",
    "profiling/differential/test_programs.py::test_the_command_lines_of_a_build_are_recorded",
    "profiling/emulate",
    "profiling/emulate/test_compiler_wrapper.py::test_a_wrapper_becomes_the_real_compiler",
    "profiling/emulate/test_emulation.py",
    "profiling/emulate/test_records.py::test_names_are_as_profilers_print_them",
    "profiling/emulate/test_running.py",
    "profiling/test_collect.py",
    "profiling/test_hostile.py::test_any_bytes",
    "profiling/test_ncu_rep.py",
    "profiling/test_profile.py",
    "server/test_dialect_sessions.py",
    "server/test_excluded.py",
    "server/test_findings.py",
    "server/test_hover_places.py",
    "server/test_kernel_actions.py",
    "server/test_fuzz.py",
    "server/test_machine_gpus.py",
    "server/test_measurements.py",
    "server/test_own_requests.py",
    "server/test_real_session.py",
    "server/test_session.py",
    "server/test_renewal.py",
    "server/test_spare.py",
    "server/test_wire.py",
    "test_layout.py",
    "test_releases.py",
    # Share work out to processes.
    "cli/test_evaluate.py",
    "profiling/test_validate.py",
    "study/test_evaluate.py",
    "study/papers/test_commands.py",
    "study/test_judge.py",
    "study/llmperf/test_gpu_times.py",
    "study/llmperf/test_opencl.py",
    "study/llmperf/test_running.py",
    # Import libraries that look at the machine by programs.
    "formats/test_roofline_figure.py",
    "formats/test_svg_pdf.py",
    "study/llmperf/test_regression.py",
    "study/llmperf/test_showing.py",
    # Talk to an endpoint through an SDK that takes seconds to import.
    "advisor",
    "study/papers/test_interview.py",
    # Wait.
    "server/test_documents.py::test_typing_does_not_put_off_the_analysis_for_ever",
    # Compute for seconds.
    "analysis/api/test_entry.py::test_calls_nested_deeply_give_a_report",
    "analysis/api/test_reuse.py::test_any_order_of_edits_gives_what_a_fresh_analysis_gives",
    "analysis/api/test_reuse.py::test_quick_reports_leave_nothing_behind",
    "analysis/api/test_what_if.py::test_examples_are_judged_elsewhere_as_by_analyses_for_there",
    "broken",
    "parsers/cuda/test_fuzz.py::test_deep_nesting",
    "robustness",
    "parsers/preprocess/test_robustness.py::test_hostile",
    "parsers/preprocess/test_robustness.py::test_spoiled_code",
    "formats/test_json.py::test_the_schema_names_every_key_and_no_other",
)
"""What ``-m fast`` leaves out: folders, files and tests, by their paths in this folder."""

# Neither deadlines nor the health check of slow examples: how long an example takes tells how busy
# the machine is. All that is set here is set in CI too, where hypothesis has a profile of its own
# that would try the same examples each time.
settings.register_profile(
    "fresh",
    derandomize=False,
    print_blob=True,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("fresh")


_STARTS: Final = frozenset({"os.fork", "os.forkpty", "os.posix_spawn", "subprocess.Popen"})
_started: list[str] = []


def _note_starts(event: str, _: tuple[object, ...]) -> None:
    if event in _STARTS:
        _started.append(event)


sys.addaudithook(_note_starts)


def _is_named(path: Path, test: str = "") -> bool:
    """Whether ``NOT_FAST`` names a file or folder, one that it lies in, or a test of the file."""
    inside = path.relative_to(Path(__file__).parent)
    names = {f"{inside.as_posix()}::{test}", inside.as_posix()}
    names.update(folder.as_posix() for folder in inside.parents)
    return not names.isdisjoint(NOT_FAST)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Do not even import what ``-m fast`` leaves out."""
    if config.getoption("markexpr") == "fast" and _is_named(collection_path):
        return True
    return None


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: Sequence[pytest.Item]) -> None:
    """Mark the fast tests before ``-m`` chooses."""
    for item in items:
        if not _is_named(item.path, item.name.partition("[")[0]):
            item.add_marker(pytest.mark.fast)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """Fail a fast test that starts a process, itself or by a fixture."""
    yield
    if _started and item.get_closest_marker("fast"):
        pytest.fail(
            f"a fast test started a process ({', '.join(_started)}); name it in NOT_FAST in"
            " tests/conftest.py",
            pytrace=False,
        )


def pytest_runtest_logstart() -> None:
    """Forget what was started while tests were collected, or by the test before."""
    _started.clear()


@pytest.fixture(scope="session", autouse=True)
def no_personal_settings(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """An empty folder in the place of a person's own settings and caches."""
    folder = str(tmp_path_factory.mktemp("nobody"))
    names = "XDG_CONFIG_HOME XDG_CACHE_HOME XDG_STATE_HOME APPDATA LOCALAPPDATA".split()
    before = {name: os.environ.get(name) for name in names}
    os.environ.update(dict.fromkeys(names, folder))
    yield
    for name, value in before.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value
