// A plain function is taken before a template that fits as well; a template that fits better wins.
constexpr int f(double) { return 1; }
template <class T>
constexpr int f(T) { return 2; }

constexpr int g(int) { return 1; }
template <class T>
constexpr int g(T) { return 2; }

template <class T>
constexpr int h(T) { return 1; }
template <class T>
constexpr int h(T*) { return 2; }
constexpr int h(const char*) { return 3; }

constexpr int answer_exact_plain() { return f(1.0); }
constexpr int answer_template_fits_better() { return f(1); }
constexpr int answer_template_for_float() { return f(1.0f); }
constexpr int answer_template_asked_for() { return f<double>(1.0); }
constexpr int answer_empty_brackets() { return g<>(1); }
constexpr int answer_plain_int() { return g(1); }
constexpr int answer_char_goes_to_template() { return g('c'); }
constexpr int answer_pointer_template() { int x = 0; return h(&x); }
constexpr int answer_plain_for_text() { return h("text"); }
constexpr int answer_value_template() { return h(1); }
