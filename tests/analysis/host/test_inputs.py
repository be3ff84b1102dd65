"""Data files that stand beside the sources: what is read from them, and what is not."""

from __future__ import annotations

import os
import struct
from collections.abc import Callable
from pathlib import Path

import pytest

from roofline_analysis.host.inputs import workspace
from roofline_analysis.host.inputs.workspace import InputFiles
from roofline_analysis.host.values import LaunchContext
from roofline_analysis.project.files import read_file

Launches = Callable[..., list[LaunchContext]]

OPEN = 'FILE *f = fopen("in.txt", "r");'
STREAM = 'std::ifstream f("in.txt");'


def grid_of(launches: list[LaunchContext]) -> int | float | None:
    """The first extent of the one launch."""
    (launch,) = launches
    assert launch.grid is not None
    return launch.grid[0].constant


READS = [
    ("4096\n", OPEN + 'int x; fscanf(f, "%d", &x);', 4096),
    ("640 480", OPEN + 'int w, x; fscanf(f, "%d%d", &w, &x);', 480),
    ("640x480", OPEN + 'int w, x; fscanf(f, "%dx%d", &w, &x);', 480),
    ("rows = 77", OPEN + 'int x = 0; fscanf(f, "rows = %d", &x);', 77),
    ("rows = 77", OPEN + 'int x = 5; fscanf(f, "cols = %d", &x);', 5),
    ("1 2 3", OPEN + 'int x = fscanf(f, "%d %d %d %d", &a, &b, &c, &e);', 3),
    ("", OPEN + 'int x = fscanf(f, "%d", &a) == EOF ? 21 : 1;', 21),
    ("word", OPEN + 'int x = 7 + fscanf(f, "%d", &a);', 7),
    ("99 12", OPEN + 'int x; fscanf(f, "%*d %d", &x);', 12),
    ("12345", OPEN + 'int x; fscanf(f, "%2d%3d", &a, &x);', 345),
    ("0x20 7", OPEN + 'int x; fscanf(f, "%x", &x);', 32),
    ("010", OPEN + 'int x; fscanf(f, "%i", &x);', 8),
    ("5000000000", OPEN + 'long x; fscanf(f, "%ld", &x); x /= 1000000;', 5000),
    ("300", OPEN + 'size_t x; fscanf(f, "%zu", &x);', 300),
    ("2.5e2", OPEN + 'double v; fscanf(f, "%lf", &v); int x = v * 2;', 500),
    ("0.25", OPEN + 'float v; fscanf(f, "%f", &v); int x = 64 * v;', 16),
    ("ab 12", OPEN + 'char s[9]; int x; fscanf(f, "%s %d", s, &x); x += strlen(s);', 14),
    ("n12", OPEN + 'char c; int x; fscanf(f, "%c%d", &c, &x); if (c == 110) x++;', 13),
    ("abc12", OPEN + 'char s[9]; int x; fscanf(f, "%[a-z]%d", s, &x);', 12),
    ("12  34", OPEN + 'int p, x; fscanf(f, "%d %n", &a, &p); x = p;', 4),
    ("% 9", OPEN + 'int x; fscanf(f, "%% %d", &x);', 9),
    ("1\n2\n3\n", OPEN + 'int x = 0; while (fscanf(f, "%d", &a) == 1) x += a;', 6),
    ("1 2 3 4 5", OPEN + 'int x = 0; while (fscanf(f, "%d %d", &a, &b) == 2) x++;', 2),
    ("1\n2\n3", OPEN + 'int x = 0; while (!feof(f)) { fscanf(f, "%d", &a); x++; }', 3),
    ("1\n2\n3\n", OPEN + 'int x = 0; while (!feof(f)) { fscanf(f, "%d", &a); x++; }', 4),
    ("a\nb\n\nc", OPEN + "int x = 0, q; while ((q = fgetc(f)) != EOF) if (q == '\\n') x++;", 3),
    ("# no\n12\n", OPEN + "char s[9]; fgets(s, 9, f); fgets(s, 9, f); int x = atoi(s);", 12),
    ("a\nb\nc\n", OPEN + "char s[9]; int x = 0; while (fgets(s, 9, f)) x++;", 3),
    ("abcdefgh\n", OPEN + "char s[4]; int x = 0; while (fgets(s, 4, f) != NULL) x++;", 3),
    ("# x\n# y\n9\n", OPEN + "char s[9]; do fgets(s, 9, f); while (s[0] == '#');"
     "int x = atoi(s);", 9),
    ("7 8 9\n", OPEN + 'char s[9]; fgets(s, 9, f); int x; sscanf(s, "%d %d", &a, &x);', 8),
    ("7 8\n", OPEN + "char s[9], *p; fgets(s, 9, f); a = strtol(s, &p, 10);"
     "int x = strtol(p, 0, 10);", 8),
    ("a,b,30", OPEN + "char s[9]; fgets(s, 9, f); strtok(s, \",\"); strtok(NULL, \",\");"
     "int x = atoi(strtok(NULL, \",\"));", 30),
    ("5 6", OPEN + 'fscanf(f, "%d", &a); rewind(f); int x; fscanf(f, "%d", &x);', 5),
    ("12345678", OPEN + "fseek(f, 0, SEEK_END); int x = ftell(f);", 8),
    ("12345678", OPEN + 'fseek(f, -2, SEEK_END); int x; fscanf(f, "%d", &x);', 78),
    ("12 34", OPEN + 'int x = fgetc(f); ungetc(x, f); fscanf(f, "%d", &x);', 12),
    ("123", 'struct stat s; stat("in.txt", &s); int x = s.st_size;', 3),
    ("3 5\n", OPEN + "char *s = NULL; size_t m = 0; int x = getline(&s, &m, f) + atoi(s);", 7),
    ("8 9", STREAM + "int x; f >> a >> x;", 9),
    ("1 2 3", STREAM + "int x = 0; while (f >> a) x += a;", 6),
    ("1 2 3", STREAM + "int x = 0; while (f >> a >> b) x++;", 1),
    ("1 2\n3", STREAM + "int x = 0; while (!f.eof()) { f >> a; x++; }", 3),
    ("a\n\nb\n", STREAM + "int x = 0; std::string s; while (std::getline(f, s)) x++;", 3),
    ("12\n34\n", STREAM + "std::string s; getline(f, s); getline(f, s); int x = std::stoi(s);", 34),
    ("# no\n\n 12 34\n", STREAM + "std::string s; int x = 0; while (std::getline(f, s)) { "
     "std::size_t p = s.find_first_not_of(\" \\t\"); if (p == std::string::npos) continue; "
     "if (s[p] == '#') continue; std::istringstream t(s); t >> a >> x; break; }", 34),
    ("1,2,30", STREAM + "std::string s; while (std::getline(f, s, ',')) ; int x = 3;", 3),
    ("4 5\n6 7\n", STREAM + "std::string s; int x = 0; while (std::getline(f, s)) "
     "{ std::istringstream t(s); while (t >> a) x += a; }", 22),
    ("v 1 2\nf 3\nv 4\n", STREAM + "std::string s, w; int x = 0; while (std::getline(f, s)) "
     "{ std::stringstream t(s); t >> w; if (w == \"v\") x++; }", 2),
    ("name 31", STREAM + "std::string s; int x; f >> s >> x; x += s.size();", 35),
    ("P5 16", STREAM + "char c, e; int x; f >> c >> e >> a; x = e - '0' + a;", 15 + 6),
    ("x", STREAM + "int x = 9; f >> x; x += 3;", 3),
    ("5000000000 4", STREAM + "int x = 1; if (!(f >> a)) x = a >> 20;", 2047),
    ("-1", STREAM + "unsigned v; f >> v; int x = v >> 28;", 15),
    ("7 word", STREAM + "char s[9]; int x; f >> x >> s; x += strlen(s);", 11),
    ("5", STREAM + "int x = 1; if (f.is_open() && f.good()) f >> x;", 5),
    ("5", STREAM + "f >> a >> b; int x = f.fail() ? 4 : 8;", 4),
    ("ab\ncd", STREAM + "f.ignore(100, '\\n'); int x = f.get();", 99),
    ("abc", STREAM + "int x = f.peek() + f.get();", 194),
    ("12345", 'std::ifstream f("in.txt", std::ios::binary | std::ios::ate); int x = f.tellg();', 5),
    ("12345", STREAM + "f.seekg(0, std::ios::end); int x = f.tellg(); f.seekg(0);"
     "f >> a; x += a;", 12350),
    ("7", 'std::ifstream f; f.open("in.txt"); int x; f >> x;', 7),
]  # fmt: skip


