// Plain computation: loops, arrays, early returns, references, structures as results.
struct Pair { int a, b; };
constexpr int triangle(int n) { int s = 0; for (int i = 1; i <= n; ++i) s += i; return s; }
constexpr int collatz(unsigned n) { int steps = 0; while (n != 1) { n = n % 2 ? 3 * n + 1 : n / 2; ++steps; } return steps; }
constexpr int digits(int n) { int c = 0; do { ++c; n /= 10; } while (n); return c; }
constexpr bool prime(int n) { for (int d = 2; d * d <= n; ++d) if (n % d == 0) return false; return n > 1; }
constexpr int primes(int n) { int c = 0; for (int i = 0; i < n; ++i) { if (!prime(i)) continue; ++c; } return c; }
constexpr void swap(int& a, int& b) { int t = a; a = b; b = t; }
constexpr Pair minmax(int a, int b) { return a < b ? Pair{a, b} : Pair{b, a}; }
constexpr int sorted_middle() {
    int x[5] = {9, 2, 7, 4, 5};
    for (int i = 0; i < 5; ++i)
        for (int j = 0; j + 1 < 5; ++j)
            if (x[j] > x[j + 1]) swap(x[j], x[j + 1]);
    return x[2] * 10 + x[4];
}
constexpr int fill(int* out, int n) { for (int i = 0; i < n; i++) *out++ = i * i; return n; }
constexpr int table[] = {3, 1, 4, 1, 5, 9, 2, 6};
constexpr int switching(int n) {
    int r = 0;
    switch (n) {
        case 1: r += 1;
        case 2: r += 10; break;
        case 3: { r += 100; break; }
        default: r = -1;
    }
    return r;
}
constexpr int first_over(int limit) { int i = 0; for (;; ++i) { if (table[i] > limit) break; } return i; }
constexpr int logarithm(int n) { int l = 0; while (n >>= 1) ++l; return l; }
constexpr int power(int b, int e) { int r = 1; for (; e; e >>= 1, b *= b) if (e & 1) r *= b; return r; }
constexpr int ceiling(int a, int b) { return (a + b - 1) / b; }
constexpr int nested() { int c = 0; for (int i = 0; i < 5; ++i) for (int j = i; j < 5; j += 2) { if (j == 3) break; ++c; } return c; }
constexpr int shadow() { int x = 1; { int x = 2; x += 5; } for (int x = 0; x < 3; ++x) {} return x; }
constexpr int ranged() { int s = 0; for (int v : table) s = s * 2 + v; return s; }
constexpr int by_reference_loop() { int x[3] = {1, 2, 3}; for (int& v : x) v *= v; return x[0] + x[1] + x[2]; }

constexpr int answer_triangle() { return triangle(10); }
constexpr int answer_collatz() { return collatz(27); }
constexpr int answer_digits() { return digits(0) * 10 + digits(12345); }
constexpr int answer_primes() { return primes(30); }
constexpr int answer_swap() { int a = 1, b = 2; swap(a, b); return a * 10 + b; }
constexpr int answer_pair() { Pair p = minmax(7, 3); return p.a * 10 + p.b; }
constexpr int answer_bindings() { auto [low, high] = minmax(5, 2); return low * 10 + high; }
constexpr int answer_sorted() { return sorted_middle(); }
constexpr int answer_through_pointer() { int x[4] = {}; fill(x, 4); return x[2] * 10 + x[3]; }
constexpr int answer_table() { return table[4] + static_cast<int>(sizeof(table) / sizeof(table[0])); }
constexpr int answer_fall_through() { return switching(1) * 10000 + switching(2) * 100 + switching(3); }
constexpr int answer_default() { return switching(9); }
constexpr int answer_first_over() { return first_over(4); }
constexpr int answer_logarithm() { return logarithm(1000); }
constexpr int answer_power() { return power(3, 7); }
constexpr int answer_ceiling() { return ceiling(1000, 256); }
constexpr int answer_nested() { return nested(); }
constexpr int answer_shadow() { return shadow(); }
constexpr int answer_ranged() { return ranged(); }
constexpr int answer_references() { return by_reference_loop(); }
