// Overloads that differ in the number of parameters, and default arguments.
constexpr int f() { return 1; }
constexpr int f(int) { return 2; }
constexpr int f(int, int) { return 3; }

constexpr int offset() { return 5; }
constexpr int scaled(int x, int by = 10, int plus = offset()) { return x * by + plus; }

constexpr int later(int a, int b);
constexpr int later(int a, int b = 7);
constexpr int later(int a, int b) { return 100 * a + b; }

constexpr int answer_none() { return f(); }
constexpr int answer_one() { return f(0); }
constexpr int answer_two() { return f(0, 0); }
constexpr int answer_both_defaults() { return scaled(2); }
constexpr int answer_one_default() { return scaled(2, 3); }
constexpr int answer_no_default() { return scaled(2, 3, 4); }
constexpr int answer_default_declared_later() { return later(1); }