@pytest.mark.parametrize(("content", "body", "expected"), READS)
def test_sizes_come_out_of_a_file(
    launch_with: Launches, content: str, body: str, expected: int
) -> None:
    body = f"int a = 0, b = 0, c = 0, e = 0; {body} k<<<x, 1>>>(d, 0);"
    assert grid_of(launch_with({"in.txt": content}, body)) == expected


def whys(launches: list[LaunchContext]) -> list[str]:
    """Why what the grid depends on is not known."""
    (launch,) = launches
    assert launch.grid is not None
    symbols = launch.grid[0].symbols()
    return [unknown.why for unknown in launch.unknowns.values() if unknown.symbol in symbols]


def raw(*numbers: int) -> bytes:
    return struct.pack(f"<{len(numbers)}i", *numbers)


HEADER = "struct H { char magic[4]; short kind; int width, height; double scale; };"
HEADER_BYTES = struct.pack("<4shxxiid", b"IMG1", 3, 640, 480, 0.5)
MANY = "int *h = (int *)malloc(4000 * 4); fread(h, 4, 4000, f);"


@pytest.mark.parametrize(
    ("content", "body", "expected"),
    [
        (raw(4096), OPEN + "int x; fread(&x, sizeof(int), 1, f);", 4096),
        (raw(7, 9), OPEN + "int n, x; fread(&n, 4, 1, f); fread(&x, 4, 1, f);", 9),
        (raw(7, 9), OPEN + "int h[2]; fread(h, sizeof(int), 2, f); int x = h[1] - h[0];", 2),
        (raw(7, 9), OPEN + "int h[4]; int x = fread(h, 4, 4, f);", 2),
        (raw(7, 9), OPEN + "int h[4]; while (fread(h, 4, 1, f) == 1) ; int x = h[0];", 9),
        (raw(7, 9), OPEN + "int *h = new int[2]; fread(h + 1, 4, 1, f); int x = h[1];", 7),
        (raw(7, 9), OPEN + "std::vector<int> v(2); fread(v.data(), 4, 2, f); int x = v[1];", 9),
        (raw(7, 9), STREAM + "int x; f.read((char *)&a, 4); f.read((char *)&x, sizeof(x));", 9),
        (raw(7), STREAM + "int x = 2; while (f.read((char *)&a, 4)) x += a;", 9),
        (raw(7, 1), STREAM + "f.read(reinterpret_cast<char *>(&a), 99); int x = f.gcount();", 8),
        (struct.pack("<Q", 2**33), OPEN + "size_t n; fread(&n, 8, 1, f); int x = n >> 20;", 8192),
        (struct.pack("<d", 2.5), OPEN + "double v; fread(&v, 8, 1, f); int x = v * 4;", 10),
        (HEADER_BYTES, OPEN + "H h; fread(&h, sizeof(h), 1, f); int x = h.width * h.scale;", 320),
        (HEADER_BYTES, OPEN + "H h; fread(&h, sizeof(H), 1, f); int x = h.magic[3] - '0';", 1),
        (
            HEADER_BYTES,
            OPEN + "H *h = new H[1]; fread(h, sizeof(H), 1, f); int x = h[0].height;",
            480,
        ),
        (
            HEADER_BYTES,
            STREAM + "H h; f.read((char *)&h, sizeof h); int x = h.kind + h.height;",
            483,
        ),
        (raw(3, 5), OPEN + "fseek(f, 4, SEEK_SET); int x; fread(&x, 4, 1, f);", 5),
        (raw(*range(4000)), OPEN + MANY + "int x = ftell(f) / 4;", 4000),
    ],
)
def test_binary_files(launch_with: Launches, content: bytes, body: str, expected: int) -> None:
    body = f"int a = 0; {body} k<<<x, 1>>>(d, 0);"
    assert grid_of(launch_with({"in.txt": content}, body, before=HEADER)) == expected


