// What a template's parameters are deduced to, told by sizes and bounds.
template <class T, int N>
struct V { T v[N]; };
template <class T>
struct P { T x, y; };

template <class T>
constexpr int by_value(T) { return static_cast<int>(sizeof(T)); }
template <class T>
constexpr int by_pointer(T*) { return static_cast<int>(sizeof(T)); }
template <class T>
constexpr int by_reference(const T&) { return static_cast<int>(sizeof(T)); }
template <class T, int N>
constexpr int by_array(T (&)[N]) { return 100 * static_cast<int>(sizeof(T)) + N; }
template <class T, int R, int C>
constexpr int by_table(T (&)[R][C]) { return 1000 * R + C; }
template <class T>
constexpr int by_p(P<T>) { return static_cast<int>(sizeof(T)); }
template <class T, int N>
constexpr int by_v(const V<T, N>&) { return 100 * static_cast<int>(sizeof(T)) + N; }
template <class T>
constexpr int by_nested(P<P<T>>*) { return static_cast<int>(sizeof(T)); }
template <class T>
constexpr int by_function(T (*)(int)) { return static_cast<int>(sizeof(T)); }
template <template <class> class C, class T>
constexpr int by_template(C<T>) { return static_cast<int>(sizeof(T)); }
template <class T>
constexpr int by_forwarding(T&& t) { return static_cast<int>(sizeof(t)); }
template <class R, class T>
constexpr int result_given(T) { return 10 * static_cast<int>(sizeof(R)) + static_cast<int>(sizeof(T)); }
template <int N, class T>
constexpr int number_given(T) { return N * static_cast<int>(sizeof(T)); }
template <class T>
constexpr int max_of(T a, T b) { return a < b ? 1 : static_cast<int>(sizeof(T)); }

constexpr char char_of(int) { return 'c'; }
struct FromP : P<short> {};

constexpr int answer_value() { return by_value(1.0); }
constexpr int answer_value_of_array() { char text[9] = {}; return by_value(text); }
constexpr int answer_pointer() { short s = 0; return by_pointer(&s); }
constexpr int answer_pointer_from_array() { double d[4] = {}; return by_pointer(d); }
constexpr int answer_pointer_to_pointer() { char c = 0; char* p = &c; return by_pointer(&p); }
constexpr int answer_reference() { return by_reference('c'); }
constexpr int answer_reference_to_array() { short s[5] = {}; return by_reference(s); }
constexpr int answer_literal_text() { return by_reference("four"); }
constexpr int answer_array() { float f[7] = {}; return by_array(f); }
constexpr int answer_table() { float f[3][5] = {}; return by_table(f); }
constexpr int answer_class() { return by_p(P<long>()); }
constexpr int answer_class_and_number() { return by_v(V<short, 6>()); }
constexpr int answer_nested() { P<P<short>> p{}; return by_nested(&p); }
constexpr int answer_function() { return by_function(char_of); }
constexpr int answer_template_template() { return by_template(P<double>()); }
constexpr int answer_forwarded() { short s = 0; return by_forwarding(s); }
constexpr int answer_first_given() { return result_given<double>('c'); }
constexpr int answer_number_given() { return number_given<5>(1.0f); }
constexpr int answer_all_given() { return number_given<5, short>(1.0f); }
constexpr int answer_type_forced() { return max_of<double>(2, 1.5f); }
constexpr int answer_through_base() { return by_p(FromP()); }
