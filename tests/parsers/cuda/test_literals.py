from __future__ import annotations

import pytest

from roofline_parsers.cuda.literals import parse_number

from .conftest import Reading


@pytest.mark.parametrize(
    ("source", "value", "type_name"),
    [
        ("0", 0, "int"),
        ("42", 42, "int"),
        ("2147483647", 2147483647, "int"),
        ("2147483648", 2147483648, "long"),
        ("4294967296u", 4294967296, "unsigned long"),
        ("0x7fffffff", 0x7FFFFFFF, "int"),
        ("0xffffffff", 0xFFFFFFFF, "unsigned int"),
        ("0xFFFFFFFFFFFFFFFF", 0xFFFFFFFFFFFFFFFF, "unsigned long"),
        ("0b101", 5, "int"),
        ("0777", 511, "int"),
        ("1'000'000", 1_000_000, "int"),
        ("10u", 10, "unsigned int"),
        ("10UL", 10, "unsigned long"),
        ("10ull", 10, "unsigned long long"),
        ("10LL", 10, "long long"),
        ("10l", 10, "long"),
        ("0x80000000l", 1 << 31, "long"),
        ("020000000000LL", 1 << 31, "long long"),
        ("0xffffffffffffffffl", (1 << 64) - 1, "unsigned long"),
        ("0x8000000000000000ll", 1 << 63, "unsigned long long"),
        ("10z", 10, "long"),
        ("10uz", 10, "unsigned long"),
        ("-1", -1, "int"),
        ("1.5", 1.5, "double"),
        ("1.", 1.0, "double"),
        (".5f", 0.5, "float"),
        ("1e-3f", 0.001, "float"),
        ("1E+6", 1e6, "double"),
        ("1.f", 1.0, "float"),
        ("1.0L", 1.0, "long double"),
        ("1.0h", 1.0, "half"),
        ("1.5f16", 1.5, "half"),
        ("1.5bf16", 1.5, "__nv_bfloat16"),
        ("0x1.8p3", 12.0, "double"),
        ("0x1p-2f", 0.25, "float"),
        ("1'0.5", 10.5, "double"),
    ],
)
def test_number(source: str, value: float, type_name: str) -> None:
    assert parse_number(source) == (value, type_name)


@pytest.mark.parametrize("source", ["", "x", "09", "1.2.3", "0x", "12_km", "1e", "0b2", "1.0q"])
def test_not_a_number(source: str) -> None:
    assert parse_number(source) is None


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("'a'", "97:char"),
        (r"'\n'", "10:char"),
        (r"'\0'", "0:char"),
        (r"'\x41'", "65:char"),
        (r"'\101'", "65:char"),
        (r"'\''", "39:char"),
        ("'ab'", "24930:char"),
        ("L'a'", "97:wchar_t"),
        ('"a" "b\\n" "c"', "'ab\\nc'"),
        ('"\\"x\\\\"', "'\"x\\\\'"),
        ('R"(a\\n"b)"', "'a\\\\n\"b'"),
        ('u8"x"', "'x'"),
        ('""', "''"),
        ("true", "1:bool"),
        ("false", "0:bool"),
        ("nullptr", "None:nullptr"),
        ("NULL", "None:nullptr"),
        ("1.0h", "1.0:half"),
        ("12_km", "?12_km? [12]"),
    ],
)
def test_literal(reading: Reading, source: str, expected: str) -> None:
    assert reading.body(f"f({source});") == f"f({expected})"


def test_characters_outside_ascii(reading: Reading) -> None:
    assert reading.body('f("é", größe); // ü\nx = "日本";') == "f('é', größe); x = '日本'"