def test_of_long_arrays_samples_are_kept(launch_with: Launches) -> None:
    body = OPEN + MANY + "cudaMemcpy(d, h, 16000, cudaMemcpyHostToDevice); k<<<1, 1>>>(d, 0);"
    (launch,) = launch_with({"in.txt": raw(*[5] * 4000)}, "cudaMalloc(&d, 16000);" + body)
    draws = launch.draws["p"]
    assert isinstance(draws, tuple)
    assert set(draws) == {5.0}


NUMBER = OPEN + 'int x; fscanf(f, "%d", &x); k<<<x, 1>>>(d, x);'


def test_a_file_that_is_missing_is_named(launch_with: Launches) -> None:
    launches = launch_with({}, NUMBER)
    assert grid_of(launches) is None
    assert whys(launches) == ["content of file 'in.txt', which was not found"]


def test_a_path_is_not_its_content(launch_with: Launches) -> None:
    body = 'FILE *f = fopen("data/512.txt", "r"); int x; fscanf(f, "%d", &x); k<<<x, 1>>>(d, x);'
    assert grid_of(launch_with({}, body)) is None
    body = 'std::ifstream f("512"); int x; f >> x; k<<<x, 1>>>(d, x);'
    assert grid_of(launch_with({}, body)) is None
    body = "int x; std::ifstream f(argv[1]); f >> x; k<<<x, 1>>>(d, x);"
    assert grid_of(launch_with({"512": "77"}, body, "512")) == 77


