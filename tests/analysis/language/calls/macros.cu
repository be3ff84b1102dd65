// Macros with arguments: pasting, text, several statements, arguments used twice, variable numbers of them.
#define SQUARE(x) x * x
#define SAFE_SQUARE(x) ((x) * (x))
#define JOIN(a, b) a##b
#define TEXT(x) #x
#define EXPANDED(x) TEXT(x)
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define COUNT 12
#define TWICE(x) do { x += x; } while (0)
#define FIRST(a, ...) a
#define REST(a, ...) (__VA_ARGS__)
#define CALL(f, ...) f(__VA_ARGS__)
#define DEFINE(name, value) constexpr int JOIN(get_, name)() { return value; }
#define MANY(OP) OP(1) OP(2) OP(3)
#define LEVEL_1 COUNT + 1
#define LEVEL_2 LEVEL_1 * 2
#define NOTHING
DEFINE(five, 5)
DEFINE(count, COUNT)
#undef COUNT
#define COUNT 13
constexpr int sum3(int a, int b, int c) { return a * 100 + b * 10 + c; }
#define CASE(n) case n: return n * n;
constexpr int squares(int n) {
    switch (n) { MANY(CASE) }
    return 0;
}
#if COUNT > 12 && defined(JOIN) && !defined(MISSING)
constexpr int branch = 1;
#elif COUNT
constexpr int branch = 2;
#else
constexpr int branch = 3;
#endif

constexpr int answer_unsafe() { return SQUARE(2 + 3); }
constexpr int answer_safe() { return SAFE_SQUARE(2 + 3); }
constexpr int answer_joined() { int JOIN(na, me) = 4; return name; }
constexpr int answer_text() { return sizeof(TEXT(COUNT)) * 10 + sizeof(EXPANDED(COUNT)); }
constexpr int answer_argument_twice() { int i = 5; int m = MAX(i++, 3); return m * 10 + i; }
constexpr int answer_statement() { int x = 3; if (x) TWICE(x); else x = 0; return x; }
constexpr int answer_first() { return FIRST(7, 8, 9); }
constexpr int answer_rest() { return REST(7, 8, 9); }
constexpr int answer_variable_arguments() { return CALL(sum3, 1, 2, 3); }
constexpr int answer_defined_function() { return get_five() + get_count(); }
constexpr int answer_redefined() { return COUNT; }
constexpr int answer_textual() { return LEVEL_2; }
constexpr int answer_list() { return squares(3) * 10 + squares(2) + squares(4); }
constexpr int answer_condition() { return branch; }
constexpr int answer_line() { return __LINE__ > 10; }
