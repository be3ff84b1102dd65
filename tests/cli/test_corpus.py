"""Records written as programs are finished: those of ``--format ndjson``, each once, taken over."""

from __future__ import annotations

import json
import os
import sys
import tarfile
import zipfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from roofline_analysis.api.tasks import task_reports
from roofline_lsp.batch import workers
from roofline_lsp.batch.run import reports_as_made
from roofline_lsp.cli import corpus

KERNEL = """\
// roofline: expect BB on A100; budget dram_bytes <= 8
__global__ void {name}(int n, float *x) {{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = x[i] + 1.0f;
}}
int main() {{
    float *x;
    cudaMalloc(&x, 4 << 20);
    {name}<<<4096, 256>>>(1 << 20, x);
}}
"""
SHARED = "__global__ void shared(float *x) { x[threadIdx.x] = 2.0f; }\n"


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two programs that include the same file with a kernel, one alone, and a file that is none."""
    folder = tmp_path / "tree"
    texts = {
        "one/a.cu": '#include "../shared.kernels"\n' + KERNEL.format(name="a"),
        "two/b.cu": '#include "../shared.kernels"\n' + KERNEL.format(name="b"),
        "c.cu": "// caf\xe9\n" + KERNEL.format(name="c"),
        "shared.kernels": SHARED,
        "plain.cpp": "int main() { return 0; }\n",
        "zero.cu": "\0",
    }
    for name, text in texts.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode("latin-1"))
    (folder / ".git").mkdir()
    monkeypatch.chdir(tmp_path)
    return folder


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def records(path: Path) -> list[str]:
    """The records of an output but those of programs, in an order of their own."""
    found = []
    for line in lines(path):
        if "run" in line:
            for key in ("contracts", "fails"):
                line["run"][key].sort(key=json.dumps)
        if "program" not in line:
            found.append(json.dumps(line, sort_keys=True))
    return sorted(found)


def whole(run: Callable[..., Any], tmp_path: Path, *paths: object) -> list[str]:
    """The records of one report of the whole."""
    path = tmp_path / "whole.ndjson"
    run("--check", *paths, "--format", "ndjson", "--output", path, "--no-cache")
    return records(path)


def analysed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of files whose programs are analysed from now on."""
    found: list[str] = []

    def noting(task: Any, *rest: Any) -> Any:
        found.extend(path.name for path in task.members)
        return task_reports(task, *rest)

    monkeypatch.setattr(workers, "task_reports", noting)
    return found