@pytest.mark.parametrize(
    "body",
    [
        'std::vector<int> v(4); for (int i = 0; i < 4; i++) f >> v[i]; int x = v[2];',
        'int *v = (int *)calloc(4, 4); std::string s; getline(f, s); int x = stoi(s);',
        'std::vector<int> v(4); f.read((char *)v.data(), 16); int x = v[2];',
        'int h[4] = {1, 2, 3, 4}; f.read((char *)h, 16); int x = h[2];',
        'char s[8] = "12"; f.getline(s, 8); int x = atoi(s);',
        'char c = 3; f.get(c); int x = c;',
        'std::string s = "8"; for (int i = 0; i < 100000; i++) getline(f, s); int x = stoi(s);',
        'int x = 6; while (f >> x) ;',
        'int x = 0; std::string s; while (std::getline(f, s)) x++;',
        'int x = f.get();',
        'f.seekg(0, std::ios::end); int x = f.tellg();',
    ],
)  # fmt: skip
@pytest.mark.parametrize("kind", ["missing", "outside", "unnamed"])
def test_unknown_content_is_never_a_number(
    launch_with: Launches, tmp_path: Path, body: str, kind: str
) -> None:
    (tmp_path / "secret.txt").write_text("4 4 4 4\n")
    path = {"missing": '"in.txt"', "outside": '"../secret.txt"', "unnamed": "getenv(name)"}[kind]
    body = f"const char *name = argv[9]; std::ifstream f({path}); {body} k<<<x, 1>>>(d, 0);"
    assert grid_of(launch_with({}, body)) is None


