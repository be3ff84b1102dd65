"""How programs are written that read files: in classes and functions, by line, by format."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from roofline_analysis.host.values import LaunchContext

Launches = Callable[..., list[LaunchContext]]

MEMBER = """
struct R {
  std::ifstream in;
  R(const std::string &path) : in(path) {}
  int next() { int v; in >> v; return v; }
};
"""
OPENED_LATER = """
struct R {
  std::ifstream in;
  void open(const char *path) { in.open(path); }
  int next() { int v; in >> v; return v; }
};
"""
C_MEMBER = """
struct R {
  FILE *in;
  R(const char *path) { in = fopen(path, "r"); if (!in) exit(1); }
  int next() { int v; if (fscanf(in, "%d", &v) != 1) exit(2); return v; }
};
"""
BY_REFERENCE = "template <typename T> void take(std::istream &s, T &v) { s >> v; }"
POINTS = "struct P { float a; int b; };"
MATRIX = "%%MatrixMarket matrix coordinate\n% made by hand\n5 6 7\n1 1 2.0\n"
READ_MATRIX = """
FILE *f = fopen("in.txt", "r"); char line[1024]; fgets(line, 1024, f);
do { if (fgets(line, 1024, f) == NULL) return 1; } while (line[0] == '%');
int m, n, x; sscanf(line, "%d %d %d", &m, &n, &x);
"""
PIXMAP = "P6\n# made by hand\n640 480\n255\n...."
READ_PIXMAP = """
FILE *f = fopen("in.txt", "rb"); char h[16];
if (!fgets(h, sizeof(h), f)) exit(1);
if (h[0] != 'P' || h[1] != '6') exit(2);
int c = getc(f);
while (c == '#') { while (getc(f) != '\\n'); c = getc(f); }
ungetc(c, f);
int w, x; if (fscanf(f, "%d %d", &w, &x) != 2) exit(3);
"""
READ_SETTINGS = """
std::ifstream f("in.txt"); std::string line; int x = 0;
while (std::getline(f, line)) {
  size_t at = line.find("=");
  if (line.substr(0, at) == "n") x = std::stoi(line.substr(at + 1));
}
"""
READ_ROWS = """
std::ifstream f("in.txt"); std::string l; std::vector<std::vector<int>> g;
while (std::getline(f, l)) {
  std::istringstream s(l); std::vector<int> row; int v;
  while (s >> v) row.push_back(v);
  g.push_back(row);
}
int x = g.size() * 10 + g[0].size();
"""
READ_POINTS = """
FILE *f = fopen("in.txt", "r"); int n; fscanf(f, "%d", &n);
P *p = (P *)malloc(n * sizeof(P));
for (int i = 0; i < n; i++) fscanf(f, "%f %d", &p[i].a, &p[i].b);
int x = p[1].b;
"""
MADE_NAME = """
char p[9]; sprintf(p, "%s.%s", "in", "txt");
FILE *f = fopen(p, "r"); int x; fscanf(f, "%d", &x);
"""
STREAM_READ = "int x; f >> x;"


@pytest.mark.parametrize(
    ("content", "before", "body", "expected"),
    [
        ("5 6", MEMBER, 'R r("in.txt"); int x = r.next() + r.next();', 11),
        ("5 6", OPENED_LATER, 'R r; r.open("in.txt"); int x = r.next() + r.next();', 11),
        ("5 6", C_MEMBER, 'R r("in.txt"); int x = r.next() + r.next();', 11),
        ("5 6", BY_REFERENCE, 'std::ifstream f("in.txt"); int x; take(f, x); take(f, x);', 6),
        ("5 6", "", 'auto f = std::ifstream("in.txt");' + STREAM_READ, 5),
        ("5 6", "", 'std::ifstream f{"in.txt"};' + STREAM_READ, 5),
        ("5 6", "", 'std::fstream f("in.txt", std::ios::in);' + STREAM_READ, 5),
        ("5", "", 'auto *f = new std::ifstream("in.txt"); int x; *f >> x;', 5),
        ("5", "", '{ std::ofstream o("out.txt"); o << 4; } std::ifstream f("in.txt");'
         + STREAM_READ, 5),
        ("123", "", 'std::ifstream f("in.txt"); f.seekg(0, f.end); int x = f.tellg();', 3),
        ("123", "", 'int x = std::filesystem::file_size("in.txt");', 3),
        ("123", "", MADE_NAME, 123),
        (MATRIX, "", READ_MATRIX, 7),
        (PIXMAP, "", READ_PIXMAP, 480),
        ("steps = 9\nn=64\n", "", READ_SETTINGS, 64),
        ("1 2 3\n4 5 6\n", "", READ_ROWS, 23),
        ("2\n10 20\n30 40\n", POINTS, READ_POINTS, 40),
    ],
)  # fmt: skip
def test_sizes_are_known(
    launch_with: Launches, content: str, before: str, body: str, expected: int
) -> None:
    (launch,) = launch_with({"in.txt": content}, f"{body} k<<<x, 1>>>(d, 0);", before=before)
    assert launch.grid is not None
    assert launch.grid[0].constant == expected


@pytest.mark.parametrize(
    "body",
    [
        'std::ifstream f("in.txt"); std::stringstream b; b << f.rdbuf(); int x; b >> x;',
        'std::ifstream f("in.txt"); std::stringstream b; b << f.rdbuf(); int x; f >> x;',
        'std::ifstream f("in.txt"); std::istream_iterator<int> i(f); int x = *i;',
        'int x; std::cin >> x;',
        'int x; scanf("%d", &x);',
    ],
)  # fmt: skip
def test_what_is_not_modelled_is_unknown(launch_with: Launches, body: str) -> None:
    (launch,) = launch_with({"in.txt": "5 6"}, f"{body} k<<<x, 1>>>(d, 0);")
    assert launch.grid is None or launch.grid[0].constant is None
