// Template arguments left out: defaults that are types, values, other parameters and traits.
template <class T>
struct Accumulator { using type = T; };
template <>
struct Accumulator<float> { using type = double; };
template <>
struct Accumulator<char> { using type = int; };

template <class T = int>
constexpr int plain() { return static_cast<int>(sizeof(T)); }
template <class T, class A = typename Accumulator<T>::type>
constexpr int sum_size(T) { return static_cast<int>(sizeof(A)); }
template <class T, int N = 16 / sizeof(T)>
struct Pack { static constexpr int lanes = N; };
template <class A, class B = A, class C = B>
struct Three { static constexpr int bytes = sizeof(A) + 10 * sizeof(B) + 100 * sizeof(C); };
template <int BLOCK = 256, bool CHECK = (BLOCK > 128)>
constexpr int launch() { return BLOCK + (CHECK ? 1 : 0); }
template <class T, class = void>
struct Second { static constexpr int value = 1; };
template <class T>
struct Second<T, typename Accumulator<T>::missing> { static constexpr int value = 2; };

constexpr int answer_all_left_out() { return plain(); }
constexpr int answer_given() { return plain<double>(); }
constexpr int answer_trait_of_float() { return sum_size(1.0f); }
constexpr int answer_trait_of_char() { return sum_size('c'); }
constexpr int answer_trait_replaced() { return sum_size<float, short>(1.0f); }
constexpr int answer_value_from_type() { return Pack<float>::lanes; }
constexpr int answer_value_from_short() { return Pack<short>::lanes; }
constexpr int answer_value_given() { return Pack<short, 3>::lanes; }
constexpr int answer_chained() { return Three<short>::bytes; }
constexpr int answer_chained_half() { return Three<char, double>::bytes; }
constexpr int answer_values() { return launch(); }
constexpr int answer_value_changes_other() { return launch<64>(); }
constexpr int answer_failed_specialisation() { return Second<int>::value; }