@pytest.mark.parametrize(
    "name",
    ["../secret.txt", "{root}/secret.txt", "sub/../../secret.txt", "link", "folder/secret.txt"],
)
def test_nothing_outside_of_the_workspace_is_read(
    launch_with: Launches, tmp_path: Path, name: str
) -> None:
    (tmp_path / "secret.txt").write_text("5")
    (tmp_path / "app" / "sub").mkdir(parents=True)
    (tmp_path / "app" / "link").symlink_to(tmp_path / "secret.txt")
    (tmp_path / "app" / "folder").symlink_to(tmp_path)
    name = name.format(root=tmp_path)
    launches = launch_with({}, NUMBER.replace("in.txt", name))
    assert grid_of(launches) is None
    assert whys(launches) == [f"content of file '{name}', which lies outside the workspace"]
    assert grid_of(launch_with({}, NUMBER.replace("in.txt", name), root=tmp_path)) == 5


def test_a_link_inside_the_workspace_is_followed(launch_with: Launches, tmp_path: Path) -> None:
    (tmp_path / "app").mkdir()
    (tmp_path / "app" / "in.txt").symlink_to(tmp_path / "app" / "real.txt")
    assert grid_of(launch_with({"real.txt": "31"}, NUMBER)) == 31


def test_special_files_are_not_opened(launch_with: Launches, tmp_path: Path) -> None:
    (tmp_path / "app" / "folder").mkdir(parents=True)
    os.mkfifo(tmp_path / "app" / "in.txt")
    why = "which is not a regular file"
    assert whys(launch_with({}, NUMBER)) == [f"content of file 'in.txt', {why}"]
    folder = NUMBER.replace("in.txt", "folder")
    assert whys(launch_with({}, folder)) == [f"content of file 'folder', {why}"]
    device = NUMBER.replace("in.txt", "/dev/zero")
    outside = "which lies outside the workspace"
    assert whys(launch_with({}, device)) == [f"content of file '/dev/zero', {outside}"]


def test_a_name_is_looked_for_beside_the_source_then_in_the_root(
    launch_with: Launches, tmp_path: Path
) -> None:
    (tmp_path / "in.txt").write_text("5")
    assert grid_of(launch_with({}, NUMBER, root=tmp_path)) == 5
    assert grid_of(launch_with({"in.txt": "6"}, NUMBER, root=tmp_path)) == 6


def test_a_name_is_looked_for_in_the_folders_between(launch_with: Launches, tmp_path: Path) -> None:
    """A project within a repository: its source lies in a folder, its data in one beside that."""
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "in.txt").write_text("7")
    source = NUMBER.replace("in.txt", "data/in.txt")
    assert grid_of(launch_with({}, source, root=tmp_path.parent)) == 7


@pytest.mark.sources
def test_of_large_files_the_beginning_and_the_size_are_known(
    launch_with: Launches, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workspace, "MOST_BYTES", 8)
    files = {"in.txt": "12 3456 789\n"}
    assert grid_of(launch_with(files, NUMBER)) == 12
    size = OPEN + "fseek(f, 0, SEEK_END); k<<<ftell(f), 1>>>(d, 0);"
    assert grid_of(launch_with(files, size)) == 12
    beyond = OPEN + 'int a, b, x; fscanf(f, "%d%d%d", &a, &b, &x); k<<<x, 1>>>(d, x);'
    launches = launch_with(files, beyond)
    assert grid_of(launches) is None
    assert "first 4 MiB" in whys(launches)[0]
    behind = OPEN + "char s[9]; fread(s, 1, 9, f); k<<<ftell(f), 1>>>(d, 0);"
    assert grid_of(launch_with(files, behind)) == 9


def test_files_that_the_reader_refuses_for_their_size_are_read_in_part(tmp_path: Path) -> None:
    large = tmp_path / "large.bin"
    with large.open("wb") as file:
        file.write(raw(48))
        file.truncate(40 * 2**20)
    found = InputFiles(tmp_path, read_file).find("large.bin", tmp_path)
    assert found.data is not None
    assert (found.data[:4], len(found.data)) == (raw(48), workspace.MOST_BYTES)
    assert found.size_bytes == 40 * 2**20


