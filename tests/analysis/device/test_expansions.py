"""The table of measured operation costs: it loads, and agrees with what is known by hand."""

import math
from collections.abc import Callable
from dataclasses import fields
from functools import partial

import pytest

from roofline_analysis.device.costs import expansions
from roofline_analysis.device.costs.expansions import (
    OperationCost,
    conversion_cost,
    function_cost,
    kernel_cost,
    loop_cost,
    operator_cost,
)

FAST = ("fast_functions", "fast_operators", "fast_conversions")
SECTIONS = ("functions", "operators", "conversions", "loops", "kernels", *FAST)
NUMBERS = tuple(f.name for f in fields(OperationCost) if f.name not in ("slow", "zero"))


def lookup(section: str, key: str) -> OperationCost:
    finders: dict[str, Callable[[str], OperationCost | None]] = {
        "functions": function_cost,
        "operators": operator_cost,
        "loops": loop_cost,
        "kernels": kernel_cost,
        "fast_functions": partial(function_cost, fast=True),
        "fast_operators": partial(operator_cost, fast=True),
    }
    if section.endswith("conversions"):
        source, target = key.split("->")
        found = conversion_cost(source, target, fast=section.startswith("fast"))
    else:
        found = finders[section](key)
    assert found is not None, key
    return found


@pytest.mark.parametrize("section", SECTIONS)
def test_every_entry_is_readable_finite_and_not_negative(section: str) -> None:
    keys = expansions.keys(section)
    assert len(keys) == len(set(keys)) > 0
    for key in keys:
        cost = lookup(section, key)
        for one in (cost, cost.slow, cost.zero):
            if one is None:
                continue
            values = [getattr(one, name) for name in NUMBERS]
            assert all(math.isfinite(v) and v >= 0 for v in values), key
            assert one.int_moves <= one.int_ops, key


def test_fast_arithmetic_has_entries_of_its_own_only_where_it_differs() -> None:
    for section in FAST:
        exact = set(expansions.keys(section.removeprefix("fast_")))
        assert set(expansions.keys(section)) <= exact
        for key in expansions.keys(section):
            assert lookup(section, key) != lookup(section.removeprefix("fast_"), key), key
    assert function_cost("sin", fast=True) == function_cost("sin")
    assert function_cost("no such function", fast=True) is None


@pytest.mark.parametrize("key", ["+", "-", "*"])
def test_a_sum_or_product_is_one_operation(key: str) -> None:
    assert operator_cost(f"float {key}") == OperationCost(sp_flops=1)
    assert operator_cost(f"double {key}") == OperationCost(dp_flops=1)


def test_fused_multiply_add_counts_two() -> None:
    assert function_cost("fmaf") == OperationCost(sp_flops=2)
    assert function_cost("fma") == OperationCost(dp_flops=2)
    assert operator_cost("float *+") == OperationCost(sp_flops=2)
    assert function_cost("__hfma2") == OperationCost(hp_flops=2)


def test_single_precision_division_is_a_reciprocal_and_five_fused_multiply_adds() -> None:
    cost = lookup("operators", "float /")
    assert (cost.sp_flops, cost.mufu, cost.dp_flops) == (10, 1, 0)
    assert cost.slow is not None
    assert cost.slow.int_ops > cost.int_ops


def test_a_division_by_a_float_power_of_two_is_a_product() -> None:
    assert operator_cost("float / pow2") == OperationCost(sp_flops=1)
    assert operator_cost("double / pow2") == OperationCost(dp_flops=1)


def test_fast_intrinsics_use_the_special_function_unit_and_no_more_than_one_product() -> None:
    assert lookup("functions", "__sinf").mufu == 1
    assert lookup("functions", "__sinf").sp_flops == 1
    assert lookup("functions", "__fdividef").sp_flops == 1
    assert lookup("functions", "sinf").sp_flops > 10


def test_no_double_precision_in_the_fast_paths_of_single_precision_functions() -> None:
    for key in expansions.keys("functions"):
        name = key.split(" ")[0]
        if name.endswith("f") and name != "erf" and function_cost(name.removesuffix("f")):
            assert lookup("functions", key).dp_flops == 0, key


@pytest.mark.parametrize("name", ["sqrt", "exp", "log", "sin", "cos", "pow", "tanh", "erf"])
def test_double_functions_are_double_precision_work(name: str) -> None:
    cost = lookup("functions", name)
    assert cost.dp_flops > 10
    assert cost.sp_flops <= 2


