"""What calls are decided by: value categories, qualifiers after parameters, imports, captures."""

from __future__ import annotations

import pytest

from roofline_core.program.expressions import Lambda, Name
from roofline_core.program.statements import Declare, Return
from roofline_core.program.units import Function, TranslationUnit
from roofline_parsers.cuda import parse_unit
from roofline_parsers.preprocess import PreprocessedFile
from tests.parsers.cuda.conftest import PATH


def unit(source: str) -> TranslationUnit:
    return parse_unit(PreprocessedFile(PATH, source.encode(), source.encode()))


def function(source: str) -> Function:
    return unit(source).functions[0]


def test_references_to_temporaries_are_told() -> None:
    one, other = function("void f(int&& a, int& b);").params
    assert (one.type.reference, one.type.rvalue) == (True, True)
    assert (other.type.reference, other.type.rvalue) == (True, False)


@pytest.mark.parametrize(
    ("method", "expected"),
    [
        ("int f() const { return 1; }", {"const"}),
        ("int f() && { return 1; }", {"&&"}),
        ("int f() const override;", {"const", "override"}),
        ("explicit operator bool() const { return true; }", {"const", "explicit"}),
        ("int f(int, ...);", {"..."}),
        ("int f();", set()),
    ],
)
def test_words_after_the_parameters(method: str, expected: set[str]) -> None:
    (struct,) = unit(f"struct S {{ {method} }};").structs
    assert struct.methods[0].qualifiers == expected


@pytest.mark.parametrize(
    "source",
    [
        "template <class T> requires(sizeof(T) < 8) int f(T t) { return 1; }",
        "template <class T> int f(T t) requires(sizeof(T) < 8) { return 1; }",
        "template <class T> concept Small = true;\ntemplate <Small T> int f(T t) { return 1; }",
        "template <class T> concept Small = true;\nint f(Small auto t) { return 1; }",
    ],
)
def test_constraints_are_noted(source: str) -> None:
    assert "requires" in function(source).qualifiers


def test_a_concept_limits_a_type_parameter() -> None:
    source = "template <class T> concept Small = true;\ntemplate <Small T> int f(T t);"
    (parameter,) = function(source).template_params
    assert (parameter.name, parameter.type) == ("T", None)


def test_imports_of_files_and_classes() -> None:
    found = unit(
        "using namespace a::b;\nusing c::f;\nnamespace m = a::b;\n"
        "struct Base { int g(); };\nstruct S : Base { using Base::g; };"
    )
    assert found.imports == {"a::b", "c::f"}
    assert found.aliases["m"].name == "a::b"
    assert [struct.imports for struct in found.structs] == [frozenset(), {"Base::g"}]


def test_captures_by_value() -> None:
    body = function("void f(int a) { auto g = [=, &a](int x) { return x; }; }").body
    assert body is not None
    (declared,) = body.body
    assert isinstance(declared, Declare)
    made = declared.variables[0].init
    assert isinstance(made, Lambda)
    assert made.copies == {"="}


def test_a_leading_scope_is_kept_apart_from_the_name() -> None:
    body = function("int f() { return ::n; }").body
    assert body is not None
    (returned,) = body.body
    assert isinstance(returned, Return)
    assert isinstance(returned.value, Name)
    assert (returned.value.name, returned.value.absolute) == ("n", True)


def test_a_method_specialised_outside_its_class() -> None:
    source = (
        "template <class T> struct S { int f(); };\n"
        "template <class T> int S<T>::f() { return 1; }\n"
        "template <> int S<double>::f() { return 2; }"
    )
    general, special = unit(source).functions
    assert general.owner_args == ()
    assert [getattr(argument, "name", None) for argument in special.owner_args] == ["double"]