@pytest.mark.sources
def test_all_files_together_have_a_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workspace, "MOST_BYTES_IN_ALL", 10)
    for name in "abc":
        (tmp_path / name).write_text("123456")
    inputs = InputFiles(tmp_path, read_file)
    kept = [inputs.find(name, None).data for name in "abc"]
    assert kept == [b"123456", b"1234", b""]


@pytest.mark.sources
def test_only_so_many_names_are_looked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workspace, "MOST_FILES", 2)
    (tmp_path / "c").write_text("1")
    inputs = InputFiles(tmp_path, read_file)
    assert [inputs.find(name, None).data for name in "aacc"] == [None, None, b"1", b"1"]
    assert inputs.find("b", None).missing == "which was not looked for, after so many others"


def test_the_reader_learns_of_what_is_read_and_of_what_is_missing(tmp_path: Path) -> None:
    asked = []

    def reader(path: Path) -> bytes | None:
        asked.append(path)
        return read_file(path)

    (tmp_path / "in.txt").write_text("1")
    inputs = InputFiles(tmp_path, reader)
    for name in ("in.txt", "none.txt", "../out.txt"):
        inputs.find(name, tmp_path / "sub")
    folder = tmp_path / "sub"
    assert asked == [folder / "in.txt", tmp_path / "in.txt", folder / "none.txt",
                     tmp_path / "none.txt", tmp_path / "out.txt"]  # fmt: skip


@pytest.mark.parametrize(
    "body",
    [
        'FILE *w = fopen("in.txt", "w"); fprintf(w, "9"); fclose(w);',
        'std::ofstream w("in.txt"); w << 9; w.close();',
    ],
)
def test_what_the_program_writes_itself_is_not_what_lies_there(
    launch_with: Launches, body: str
) -> None:
    launches = launch_with({"in.txt": "5"}, body + NUMBER)
    assert whys(launches) == ["content of file 'in.txt', which the program writes itself"]


LOST = [
    "if (rand() > 5) fscanf(f, \"%d\", &a);",
    "for (int i = 0; i < rand(); i++) fscanf(f, \"%d\", &a);",
    "use(f);",
    "for (int i = 0; i < 9000000; i++) fscanf(f, \"%d\", &a);",
    "fscanf(f, argv[9], &a);",
    "fseek(f, rand(), SEEK_SET);",
]  # fmt: skip


@pytest.mark.parametrize("body", LOST)
def test_where_the_place_in_a_file_is_not_known_nothing_is(
    launch_with: Launches, body: str
) -> None:
    body = OPEN + f'int a, x; {body} fscanf(f, "%d", &x); k<<<x, 1>>>(d, x);'
    launches = launch_with({"in.txt": "1 2 3 4"}, body, before="void use(FILE *f);")
    assert grid_of(launches) is None
    assert "content of file 'in.txt'" in whys(launches)[0]


def test_a_loop_that_is_tried_out_reads_nothing(launch_with: Launches) -> None:
    body = """
    int n = 9000000; std::vector<int> v(n);
    for (int i = 0; i < n; i++) fscanf(f, "%d", &v[i]);
    k<<<v[3], 1>>>(d, 0);
    """
    launches = launch_with({"in.txt": "7 7 7"}, OPEN + body)
    assert grid_of(launches) is None
    assert not launches[0].draws


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (OPEN + 'int x = 0; while (fscanf(f, "%d", &a) == 1) x++;', 3000),
        (STREAM + "int x = 0; std::string s; while (std::getline(f, s)) x++;", 3000),
        (STREAM + "std::vector<int> v; while (f >> a) v.push_back(a); int x = v[2999];", 2999),
        (OPEN + "for (int i = 0; i < 2000; i++) fscanf(f, \"%d\", &a); int x = a;", 1999),
    ],
)  # fmt: skip
def test_loops_over_thousands_of_lines_are_followed(
    launch_with: Launches, body: str, expected: int
) -> None:
    content = "".join(f"{number}\n" for number in range(3000))
    body = f"int a = 0; {body} k<<<x, 1>>>(d, 0);"
    assert grid_of(launch_with({"in.txt": content}, body)) == expected