def test_rounding_is_a_conversion_and_no_flop() -> None:
    for name in ("floorf", "ceilf", "truncf", "rintf", "floor", "ceil", "trunc", "rint"):
        assert function_cost(name) == OperationCost(conversions=1), name


def test_a_sign_costs_nothing() -> None:
    for key in ("fabsf", "fabs"):
        assert function_cost(key) == OperationCost()
    assert operator_cost("float negate") == OperationCost()


@pytest.mark.parametrize("sign", ["+", "-", "&", "|", "^", "<< const", "* pow2"])
def test_a_64_bit_integer_operation_is_two_32_bit_ones(sign: str) -> None:
    assert lookup("operators", f"int {sign}").int_ops == 1
    assert lookup("operators", f"long long {sign}").int_ops == 2


def test_integer_division_by_kind_of_divisor() -> None:
    assert lookup("operators", "unsigned / pow2") == OperationCost(int_ops=1)
    assert lookup("operators", "unsigned % pow2") == OperationCost(int_ops=1)
    pow2, const, var = (lookup("operators", f"int / {k}").int_ops for k in ("pow2", "const", "var"))
    assert 1 < pow2 < const < var
    assert lookup("operators", "int / var").mufu == 1
    assert lookup("operators", "long long / var").int_ops > 3 * var


def test_three_integers_add_in_one_instruction() -> None:
    assert operator_cost("int ++") == operator_cost("int +") == OperationCost(int_ops=1)


def test_conversions() -> None:
    assert conversion_cost("int", "float") == OperationCost(conversions=1)
    assert conversion_cost("double", "long long") == OperationCost(conversions=1)
    assert conversion_cost("int", "long long") == OperationCost(int_ops=1)
    assert conversion_cost("unsigned", "long long") == OperationCost()
    assert conversion_cost("long long", "int") == OperationCost()


def test_neighbouring_elements_share_an_address() -> None:
    one, both = (lookup("operators", k).int_ops for k in ("a[int]", "a[int] and a[int + 1]"))
    assert one == both
    other_array = lookup("operators", "a[int] and b[int]").int_ops
    assert other_array == one + 1


def test_thread_number_and_bounds_check_are_one_instruction_each() -> None:
    assert operator_cost("global thread id") == OperationCost(int_ops=1)
    assert operator_cost("bounds check") == OperationCost(int_ops=1)


def test_kernels_agree_with_profiled_ones() -> None:
    # Profiled on an RTX 3080 per thread: a vector addition has 5 integer instructions and 1
    # operation, a double y += a * x has 4 and 2.
    assert kernel_cost("vector add") == OperationCost(sp_flops=1, int_ops=5)
    assert kernel_cost("saxpy (double)") == OperationCost(dp_flops=2, int_ops=4)


def test_unrolling_lowers_the_cost_of_an_iteration() -> None:
    rolled, unrolled = lookup("loops", "s += a[i], unroll 1"), lookup("loops", "s += a[i]")
    assert rolled.branches == 1
    assert unrolled.branches < 0.5
    assert unrolled.int_ops < rolled.int_ops
    assert unrolled.sp_flops == rolled.sp_flops == 1


def test_the_unmeasured_is_none() -> None:
    assert function_cost("no_such_function") is None
    assert operator_cost("float %") is None
    assert conversion_cost("float", "float") is None
    with pytest.raises(KeyError):
        expansions.keys("no_such_section")


@pytest.mark.parametrize("type_name", ["int", "unsigned", "long long", "unsigned long long"])
@pytest.mark.parametrize("form", ["var", "const", "pow2"])
@pytest.mark.parametrize("operation", ["/", "%"])
def test_every_division_is_measured(type_name: str, operation: str, form: str) -> None:
    assert expansions.measured_operator(f"{type_name} {operation} {form}").int_ops >= 1


def test_an_operator_that_the_table_lacks_is_told() -> None:
    with pytest.raises(LookupError, match=r"expansions\.toml has no operator 'int / half'"):
        expansions.measured_operator("int / half")


@pytest.mark.parametrize("key", ["float /", "float / const", "double /", "double / const"])
def test_a_division_of_zero_costs_integers_and_of_doubles_more_operations(key: str) -> None:
    cost = operator_cost(key)
    assert cost is not None
    single, double, whole = cost.more_if_zero()
    assert (single, double) == (0, 17 if key.startswith("double") else 0)
    assert whole > 10


def test_what_has_no_such_path_costs_nothing_more() -> None:
    assert OperationCost(sp_flops=3).more_if_zero() == (0, 0, 0)
