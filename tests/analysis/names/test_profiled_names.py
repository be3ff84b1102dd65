"""Kernel names as profilers print them, taken apart."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roofline_analysis.names.profiled_names import LAMBDA, parse_profiled_name, parse_type
from roofline_core.program.expressions import Literal
from roofline_core.program.types import Type

F, D, INT = Type("float"), Type("double"), Type("int")


def check(
    text: str,
    base: str,
    qualified: str | None = None,
    args: tuple[Type | int, ...] = (),
    params: tuple[str, ...] | None = None,
) -> None:
    found = parse_profiled_name(text)
    assert found.base_name == base
    assert found.qualified_name == (base if qualified is None else qualified)
    assert found.template_args == args
    assert found.params == params


def test_plain() -> None:
    check("saxpy(int, float, const float *, float *)", "saxpy",
          params=("int", "float", "const float *", "float *"))  # fmt: skip
    check("saxpy", "saxpy")
    check("  saxpy()  ", "saxpy", params=())
    check("saxpy(void)", "saxpy", params=())
    check("ns::deep::saxpy(int)", "saxpy", "ns::deep::saxpy", params=("int",))


def test_templates() -> None:
    check("void scale<float>(T1 *, int)", "scale", args=(F,), params=("T1 *", "int"))
    check("void scale<float, 256>(T1 *)", "scale", args=(F, 256), params=("T1 *",))
    check("void scale<float, (int)256, (bool)1>(T1 *)", "scale", args=(F, 256, 1), params=("T1 *",))
    check("void scale<true, false, -3>()", "scale", args=(1, 0, -3), params=())
    check("void scale<256u, 7ul, 8LL>()", "scale", args=(256, 7, 8), params=())
    check("void scale<(unsigned int)64, (ns::Mode)2>()", "scale", args=(64, 2), params=())
    check("void scale<unsigned int>(T1)", "scale", args=(Type("unsigned int"),), params=("T1",))
    check("void scale<const float *>(T1)", "scale", args=(Type("float", pointers=1, const=True),),
          params=("T1",))  # fmt: skip
    check("scale<float>", "scale", args=(F,))


def test_nested_templates() -> None:
    pair = Type("std::pair", (INT, Type("Box", (D,))))
    check(
        "void k<std::pair<int, Box<double>>, 4>(T1, int)", "k", args=(pair, 4), params=("T1", "int")
    )
    check("void k<std::pair<int, Box<double> > >(T1)", "k", args=(pair,), params=("T1",))
    check("k(std::pair<int, float>, Box<2, 3> *)", "k",
          params=("std::pair<int, float>", "Box<2, 3> *"))  # fmt: skip


def test_methods_of_templates() -> None:
    check(
        "void Solver<unsigned int>::step<4>(int)",
        "step",
        "Solver<unsigned int>::step",
        (4,),
        ("int",),
    )
    check("Solver<ns::A, 2>::step(int)", "step", "Solver<ns::A, 2>::step", (), ("int",))


@pytest.mark.parametrize("name", ["(anonymous namespace)", "<unnamed>", "_NV_ANON_NAMESPACE"])
def test_anonymous_namespaces_are_left_out(name: str) -> None:
    check(f"void {name}::scale<float>(T1 *)", "scale", args=(F,), params=("T1 *",))
    check(f"{name}::scale(int)", "scale", params=("int",))
    check(f"ns::{name}::scale(int)", "scale", "ns::scale", params=("int",))


def test_mangled() -> None:
    check("_Z5saxpyifPKfPf", "saxpy")
    check("_Z5scaleIfLi256EEvPT_i", "scale", args=(F, 256))
    check("_ZN2ns5scaleEPf", "scale", "ns::scale")
    check("_ZN12_GLOBAL__N_15scaleEPf", "scale")
    check("_ZL5scalePf", "scale")
    check("_ZN6SolverIfE4stepEi", "step", "Solver::step")
    check("_ZN6SolverIN2ns1AIiEELi3EE4stepIdEEvi", "step", "Solver::step", args=(D,))
    check("_Z", "_Z")
    check("_Z99short", "short")


def test_operators_and_lambdas() -> None:
    check("A::operator()(int)", "operator()", "A::operator()", params=("int",))
    check("void A::operator()<float>(T1)", "operator()", "A::operator()", (F,), ("T1",))
    check("A::operator()", "operator()", "A::operator()")
    check("A::operator<(int)", "operator<", "A::operator<", params=("int",))
    check("A::operator>>(int)", "operator>>", "A::operator>>", params=("int",))
    found = parse_profiled_name("void run<main::[lambda(int) (instance 1)]>(T1, int)")
    assert (found.base_name, found.params) == ("run", ("T1", "int"))
    assert found.template_args == (LAMBDA,)


@pytest.mark.parametrize(
    "argument",
    [
        "main::[lambda(int) (instance 1)]",
        "void f<int>(T1 *)::[lambda(int) (instance 2)]",
        "main::{lambda(int)#1}",
        "main::'lambda'(int)",
        "main::$_0",
        "__nv_dl_wrapper_t<__nv_dl_tag<int (*)(), &main, 1u>, float *>",
        "__nv_hdl_wrapper_t<true, false, true, __nv_dl_tag<int (*)(), &main, 1u>, void (int)>",
        "Twice<main::{lambda(int)#1}>",
    ],
)
def test_a_lambda_of_any_tool_is_a_lambda(argument: str) -> None:
    found = parse_profiled_name(f"void run<4, {argument}>(T1, int)")
    assert (found.base_name, found.template_args) == ("run", (4, LAMBDA))


def test_function_pointers_and_clones() -> None:
    check("k(float (*)(float), int)", "k", params=("float (*)(float)", "int"))
    check("k(int) [clone .constprop.0]", "k", params=("int",))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("float", F),
        ("const float *", Type("float", pointers=1, const=True)),
        ("float const*", Type("float", pointers=1, const=True)),
        ("double **", Type("double", pointers=2)),
        ("unsigned long long", Type("unsigned long long")),
        ("struct Body *", Type("Body", pointers=1)),
        ("std::vector<float>", Type("std::vector", (F,))),
        ("int &", INT),
        ("", Type("")),
    ],
)
def test_types(text: str, expected: Type) -> None:
    assert parse_type(text) == expected


_pieces = st.sampled_from(
    ["void ", "k", "::", "<", ">", "(", ")", ",", " ", "_Z", "3abc", "_ZN", "I", "E", "operator",
     "()", "int", "*", "&", "[", "]", "{", "}", "(anonymous namespace)", "256", "true", "-"]
)  # fmt: skip


@given(st.one_of(st.text(), st.lists(_pieces).map("".join)))
def test_any_text_has_a_base_name(text: str) -> None:
    found = parse_profiled_name(text)
    assert bool(found.base_name) == bool(text.strip())


def test_mangled_names_keep_their_template_arguments() -> None:
    check("_Z5scaleIfLi256EEvPT_i", "scale", args=(F, 256))
    check("_ZN2ns4copyIPKdLin3EEEvT_", "copy", "ns::copy",
          args=(Type("double", pointers=1, const=True), -3))  # fmt: skip
    check("_Z3runI3BoxIdEhEvv", "run", args=(Type("Box", (D,)), Type("unsigned char")))
    check("_Z3run5StateIfE3Box", "run")  # classes among the parameters
    check("_ZN2ns3AddIiEclES0_", "operator()", "ns::Add::operator()")
    check("_Z4pickIfSt6vectorIiEEvv", "pick", args=(F,))  # no further than what is known


def test_target_regions() -> None:
    check("__omp_offloading_10309_2f08680_main_l31", "__omp_offloading_main_l31")
    check("__omp_offloading_10309_2f08680__Z4copyIfLi4EEvPT__l198", "__omp_offloading_copy_l198",
          args=(F, 4))  # fmt: skip
    check("__omp_offloading_3d_f00__ZN2ns4Grid4stepEv_l7_1", "__omp_offloading_step_l7",
          "ns::Grid::__omp_offloading_step_l7")  # fmt: skip
    check("__omp_offloading_main_l31", "__omp_offloading_main_l31")


@pytest.mark.parametrize(
    ("mangled", "params"),
    [
        ("_Z2mdPK7double4PS_PKiiiddd", ("const double4*, double4*, const int*, int, int, double, "
         "double, double")),
        ("_Z1fv", ""),
        ("_ZL1fRKdPS0_hS1_", "const double&, const double&*, unsigned char, const double&*"),
    ],
)  # fmt: skip
def test_parameters_of_the_function_around_a_region(mangled: str, params: str) -> None:
    found = parse_profiled_name(f"__omp_offloading_1_2_{mangled}_l3")
    shown = (
        f"{'const ' * each.const}{each.name}{'&' * each.reference}{'*' * each.pointers}"
        for each in found.around
    )
    assert ", ".join(shown) == params


@pytest.mark.parametrize("mangled", ["_Z1fIfEvT_", "_ZN1a1fEd", "_Z1f3BoxIfE", "_Z1fS3_", "_Z1fP"])
def test_parameters_that_are_not_read(mangled: str) -> None:
    assert parse_profiled_name(f"__omp_offloading_1_2_{mangled}_l3").around == ()


@pytest.mark.parametrize(
    "name",
    ["void k<Traits<8, -6, float, Size<2> > >(P)", "_Z1kI6TraitsILi8ELin6Ef4SizeILi2EEEEv1P"],
)
def test_numbers_among_the_arguments_of_a_type(name: str) -> None:
    (given,) = parse_profiled_name(name).template_args
    assert isinstance(given, Type)
    threads, rounds, element, size = given.args
    assert isinstance(threads, Literal)
    assert isinstance(rounds, Literal)
    assert (threads.value, rounds.value) == (8, -6)
    assert element == Type("float")
    assert isinstance(size, Type)
    (two,) = size.args
    assert isinstance(two, Literal)
    assert (size.name, two.value) == ("Size", 2)


def test_a_bracket_that_nothing_opens() -> None:
    """As a profiler prints a lambda's type."""
    name = (
        "void k<2, lambda(float, float) (instance 1)], Array<char *, 6>, Steps<4, unsigned>>(int)"
    )
    two, function, array, steps = parse_profiled_name(name).template_args
    assert (two, function) == (2, LAMBDA)
    assert isinstance(array, Type)
    assert isinstance(steps, Type)
    assert (array.name, len(array.args), steps.name) == ("Array", 2, "Steps")
