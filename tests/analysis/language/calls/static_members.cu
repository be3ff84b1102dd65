// Static constants of class templates, through one another and through aliases.
template <class T>
struct Traits {
    static const int lanes = 1;
    static constexpr bool wide = false;
    enum { bytes = sizeof(T) };
    using element = T;
};
template <>
struct Traits<float4> {
    static const int lanes = 4;
    static constexpr bool wide = true;
    enum { bytes = 16 };
    using element = float;
};
template <class T, int BLOCK>
struct Policy {
    static constexpr int items = Traits<T>::lanes * 2;
    static constexpr int tile = BLOCK * items;
    static constexpr int bytes = tile * Traits<T>::bytes;
    static constexpr unsigned mask = (1u << items) - 1;
    static constexpr int table[4] = {1, 10, 100, items};
    struct Inner { static constexpr int depth = tile / 2; };
};
using Chosen = Policy<float4, 32>;

struct Plain {
    static const int first = 3;
    static constexpr int second = first * first;
    static constexpr int method(int x) { return x + second; }
};

template <class T>
constexpr int through() { return static_cast<int>(sizeof(typename Traits<T>::element)) + Traits<T>::lanes; }

template <class T>
constexpr int variable = 7;
template <>
constexpr int variable<double> = 8;
template <class T>
constexpr int variable<T*> = 9;

constexpr int answer_general() { return Traits<double>::lanes + Traits<double>::bytes; }
constexpr int answer_special() { return Traits<float4>::lanes + Traits<float4>::bytes; }
constexpr int answer_policy() { return Policy<double, 128>::tile; }
constexpr int answer_alias() { return Chosen::bytes; }
constexpr int answer_mask() { return static_cast<int>(Chosen::mask); }
constexpr int answer_table() { return Chosen::table[2] + Chosen::table[3]; }
constexpr int answer_inner() { return Chosen::Inner::depth; }
constexpr int answer_plain() { return Plain::second; }
constexpr int answer_static_method() { return Plain::method(1); }
constexpr int answer_through_object() { Plain p; return p.second; }
constexpr int answer_in_function() { return through<float4>() * 100 + through<short>(); }
constexpr int answer_condition() { return Traits<float4>::wide ? 1 : 2; }
constexpr int answer_variable_template() { return variable<int> * 100 + variable<double> * 10 + variable<char*>; }