def test_records_are_those_of_the_whole_report(
    run: Callable[..., Any], tree: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out.ndjson"
    ran = run("--check", tree, "--output", out, "--no-cache")
    assert records(out) == whole(run, tmp_path, tree)
    assert ran.code == 1
    assert ran.out == ""
    told = "3 programs, 5 files, 1 of them not read in full, 4 kernels"
    assert f"roofline-lsp: {told}: {out}\n" in ran.err
    assert ran.err.count("contract budget: budget dram_bytes <= 8: it is 8388608") == 3
    paths = Counter(line["file"]["path"] for line in lines(out) if "file" in line)
    names = ("one/a.cu", "two/b.cu", "c.cu", "shared.kernels", "zero.cu")
    assert paths == {str(tree / name): 1 for name in names}
    assert list(lines(out)[-1]) == ["run"]


def test_processes_change_nothing(run: Callable[..., Any], tree: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.ndjson"
    run("--check", tree, "--output", out, "--no-cache", "--jobs", "2")
    assert records(out) == whole(run, tmp_path, tree)


def test_nothing_is_overwritten(run: Callable[..., Any], tree: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.ndjson"
    out.write_text("mine")
    ran = run("--check", tree, "--output", out)
    assert ran.code == 2
    assert f"{out}: is there already; --resume continues it" in ran.err
    assert out.read_text() == "mine"


@pytest.mark.parametrize("suffix", ["ndjson", "parquet"])
def test_what_is_there_is_taken_over(
    run: Callable[..., Any],
    tree: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    suffix: str,
) -> None:
    pytest.importorskip("pyarrow", reason="the extra `distributed` is not installed")
    out = tmp_path / f"out.{suffix}"
    asked = ("--check", tree, "--output", out, "--no-cache")
    first = run(*asked)
    before = as_lines(out)
    done = analysed(monkeypatch)
    ran = run(*asked, "--resume")
    assert done == []
    assert as_lines(out) == before
    assert (ran.code, ran.out) == (first.code, first.out)
    assert "3 programs, 3 of them taken over, 5 files" in ran.err
    run(*asked, "--resume", "--gpu", "H100")
    assert sorted(done) == ["a.cu", "b.cu", "c.cu"]
    done.clear()
    run(*asked, "--resume", "--gpu", "H100", "--fail-on", "cb")
    assert sorted(done) == ["a.cu", "b.cu", "c.cu"]
    done.clear()
    (tree / "shared.kernels").write_text(SHARED.replace("2.0f", "3.0f * x[0]"))
    run(*asked, "--resume", "--gpu", "H100", "--fail-on", "cb")
    assert sorted(done) == ["a.cu", "b.cu"]
    done.clear()
    monkeypatch.setattr("roofline_lsp.batch.identity.code_digest", lambda: "another version")
    run(*asked, "--resume", "--gpu", "H100", "--fail-on", "cb")
    assert sorted(done) == ["a.cu", "b.cu", "c.cu"]
    assert [path.name for path in tmp_path.glob("out*")] == [out.name]


def as_lines(path: Path) -> list[str]:
    """The lines of an output, in whichever form it is."""
    if path.is_file():
        return sorted(path.read_text(encoding="utf-8").splitlines())
    from pyarrow import parquet

    return sorted(parquet.read_table(path, columns=["record"]).to_pydict()["record"])


def test_parquet_has_the_same_records_and_columns(
    run: Callable[..., Any], tree: Path, tmp_path: Path
) -> None:
    pytest.importorskip("pyarrow", reason="the extra `distributed` is not installed")
    from pyarrow import parquet

    for suffix in ("ndjson", "parquet"):
        run("--check", tree, "--output", tmp_path / f"out.{suffix}", "--no-cache")
    assert as_lines(tmp_path / "out.parquet") == as_lines(tmp_path / "out.ndjson")
    table = parquet.read_table(tmp_path / "out.parquet").to_pylist()
    (row,) = [row for row in table if row["path"] == str(tree / "c.cu")]
    (kernel,) = row["kernels"]
    record = json.loads(row["record"])["file"]["kernels"][0]
    assert kernel["name"] == record["name"]
    assert kernel["line"] == 3
    assert kernel["class"] == record["prediction"]["class"]
    assert kernel["dram_bytes"] == record["prediction"]["dram_bytes"]


def test_a_run_that_is_ended_goes_on(
    run: Callable[..., Any], tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ended twice, each time after one more program and amid its lines."""
    out = tmp_path / "out.ndjson"
    asked = ("--check", tree, "--output", out, "--no-cache")

    def ended(*given: Any, **more: Any) -> Any:
        yield next(reports_as_made(*given, **more))
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(corpus, "reports_as_made", ended)
        assert run(*asked).code == 130
        out.write_text(out.read_text(encoding="utf-8") + '{"file": {"path": "half', "utf-8")
        assert run(*asked, "--resume").code == 130
    assert sorted(each.name for each in tmp_path.glob("out*")) == [
        "out.ndjson",
        "out.ndjson.before-1",
    ]
    done = analysed(monkeypatch)
    ran = run(*asked, "--resume")
    assert len(done) == 1
    assert "3 programs, 2 of them taken over" in ran.err
    assert records(out) == whole(run, tmp_path, tree)
    assert [each.name for each in tmp_path.glob("out*")] == ["out.ndjson"]


def test_another_run_that_writes_is_not_disturbed(
    run: Callable[..., Any], tree: Path, tmp_path: Path
) -> None:
    fcntl = pytest.importorskip("fcntl", reason="no locks on this system")
    out = tmp_path / "out.ndjson"
    with (tmp_path / ".out.ndjson.lock").open("wb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        ran = run("--check", tree, "--output", out, "--resume")
    assert ran.code == 2
    assert f"{out}: another run is writing to it" in ran.err


def archived(tree: Path, kind: str) -> Path:
    """An archive of the files of a tree, beside it."""
    files = sorted(path for path in tree.rglob("*") if path.is_file())
    if kind == "zip":
        path = tree.with_suffix(".zip")
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for file in files:
                archive.write(file, file.relative_to(tree))
        return path
    path = tree.with_suffix(".tar.gz")
    with tarfile.open(path, "w:gz") as packed:
        for file in files:
            packed.add(file, file.relative_to(tree))
    return path


@pytest.mark.parametrize("kind", ["zip", "tar"])
def test_an_archive_is_checked_as_its_folder(
    run: Callable[..., Any], tree: Path, tmp_path: Path, kind: str
) -> None:
    address = f"{kind}://{archived(tree, kind)}"
    out = tmp_path / "out.ndjson"
    ran = run("--check", address, address, "--output", out, "--no-cache")
    assert ran.code == 1
    told = [each.replace(f"{tree}/", f"{address}#") for each in whole(run, tmp_path, tree)]
    assert records(out) == told
    assert sorted(path.name for path in tmp_path.iterdir() if "out" in path.name) == ["out.ndjson"]
    ran = run("--check", address, "--output", out, "--no-cache", "--resume")
    assert "3 programs, 3 of them taken over" in ran.err


def test_settings_around_an_archive_do_not_hold_for_it(
    run: Callable[..., Any], tree: Path, tmp_path: Path
) -> None:
    (tmp_path / "roofline.toml").write_text('gpu = "H100"\n')
    (tmp_path / ".git").mkdir()
    (tmp_path / "beside.cu").write_text(KERNEL.format(name="a"))
    (tree / "roofline.toml").write_text('gpu = "V100"\n')
    own = f"zip://{archived(tree, 'zip')}"
    (tree / "roofline.toml").unlink()
    without = f"tar://{archived(tree, 'tar')}"
    out = tmp_path / "out.ndjson"
    run("--check", own, without, "--output", out, "--no-cache")
    gpus = [line["run"]["gpu"]["name"] for line in lines(out) if "run" in line]
    assert len(gpus) == 2
    assert "V100" in gpus[0]
    assert "H100" not in gpus[1]
    rests_on = [line["program"]["rests_on"] for line in lines(out) if "program" in line]
    assert not any(str(tmp_path / "beside.cu") in each for each in rests_on)


def test_rows_of_a_table_are_programs(run: Callable[..., Any], tmp_path: Path) -> None:
    arrow = pytest.importorskip("pyarrow", reason="the extra `distributed` is not installed")
    from pyarrow import parquet

    rows = {
        "code": [KERNEL.format(name="k"), "int x;", None, KERNEL.format(name="k")],
        "repo": ["a/b", "a/b", "c", "c"],
        "file": ["src/k.cu", "src/x.cu", "n.cu", "k.cu"],
    }
    file = tmp_path / "rows.parquet"
    parquet.write_table(arrow.table(rows), file)
    for query, wanted in (
        ("text=code", ["row-0/source.cu", "row-3/source.cu"]),
        ("text=code&path=file", ["k.cu", "src/k.cu"]),
        ("text=code&path=file&project=repo", ["a%2Fb/src/k.cu", "c/k.cu"]),
    ):
        address = f"parquet://{file}?{query}"
        out = tmp_path / "out.ndjson"
        run("--check", address, "--output", out, "--no-cache", "--exit-zero")
        found = sorted(line["file"]["path"] for line in lines(out) if "file" in line)
        assert found == [f"{address}#{name}" for name in wanted]
        out.unlink()


def test_files_of_any_protocol(run: Callable[..., Any], tree: Path, tmp_path: Path) -> None:
    fsspec = pytest.importorskip("fsspec", reason="the extra `distributed` is not installed")
    memory = fsspec.filesystem("memory")
    memory.pipe("/corpus/c.cu", KERNEL.format(name="c").encode())
    memory.pipe("/packed.zip", archived(tree, "zip").read_bytes())
    out = tmp_path / "out.ndjson"
    asked = ("memory://corpus", "zip://one::memory://packed.zip", f"file://{tree}/two")
    ran = run("--check", *asked, "--output", out, "--no-cache", "--exit-zero")
    assert ran.code == 0
    found = sorted(line["file"]["path"] for line in lines(out) if "file" in line)
    assert found == [
        f"{tree}/shared.kernels",
        f"{tree}/two/b.cu",
        "memory://corpus#c.cu",
        "zip://one::memory://packed.zip#one/a.cu",
    ]


def test_the_same_request_with_an_answer_kept_streams(
    run: Callable[..., Any], tree: Path, tmp_path: Path
) -> None:
    """Kept reports give the same records, and can be taken over likewise."""
    kept = ("--cache-dir", tmp_path / "kept")
    for number in range(2):
        run("--check", tree, "--output", tmp_path / f"out{number}.ndjson", *kept)
    first, second = as_lines(tmp_path / "out0.ndjson"), as_lines(tmp_path / "out1.ndjson")
    assert first == second


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("zip://a.zip",), "zip://a.zip: archives and addresses give records: add --output"),
        (("a.cu", "--resume"), "--resume continues an output of records: add --output"),
        (
            ("a.cu", "--output", "a.parquet", "--format", "json"),
            "a.parquet: Parquet holds records: leave out --format",
        ),
        (
            ("a.cu", "--output", "a.ndjson", "--baseline", "b.json"),
            "--baseline needs the whole report",
        ),
        (("-", "--stdin-filename", "a.cu", "--scheduler", "tcp://x:1"), "is for files"),
        (("zip://no.zip", "--output", "a.ndjson"), "zip://no.zip: cannot be opened: No such file"),
        (("zip://a.zip", "--output", "no/a.ndjson"), "no/a.ndjson: cannot be written"),
        (("parquet://a.parquet", "--output", "a.ndjson"), "which column has the sources?"),
        (("s9://a", "--output", "a.ndjson"), "s9://a: cannot be opened: Protocol not known"),
    ],
)
def test_wrong_usage_is_told(
    run: Callable[..., Any], project: Path, options: tuple[str, ...], told: str
) -> None:
    if "s9" in told:
        pytest.importorskip("fsspec", reason="the extra `distributed` is not installed")
    ran = run("--check", *options)
    assert ran.code == 2
    assert told in ran.err


def test_a_damaged_archive_is_told(run: Callable[..., Any], project: Path) -> None:
    Path("a.zip").write_bytes(b"PK\3\4 no archive")
    Path("a.tar").write_bytes(os.urandom(2000))
    for kind in ("zip", "tar"):
        ran = run("--check", f"{kind}://a.{kind}", "--output", "a.ndjson")
        assert ran.code == 2
        assert f"{kind}://a.{kind}: cannot be read: " in ran.err
        Path("a.ndjson").unlink()


def test_a_settings_file_names_no_input(run: Callable[..., Any], project: Path) -> None:
    for text in ('check = ["zip://a.zip"]', 'scheduler = "tcp://h:1"', 'output = "a.ndjson"'):
        Path("roofline.toml").write_text(f"{text}\n")
        ran = run("--check", "src")
        assert ran.code == 2
        assert "there is no setting" in ran.err


@pytest.mark.parametrize(
    ("package", "options"),
    [
        ("distributed", ("src", "--no-cache", "--scheduler", "tcp://127.0.0.1:1")),
        ("pyarrow", ("src", "--output", "a.parquet")),
        ("pyarrow", ("parquet://a.zip?text=a", "--output", "a.ndjson")),
        ("fsspec", ("s3://a", "--output", "a.ndjson")),
    ],
)
def test_a_package_that_is_missing_is_named(
    run: Callable[..., Any],
    project: Path,
    monkeypatch: pytest.MonkeyPatch,
    package: str,
    options: tuple[str, ...],
) -> None:
    Path("a.zip").write_bytes(b"PK")
    monkeypatch.setitem(sys.modules, package, None)
    ran = run("--check", *options)
    assert ran.code == 2
    assert "pip install 'roofline-lsp[distributed]'" in ran.err
