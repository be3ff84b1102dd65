// Parameter packs: counting, folding, expanding, taking the first apart.
template <class... Ts>
constexpr int count(Ts...) { return sizeof...(Ts); }
template <class... Ts>
constexpr int bytes() { return (0 + ... + static_cast<int>(sizeof(Ts))); }
template <int... Ns>
constexpr int product() { return (Ns * ... * 1); }
template <class... Ts>
constexpr int sum(Ts... ts) { return (ts + ...); }
template <class... Ts>
constexpr int left_minus(Ts... ts) { return (... - ts); }
template <class... Ts>
constexpr int right_minus(Ts... ts) { return (ts - ...); }
template <bool... Bs>
constexpr bool all() { return (Bs && ...); }

constexpr int total() { return 0; }
template <class T, class... Rest>
constexpr int total(T first, Rest... rest) { return static_cast<int>(first) + total(rest...); }

template <class T>
constexpr int biggest(T a) { return a; }
template <class T, class... Rest>
constexpr int biggest(T a, Rest... rest) { int b = biggest(rest...); return a > b ? a : b; }

template <class... Ts>
constexpr int forwarded(Ts... ts) { return total(2 * ts...); }
template <int... Ns>
constexpr int nth(int i) { const int all[] = {Ns...}; return all[i]; }
template <class... Ts>
constexpr int ordered(Ts... ts) { int r = 0; ((r = 10 * r + ts), ...); return r; }
template <int... Ns>
struct Dims {
    static constexpr int rank = sizeof...(Ns);
    static constexpr int size = (1 * ... * Ns);
};
template <class T, T... Vs>
struct Values { static constexpr int count = sizeof...(Vs); };
template <int First, int... Rest>
struct Front { static constexpr int value = First; static constexpr int rest = sizeof...(Rest); };

constexpr int answer_count() { return count(1, 2.0, 'c'); }
constexpr int answer_count_none() { return count(); }
constexpr int answer_bytes() { return bytes<char, short, double>(); }
constexpr int answer_bytes_none() { return bytes<>(); }
constexpr int answer_product() { return product<2, 3, 7>(); }
constexpr int answer_sum() { return sum(1, 2, 3, 4); }
constexpr int answer_left_fold() { return left_minus(10, 3, 2); }
constexpr int answer_right_fold() { return right_minus(10, 3, 2); }
constexpr int answer_all() { return all<true, true>() + 2 * all<true, false>() + 4 * all<>(); }
constexpr int answer_recursive() { return total(1, 2.9, 3l); }
constexpr int answer_biggest() { return biggest(3, 9, 4); }
constexpr int answer_expanded_pattern() { return forwarded(1, 2, 3); }
constexpr int answer_nth() { return nth<5, 6, 7>(1); }
constexpr int answer_comma_fold() { return ordered(1, 2, 3); }
constexpr int answer_dims() { return Dims<2, 3, 4>::rank * 100 + Dims<2, 3, 4>::size; }
constexpr int answer_typed_values() { return Values<char, 'a', 'b'>::count; }
constexpr int answer_front() { return Front<8, 9, 10>::value * 10 + Front<8, 9, 10>::rest; }
