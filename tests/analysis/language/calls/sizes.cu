// sizeof and alignof in expressions.
struct Mixed { char c; double d; short s; };
template <class T, int N>
struct Tile {
    T cell[N][N + 1];
    static constexpr int count = sizeof(cell) / sizeof(T);
    static constexpr int rows = sizeof(cell) / sizeof(cell[0]);
};
template <class T>
constexpr int per_word() { return 32 / (8 * sizeof(T)); }
constexpr float coefficients[] = {0.5f, 0.25f, 0.125f};
template <class T, int N>
constexpr int length(const T (&)[N]) { return N; }

constexpr int answer_struct() { return sizeof(Mixed); }
constexpr int answer_expression() { return sizeof(1 + 2.0f) * 10 + sizeof('a'); }
constexpr int answer_array() { double x[5] = {}; return sizeof x / sizeof *x; }
constexpr int answer_constant_array() { return sizeof(coefficients) / sizeof(float) + length(coefficients) * 10; }
constexpr int answer_text() { return sizeof("hello"); }
constexpr int answer_pointer() { char* p = nullptr; return sizeof(p) * 10 + sizeof(*p); }
constexpr int answer_reference() { double d = 0; double& r = d; return sizeof(r); }
constexpr int answer_member() { return sizeof(Mixed::d) + sizeof(((Mixed*)nullptr)->s); }
constexpr int answer_alignment() { return alignof(Mixed) * 10 + alignof(char[5]); }
constexpr int answer_tile() { return Tile<float, 16>::count + Tile<float, 16>::rows * 1000; }
constexpr int answer_per_word() { return per_word<char>() * 10 + per_word<short>(); }
constexpr int answer_signed_and_size() { int n = -1; return n < sizeof(int); }
constexpr int answer_size_is_long() { return sizeof(sizeof(int)); }
constexpr int answer_not_evaluated() { int i = 1; int s = sizeof(i++); return i * 10 + s; }
constexpr int answer_vector_types() { return sizeof(float4) * 10000 + sizeof(float3) * 100 + alignof(float2); }
