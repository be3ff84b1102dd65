// Members of the same name in base and derived class, hiding, `using`, and calls from the base.
struct Base {
    int value = 1;
    constexpr int f() const { return 10; }
    constexpr int f(int) const { return 11; }
    constexpr int calls() const { return f(); }
    static constexpr int level = 1;
};
struct Derived : Base {
    int value = 2;
    constexpr int f() const { return 20; }
    static constexpr int level = 2;
    constexpr int base_value() const { return Base::value; }
    constexpr int base_f() const { return Base::f(3); }
};
struct Reopened : Base {
    using Base::f;
    constexpr int f(double) const { return 30; }
};
struct Deeper : Derived {
    constexpr int both() const { return value * 10 + Base::value; }
};
struct Left { static constexpr int id = 5; constexpr int name() const { return 1; } };
struct Right { static constexpr int id = 6; constexpr int name() const { return 2; } };
struct Joined : Left, Right { constexpr int both() const { return Left::id * 10 + Right::name(); } };

template <class T>
struct TemplateBase {
    T held = 3;
    constexpr int g() const { return static_cast<int>(sizeof(T)); }
};
template <class T>
struct FromTemplate : TemplateBase<T> {
    constexpr int h() const { return this->held * 10 + this->g(); }
    constexpr int qualified() const { return TemplateBase<T>::g(); }
};
constexpr int g() { return 77; }
template <class T>
struct Unqualified : TemplateBase<T> {
    constexpr int h() const { return g(); }
};
struct Inherits : Base {
    using Base::Base;
};

constexpr int answer_own_field() { return Derived().value; }
constexpr int answer_base_field() { return Derived().Base::value; }
constexpr int answer_base_through_method() { return Derived().base_value(); }
constexpr int answer_hidden() { return Derived().f(); }
constexpr int answer_base_calls_its_own() { return Derived().calls(); }
constexpr int answer_qualified_overload() { return Derived().base_f(); }
constexpr int answer_sliced() { Derived d; Base b = d; return b.f() + b.value; }
constexpr int answer_reference_to_base() { Derived d; const Base& b = d; return b.f(); }
constexpr int answer_using() { return Reopened().f(1) + Reopened().f() + Reopened().f(1.0); }
constexpr int answer_inherited() { return Deeper().both() + Deeper().f(); }
constexpr int answer_static_levels() { return Derived::level * 10 + Derived::Base::level; }
constexpr int answer_two_bases() { return Joined().both(); }
constexpr int answer_template_base() { return FromTemplate<short>().h(); }
constexpr int answer_template_base_qualified() { return FromTemplate<double>().qualified(); }
constexpr int answer_unqualified_is_not_dependent() { return Unqualified<int>().h(); }
constexpr int answer_inherited_field() { Inherits i; i.value = 9; return i.value + i.f(2); }