def test_a_loop_over_too_long_a_file_says_so(launch_with: Launches) -> None:
    body = STREAM + "int x = 0; std::string s; while (std::getline(f, s)) x++; k<<<x, 1>>>(d, 0);"
    launches = launch_with({"in.txt": "1\n" * 50_000}, body)
    assert grid_of(launches) is None
    assert whys(launches) == [
        "a loop that reads file 'in.txt' is too long to be followed to its end, and assigns it"
    ]


LINES = """
    void read_lines(std::vector<float> &found) {
        std::ifstream in("in.txt");
        std::string line;
        while (std::getline(in, line)) {
            if (line.length() == 0) continue;
            found.push_back(std::stof(line));
        }
    }
"""


@pytest.mark.parametrize(("lines", "exact"), [(1_000, True), (40_000, False)])
def test_a_function_that_reads_too_long_a_file(
    lines: int, exact: bool, launch_with: Launches
) -> None:
    body = "std::vector<float> found; read_lines(found); k<<<found.size(), 1>>>(d, 0);"
    launches = launch_with({"in.txt": "1.5\n" * lines}, body, before=LINES)
    if exact:
        assert grid_of(launches) == lines
        return
    assert grid_of(launches) is None
    (unknown,) = launches[0].unknowns.values()
    assert unknown.name == "size of found"
    # The rest of the file is taken to be as what was read of it.
    assert unknown.assumed == pytest.approx(lines, rel=0.01)


def test_a_loop_over_a_missing_file_names_it(launch_with: Launches) -> None:
    body = 'int x = 0; FILE *f = fopen("no.txt", "r"), *g = fopen("in.txt", "r");'
    body += 'while (fscanf(f, "%d", &a) == 1) x++; k<<<x, 1>>>(d, 0);'
    assert whys(launch_with({"in.txt": "1"}, "int a;" + body)) == [
        "a loop that depends on content of file 'no.txt', which was not found assigns it"
    ]


def test_strings_too_long_to_be_kept_are_unknown(launch_with: Launches) -> None:
    content = "9" * 70_000 + "\n12\n"
    body = STREAM + "std::string s, t; getline(f, s); getline(f, t);"
    assert grid_of(launch_with({"in.txt": content}, body + "k<<<stoi(t), 1>>>(d, 0);")) == 12
    assert grid_of(launch_with({"in.txt": content}, body + "k<<<s.size(), 1>>>(d, 0);")) is None


def test_functions_that_read_are_followed(launch_with: Launches) -> None:
    before = """
    struct Grid { int rows, cols; std::vector<float> cells; };
    Grid load(const std::string &path) {
      std::ifstream in(path.c_str());
      if (!in) { std::cerr << "no " << path; exit(1); }
      Grid g; in >> g.rows >> g.cols; g.cells.resize(g.rows * g.cols);
      for (int i = 0; i < g.rows * g.cols; i++) in >> g.cells[i];
      return g;
    }
    int lines(FILE *f) { int n = 0; char s[80]; while (fgets(s, 80, f)) n++; return n; }
    """
    body = 'Grid g = load(argv[1]); FILE *f = fopen(argv[1], "r");'
    body += "k<<<g.rows * g.cells.size(), lines(f)>>>(d, 0);"
    (launch,) = launch_with({"g.txt": "3 5\n" + "0.5 " * 15 + "\n"}, body, "g.txt", before=before)
    assert launch.certain
    assert launch.grid is not None
    assert launch.block is not None
    assert (launch.grid[0].constant, launch.block[0].constant) == (45, 2)


def test_what_is_read_is_named_after_its_file(launch_with: Launches) -> None:
    (launch,) = launch_with({"in.txt": "16"}, NUMBER)
    assert launch.grid_origin is not None
    assert launch.grid_origin.text == "content of file 'in.txt'"
