// Tables and constants: const and constexpr variables at file, class and function scope.
constexpr int offsets[3][2] = {{1, 2}, {3, 4}, {5, 6}};
const int count = 4;
const int doubled = count * 2;
constexpr double weights[] = {0.5, 1.5, 2.5};
static const int fixed = doubled + 1;
constexpr const char* word = "abc";
constexpr char letters[] = "xyz";
enum { BLOCK = 32, WARPS = BLOCK / 8 };
struct Config { int rows, columns; bool transposed; };
constexpr Config config = {8, 16, true};
constexpr Config configs[2] = {{1, 2, false}, {3, 4, true}};
constexpr int area(const Config& c) { return c.transposed ? c.columns * 100 + c.rows : c.rows * 100 + c.columns; }
struct Tables {
    static constexpr int powers[4] = {1, 3, 9, 27};
    static constexpr Config inner = {2, 2, false};
    static constexpr float scale = 1.5f;
};
template <int N>
struct Generated {
    int v[N];
    constexpr Generated() : v() { for (int i = 0; i < N; ++i) v[i] = i * N; }
};
constexpr Generated<4> generated;
template <class T>
constexpr T pi = T(3.1415926535897932385L);
inline constexpr int shared_size = count << 2;
constexpr int local() { const int n = 3; constexpr int m = n * 2; int a[m] = {}; a[m - 1] = 7; return a[5] + m; }

constexpr int answer_table() { return offsets[2][0] * 10 + offsets[1][1]; }
constexpr int answer_chained() { return fixed; }
constexpr int answer_weights() { return static_cast<int>(weights[0] + weights[1] + weights[2] * 2); }
constexpr int answer_text() { return word[1] - 'a' + static_cast<int>(sizeof(letters)) * 10 + (word[3] == 0); }
constexpr int answer_enumerator() { return WARPS; }
constexpr int answer_struct() { return area(config); }
constexpr int answer_struct_table() { return area(configs[0]) + area(configs[1]); }
constexpr int answer_class_table() { return Tables::powers[3] + Tables::inner.rows; }
constexpr int answer_class_float() { return static_cast<int>(Tables::scale * 10); }
constexpr int answer_generated() { return generated.v[3] * 10 + static_cast<int>(sizeof(generated.v) / sizeof(int)); }
constexpr int answer_variable_template() { return static_cast<int>(pi<float> * 1000) - pi<int>; }
constexpr int answer_inline() { return shared_size; }
constexpr int answer_local() { return local(); }
constexpr int answer_loop_over_table() { int s = 0; for (auto& row : offsets) for (int v : row) s += v; return s; }
