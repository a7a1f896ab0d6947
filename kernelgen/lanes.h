// The prelude of vector code. Each index has a lane of a vector; LANES is the number of lanes and REAL the kernel's
// precision, float or double. A mask selects the lanes for which a statement is executed.
#include <immintrin.h>
#include <stddef.h>

typedef int int32;
typedef long long int64;
typedef unsigned char uint8;
typedef unsigned int uint32;
typedef unsigned long long uint64;

#define INLINE static inline __attribute__((always_inline))
#define INLINED __attribute__((always_inline))
#define MEMBER inline __attribute__((always_inline))

// Vector is the compiler's vector type, Integer the signed integer of the size of T.
template <typename T> using Vector = T __attribute__((vector_size(sizeof(T) * LANES)));
template <int BYTES> struct Wide;
template <> struct Wide<1> { typedef signed char type; };
template <> struct Wide<4> { typedef int32 type; };
template <> struct Wide<8> { typedef int64 type; };
template <typename T> using Integer = typename Wide<sizeof(T)>::type;

// Functions that the compiler may call; there is no C library.
extern "C" __attribute__((no_builtin)) void *memset(void *to, int byte, size_t n) {
    for (size_t i = 0; i < n; i++) ((char *)to)[i] = char(byte);
    return to;
}
extern "C" __attribute__((no_builtin)) void *memcpy(void *to, const void *from, size_t n) {
    for (size_t i = 0; i < n; i++) ((char *)to)[i] = ((const char *)from)[i];
    return to;
}

// Mask has a bool for each lane, all bits set or none. All is the type of masks that select all lanes.
struct All {};
struct Mask {
    Vector<Integer<REAL>> v;
    Mask() = default;
    MEMBER Mask(bool all) { for (int l = 0; l < LANES; l++) v[l] = all ? -1 : 0; }
    MEMBER Mask(All) : Mask(true) {}
    template <typename X> MEMBER static Mask of(X x) {
        Mask m;
        m.v = __builtin_convertvector(x, Vector<Integer<REAL>>);
        return m;
    }
};

// bits returns an integer with a bit for each lane.
typedef bool Truth __attribute__((ext_vector_type(LANES)));
INLINE Truth truths(Mask m) { return __builtin_convertvector(m.v < 0, Truth); }
INLINE uint32 bits(Mask m) {
#if LANES == 4
    return __builtin_bit_cast(uint8, truths(m)) & 15;
#elif LANES == 8
    return __builtin_bit_cast(uint8, truths(m));
#elif LANES == 16
    return __builtin_bit_cast(unsigned short, truths(m));
#else
    return __builtin_bit_cast(uint32, truths(m));
#endif
}

// V has a number for each lane.
template <typename T> struct V {
    Vector<T> v;
    V() = default;
    MEMBER V(T x) { for (int l = 0; l < LANES; l++) v[l] = x; }
    template <typename X> MEMBER static V of(X x) { V r; r.v = (Vector<T>)x; return r; }
};

// Line is an index that increases by 1 from one lane to the next.
template <typename T> struct Line { T first; };

// Slice has the layout of a Go slice. Array is an array with value semantics, as in Go.
template <typename T> struct Slice {
    typedef T element;
    T *data;
    int64 len, cap;
};
template <typename T, int64 K> struct Array {
    typedef T element;
    T at[K];
    MEMBER T &operator[](int64 i) { return at[i]; }
    MEMBER const T &operator[](int64 i) const { return at[i]; }
};

// Lanes<T> has a T for each lane: of numbers a vector, of bools a mask, of structs and arrays one of their parts.
template <typename T> struct LanesOf;
#define NUMBER(T) template <> struct LanesOf<T> { typedef V<T> type; };
NUMBER(float) NUMBER(double) NUMBER(int32) NUMBER(int64) NUMBER(uint32) NUMBER(uint64) NUMBER(uint8)
template <> struct LanesOf<bool> { typedef Mask type; };
template <typename T> using Lanes = typename LanesOf<T>::type;
template <typename T, int64 K> struct LanesOf<Array<T, K>> { typedef Array<Lanes<T>, K> type; };
template <typename T, int64 K> struct LanesOf<Array<V<T>, K>> { typedef Array<V<T>, K> type; };

// The addresses of the lanes of a value in memory: with a fixed distance (Stride), consecutive with a mask (Window), or
// arbitrary (Spread). Lanes outside of a mask point to the array nowhere, so that all lanes can be loaded.
static const char nowhere[4096] __attribute__((aligned(64))) = {};
template <int STEP> struct Stride {
    char *first;
    MEMBER char *lane(int l, int64 more) const { return first + l * STEP + more; }
    MEMBER Stride moved(int64 more) const { return {first + more}; }
};
struct Window {
    char *first;
    Mask mask;
};
struct Spread {
    char *at[LANES];
    MEMBER char *lane(int l, int64 more) const { return at[l] + more; }
    MEMBER Spread moved(int64 more) const {
        Spread to;
        for (int l = 0; l < LANES; l++) to.at[l] = at[l] + more;
        return to;
    }
};

// Ref refers to a T in memory for each lane. A Ref to a struct has references to its fields.
template <typename T, typename P, int64 OFFSET> struct Ref {
    typedef T element;
    P place;
    MEMBER const Ref *operator->() const { return this; }
    MEMBER const Ref &operator*() const { return *this; }
    MEMBER Ref operator&() const { return *this; }
};

// The values of an expression in its lanes: value loads them, Kind is the type of their numbers. laned is true for types
// that have a value for each lane; Either is the Kind of an operation whose operands A and B have that Kind or are scalars.
struct None {};
template <typename X> struct KindOf { typedef None type; };
template <typename T> struct KindOf<V<T>> { typedef T type; };
template <typename T> struct KindOf<Line<T>> { typedef T type; };
template <typename T, typename P, int64 O> struct KindOf<Ref<T, P, O>> { typedef T type; };
template <typename X> using Kind = typename KindOf<X>::type;
template <typename A, typename B> struct Same { static constexpr bool is = false; };
template <typename A> struct Same<A, A> { static constexpr bool is = true; };
template <typename X> constexpr bool laned = !Same<Kind<X>, None>::is;
template <typename A, typename B> struct Either { typedef Kind<A> type; };
template <typename A, typename B> requires(!laned<A>) struct Either<A, B> { typedef Kind<B> type; };

template <typename X> INLINE X value(X x) { return x; }
template <typename T> INLINE V<T> value(Line<T> x) {
    V<T> r;
    for (int l = 0; l < LANES; l++) r.v[l] = x.first + l;
    return r;
}
template <typename T> constexpr bool number = false;
template <> constexpr bool number<float> = true;
template <> constexpr bool number<double> = true;
template <> constexpr bool number<int32> = true;
template <> constexpr bool number<int64> = true;
template <> constexpr bool number<uint8> = true;
template <> constexpr bool number<uint32> = true;
template <> constexpr bool number<uint64> = true;
template <typename T, typename P, int64 O> requires number<T> INLINE V<T> value(const Ref<T, P, O> &r) {
    V<T> x;
    for (int l = 0; l < LANES; l++) x.v[l] = *(const T *)r.place.lane(l, O);
    return x;
}
template <typename T> requires number<T> INLINE V<T> value(const Ref<T, Stride<sizeof(T)>, 0> &r) {
    V<T> x;
    __builtin_memcpy(&x.v, r.place.first, sizeof x.v);
    return x;
}
template <typename T> INLINE Vector<T> masked(const T *p, Mask m) {
    typedef T Extended __attribute__((ext_vector_type(LANES)));
    return (Vector<T>)__builtin_masked_load(truths(m), p, Extended(T(0)));
}
template <typename T> requires number<T> INLINE V<T> value(const Ref<T, Window, 0> &r) {
    return V<T>::of(masked((const T *)r.place.first, r.place.mask));
}
template <typename P, int64 O> INLINE Mask value(const Ref<bool, P, O> &r) {
    Mask m;
    for (int l = 0; l < LANES; l++) m.v[l] = *(const bool *)r.place.lane(l, O) ? -1 : 0;
    return m;
}

// vector converts an operand to the compiler's vector of T.
template <typename T, typename X> INLINE Vector<T> vector(const X &x) {
    if constexpr (laned<X>) {
        const auto all = value(x);
        if constexpr (Same<Kind<X>, T>::is) return all.v;
        else return __builtin_convertvector(all.v, Vector<T>);
    } else {
        return V<T>(T(x)).v;
    }
}

#define ARITHMETIC(OP) \
    template <typename A, typename B> requires(laned<A> || laned<B>) INLINE auto operator OP(const A &a, const B &b) { \
        typedef typename Either<A, B>::type T; \
        return V<T>::of(vector<T>(a) OP vector<T>(b)); \
    }
ARITHMETIC(+) ARITHMETIC(-) ARITHMETIC(*) ARITHMETIC(/) ARITHMETIC(&) ARITHMETIC(|) ARITHMETIC(^) ARITHMETIC(<<) ARITHMETIC(>>)
ARITHMETIC(%)
#define COMPARISON(OP) \
    template <typename A, typename B> requires(laned<A> || laned<B>) INLINE Mask operator OP(const A &a, const B &b) { \
        typedef typename Either<A, B>::type T; \
        return Mask::of(vector<T>(a) OP vector<T>(b)); \
    }
COMPARISON(<) COMPARISON(<=) COMPARISON(>) COMPARISON(>=) COMPARISON(==) COMPARISON(!=)
template <typename A> requires laned<A> INLINE auto operator-(const A &a) { return V<Kind<A>>::of(-vector<Kind<A>>(a)); }
template <typename A> requires laned<A> INLINE auto operator~(const A &a) { return V<Kind<A>>::of(~vector<Kind<A>>(a)); }

// Logical operators on masks.
template <typename X> constexpr bool truth = Same<X, Mask>::is || Same<X, All>::is;
template <typename P, int64 O> constexpr bool truth<Ref<bool, P, O>> = true;
INLINE Mask mask(bool x) { return Mask(x); }
INLINE Mask mask(All) { return Mask(true); }
INLINE Mask mask(Mask x) { return x; }
template <typename P, int64 O> INLINE Mask mask(const Ref<bool, P, O> &x) { return value(x); }
template <typename A, typename B> requires(truth<A> || truth<B>) INLINE Mask operator&&(const A &a, const B &b) {
    return Mask::of(mask(a).v & mask(b).v);
}
template <typename A, typename B> requires(truth<A> || truth<B>) INLINE Mask operator||(const A &a, const B &b) {
    return Mask::of(mask(a).v | mask(b).v);
}
template <typename A, typename B> requires(truth<A> || truth<B>) INLINE Mask operator==(const A &a, const B &b) {
    return Mask::of(~(mask(a).v ^ mask(b).v));
}
template <typename A, typename B> requires(truth<A> || truth<B>) INLINE Mask operator!=(const A &a, const B &b) {
    return Mask::of(mask(a).v ^ mask(b).v);
}
template <typename A> requires truth<A> INLINE Mask operator!(const A &a) { return Mask::of(~mask(a).v); }

// settled returns a mask of which the compiler does not know how it was computed. With AVX2 it would otherwise keep a mask
// that several blocks use in elements of half the size, and extend them at each use. AVX-512 has registers for masks, and
// masks of two vectors would take too many registers.
template <typename M> INLINE M settled(M m) {
#ifndef __AVX512F__
    if constexpr (sizeof(M) == 32) asm("" : "+x"(m.v));
#endif
    return m;
}

// any reports whether a mask selects any lane. remain does so for a mask that later statements use.
INLINE constexpr bool any(All) { return true; }
INLINE bool any(Mask m) { return bits(m) != 0; }
INLINE constexpr bool remain(All) { return true; }
INLINE bool remain(Mask &m) {
    m = settled(m);
    return any(m);
}
INLINE Mask varying(All) { return Mask(true); }
INLINE Mask varying(Mask m) { return m; }

// select returns a in lanes of the mask and b in others.
template <typename T> INLINE V<T> select(Mask m, V<T> a, V<T> b) {
    return V<T>::of(__builtin_convertvector(m.v, Vector<Integer<T>>) < 0 ? a.v : b.v);
}
INLINE Mask select(Mask m, Mask a, Mask b) { return Mask::of((m.v & a.v) | (~m.v & b.v)); }

// A branch under the mask m. If the condition is a scalar (Uniform), it is an ordinary branch. If lanes differ (Varying),
// a branch is executed if some lanes take it; with ASK false it is always executed, which costs less than the test.
// taken and other call f for the lanes of the first and of the second branch, with mask All if these are all lanes. If
// the lanes of the first branch return, follow calls f for the statements after it, with the mask of the lanes left.
template <typename M> struct Uniform {
    M m;
    bool c;
    MEMBER bool some() const { return c; }
    MEMBER bool rest() const { return !c; }
    MEMBER M mask() const { return m; }
    MEMBER M others() const { return m; }
    template <typename F> MEMBER void taken(F f) const { if (c) f(m); }
    template <typename F> MEMBER void other(F f) const { if (!c) f(m); }
    template <typename F> MEMBER void follow(Mask left, F f) const { if (c) f(left); else f(m); }
};
template <typename M, bool ASK> struct Varying {
    Mask yes, no;
    MEMBER bool some() const { return !ASK || any(yes); }
    MEMBER bool rest() const { return !ASK || any(no); }
    MEMBER Mask mask() const { return yes; }
    MEMBER Mask others() const { return no; }
    template <typename F> MEMBER void taken(F f) const { way(yes, no, f); }
    template <typename F> MEMBER void other(F f) const { way(no, yes, f); }
    template <typename F> MEMBER static void way(Mask mine, Mask others, F f) {
        if constexpr (Same<M, All>::is)
            if (!any(others)) return f(All{});
        if (any(mine)) f(mine);
    }
    template <typename F> MEMBER void follow(Mask left, F f) const {
        if constexpr (Same<M, All>::is)
            if (!any(yes)) return f(All{});
        f(left);
    }
};
template <typename M> INLINE auto branch(M m, bool c) { return Uniform<M>{m, c}; }
template <typename M> INLINE auto blend(M m, bool c) { return Uniform<M>{m, c}; }
template <typename M, typename C> requires truth<C> INLINE auto branch(M m, const C &c) {
    return Varying<M, true>{settled(m && c), settled(m && !c)};
}
template <typename M, typename C> requires truth<C> INLINE auto blend(M m, const C &c) {
    return Varying<M, false>{m && c, m && !c};
}
// both and either evaluate b only for the lanes that need it, as Go's && and ||.
template <typename M, typename B> INLINE auto both(M m, bool a, B b) {
    typedef decltype(b(m)) R;
    if constexpr (truth<R>) return a ? mask(b(m)) : Mask(false);
    else return a && b(m);
}
template <typename M, typename B> INLINE Mask both(M m, Mask a, B b) {
    const Mask need = settled(m && a);
    return any(need) ? a && mask(b(need)) : Mask(false);
}
template <typename M, typename B> INLINE auto either(M m, bool a, B b) {
    typedef decltype(b(m)) R;
    if constexpr (truth<R>) return a ? Mask(true) : mask(b(m));
    else return a || b(m);
}
template <typename M, typename B> INLINE Mask either(M m, Mask a, B b) {
    const Mask need = settled(m && !a);
    return any(need) ? a || mask(b(need)) : a;
}

// keep narrows a loop's mask to the lanes that continue, and reports whether there are any.
INLINE bool keep(All, bool c) { return c; }
INLINE bool keep(Mask &m, bool c) { return c && any(m); }
template <typename C> requires truth<C> INLINE bool keep(Mask &m, const C &c) {
    m = settled(m && c);
    return any(m);
}
// drop removes lanes from masks.
template <typename... M> INLINE void drop(Mask gone, M &...from) { ((from = from && !gone), ...); }

// set assigns to the lanes of a mask.
template <typename T, typename X> requires number<T> INLINE void set(All, V<T> &to, const X &x) { to.v = vector<T>(x); }
template <typename T, typename X> requires number<T> INLINE void set(Mask m, V<T> &to, const X &x) {
    to = select(m, V<T>::of(vector<T>(x)), to);
}
template <typename X> INLINE void set(All, Mask &to, const X &x) { to = mask(x); }
template <typename X> INLINE void set(Mask m, Mask &to, const X &x) { to = select(m, mask(x), to); }
template <typename M, typename T, typename X> requires(number<T> && !laned<X>) INLINE void set(M, T &to, const X &x) { to = T(x); }
template <typename T, typename P, int64 O, typename X> requires number<T> INLINE void set(All, const Ref<T, P, O> &to, const X &x) {
    const Vector<T> v = vector<T>(x);
    if constexpr (Same<P, Stride<sizeof(T)>>::is && O == 0) __builtin_memcpy(to.place.first, &v, sizeof v);
    else for (int l = 0; l < LANES; l++) *(T *)to.place.lane(l, O) = v[l];
}
template <typename T, typename P, int64 O, typename X> requires number<T> INLINE void set(Mask m, const Ref<T, P, O> &to, const X &x) {
    const Vector<T> v = vector<T>(x);
    const uint32 which = bits(m);
    for (int l = 0; l < LANES; l++)
        if (which >> l & 1) {
            if constexpr (Same<P, Window>::is) ((T *)to.place.first)[l] = v[l];
            else *(T *)to.place.lane(l, O) = v[l];
        }
}
template <typename M, typename T, int64 K, typename X> INLINE void set(M m, Array<T, K> &to, const X &x) {
    for (int64 k = 0; k < K; k++) set(m, to.at[k], x[k]);
}

// at returns an element of a slice or an array.
template <typename M, typename T, typename I> requires(!laned<I>) INLINE T &at(M, const Slice<T> &x, I i) { return x.data[i]; }
template <typename T, typename I> INLINE Ref<T, Stride<sizeof(T)>, 0> at(All, const Slice<T> &x, Line<I> i) {
    return {{(char *)(x.data + i.first)}};
}
template <typename T, typename I> requires number<T> INLINE Ref<T, Window, 0> at(Mask m, const Slice<T> &x, Line<I> i) {
    return {{(char *)(x.data + i.first), m}};
}
template <typename T, typename I> INLINE Spread spread(All, T *data, const V<I> &i) {
    Spread to;
    for (int l = 0; l < LANES; l++) to.at[l] = (char *)(data + i.v[l]);
    return to;
}
template <typename T, typename I> INLINE Spread spread(Mask m, T *data, const V<I> &i) {
    static_assert(sizeof(T) <= sizeof nowhere);
    Spread to;
    const Vector<int64> there = __builtin_convertvector(m.v, Vector<int64>) ?
        __builtin_convertvector(i.v, Vector<int64>) * int64(sizeof(T)) + V<int64>(int64(data)).v : V<int64>(int64(nowhere)).v;
    for (int l = 0; l < LANES; l++) to.at[l] = (char *)there[l];
    return to;
}
template <typename M, typename T, typename I> requires laned<I> INLINE Ref<T, Spread, 0> at(M m, const Slice<T> &x, const I &i) {
    return {spread(m, x.data, value(i))};
}
template <typename M, typename T, int64 K, typename I> requires(!laned<I>) INLINE T &at(M, Array<T, K> &x, I i) { return x.at[i]; }
template <typename M, typename T, int64 K, typename I> requires(!laned<I>) INLINE const T &at(M, const Array<T, K> &x, I i) { return x.at[i]; }
template <typename M, typename T, int64 K, typename P, int64 O, typename I> requires(!laned<I>)
INLINE Ref<T, P, O> at(M, const Ref<Array<T, K>, P, O> &x, I i) { return {x.place.moved(int64(i) * sizeof(T))}; }
template <typename M, typename T, int64 K, typename P, int64 O, typename I> requires laned<I>
INLINE Ref<T, Spread, O> at(M m, const Ref<Array<T, K>, P, O> &x, const I &i) {
    V<int64> n = V<int64>::of(vector<int64>(i));
    if constexpr (!Same<M, All>::is) n = select(m, n, V<int64>(0));
    Ref<T, Spread, O> to;
    for (int l = 0; l < LANES; l++) to.place.at[l] = x.place.lane(l, 0) + n.v[l] * int64(sizeof(T));
    return to;
}
// If each lane has its own index into an array of vectors, the element is selected among all elements.
template <typename M, typename T, int64 K, typename I> requires laned<I> INLINE V<T> at(M, const Array<V<T>, K> &x, const I &i) {
    V<T> to = x.at[0];
    for (int64 k = 1; k < K; k++) to = select(i == k, x.at[k], to);
    return to;
}

// cast converts numbers as Go does.
template <typename T, typename X> requires(!laned<X>) INLINE T cast(const X &x) { return T(x); }
template <typename T, typename X> requires laned<X> INLINE V<T> cast(const X &x) { return V<T>::of(vector<T>(x)); }
template <typename T, typename I> INLINE Line<T> cast(const Line<I> &x) { return {T(x.first)}; }

// Integers wrap around. A Line plus or minus a scalar is a Line.
#define WRAPPING(NAME, OP) \
    template <typename A, typename B> requires(laned<A> || laned<B>) INLINE auto NAME(const A &a, const B &b) { return a OP b; } \
    INLINE int32 NAME(int32 a, int32 b) { return int32(uint32(a) OP uint32(b)); } \
    INLINE int64 NAME(int64 a, int64 b) { return int64(uint64(a) OP uint64(b)); }
WRAPPING(add, +) WRAPPING(sub, -) WRAPPING(mul, *)
template <typename T> INLINE Line<T> add(Line<T> a, T b) { return {add(a.first, b)}; }
template <typename T> INLINE Line<T> add(T a, Line<T> b) { return {add(a, b.first)}; }
template <typename T> INLINE Line<T> sub(Line<T> a, T b) { return {sub(a.first, b)}; }
INLINE int32 neg(int32 a) { return int32(0u - uint32(a)); }
INLINE int64 neg(int64 a) { return int64(0ull - uint64(a)); }
template <typename A> requires laned<A> INLINE auto neg(const A &a) { return -a; }
template <typename T> requires(!laned<T>) INLINE T quo(T a, T b) { return b == 0 ? T(-1) : T(-1) < 0 && b == T(-1) ? neg(a) : a / b; }
template <typename T> requires(!laned<T>) INLINE T rem(T a, T b) { return b == 0 ? a : T(-1) < 0 && b == T(-1) ? T(0) : a % b; }
template <typename T> requires(!laned<T>) INLINE T shl(T a, uint64 n) { return n < sizeof(T) * 8 ? T(uint64(a) << n) : T(0); }
template <typename T> requires(!laned<T>) INLINE T shr(T a, uint64 n) { return n < sizeof(T) * 8 ? T(a >> n) : T(a < 0 ? -1 : 0); }
template <typename A> requires laned<A> INLINE auto shl(const A &a, uint64 n) {
    return n < sizeof(Kind<A>) * 8 ? a << Kind<A>(n) : V<Kind<A>>(Kind<A>(0));
}
template <typename A> requires laned<A> INLINE auto shr(const A &a, uint64 n) {
    return n < sizeof(Kind<A>) * 8 ? a >> Kind<A>(n) : a >> Kind<A>(sizeof(Kind<A>) * 8 - 1);
}

// Functions of package math that are correctly rounded.
#define ROUNDED(NAME, BUILTIN) \
    INLINE double NAME(double x) { return BUILTIN(x); } \
    INLINE float NAME(float x) { return BUILTIN(x); } \
    template <typename A> requires laned<A> INLINE auto NAME(const A &a) { return V<Kind<A>>::of(BUILTIN(vector<Kind<A>>(a))); }
ROUNDED(root, __builtin_elementwise_sqrt) ROUNDED(absolute, __builtin_elementwise_abs) ROUNDED(round_down, __builtin_elementwise_floor)
ROUNDED(round_up, __builtin_elementwise_ceil) ROUNDED(round_off, __builtin_elementwise_trunc)
INLINE double math_Inf(int64 sign) { return sign >= 0 ? __builtin_inf() : -__builtin_inf(); }
INLINE double math_NaN() { return __builtin_nan("1"); }
template <typename A> INLINE auto math_IsNaN(const A &a) { return a != a; }
template <typename A> INLINE auto math_IsInf(const A &a, int64 sign) {
    return (sign >= 0 && a == math_Inf(1)) || (sign <= 0 && a == math_Inf(-1));
}
template <typename A, typename B> requires(laned<A> || laned<B>) INLINE auto copy_sign(const A &a, const B &b) {
    typedef typename Either<A, B>::type T;
    return V<T>::of(__builtin_elementwise_copysign(vector<T>(a), vector<T>(b)));
}
INLINE double copy_sign(double a, double b) { return __builtin_copysign(a, b); }
INLINE float copy_sign(float a, float b) { return __builtin_copysignf(a, b); }

// Go's min and max: a NaN wins, and -0 is less than 0.
template <typename T> INLINE V<T> least(V<T> a, V<T> b) {
    if constexpr (T(0.5) == T(0)) return select(b < a, b, a);
    const V<T> low = V<T>::of((Vector<Integer<T>>)a.v | (Vector<Integer<T>>)b.v);
    return select(a < b, a, select(b < a, b, select(a == b, low, a + b)));
}
template <typename T> INLINE V<T> most(V<T> a, V<T> b) {
    if constexpr (T(0.5) == T(0)) return select(b > a, b, a);
    const V<T> high = V<T>::of((Vector<Integer<T>>)a.v & (Vector<Integer<T>>)b.v);
    return select(a > b, a, select(b > a, b, select(a == b, high, a + b)));
}
template <typename T, typename A, typename B> requires(laned<A> || laned<B>) INLINE V<T> go_min(const A &a, const B &b) {
    return least(V<T>::of(vector<T>(a)), V<T>::of(vector<T>(b)));
}
template <typename T, typename A, typename B> requires(laned<A> || laned<B>) INLINE V<T> go_max(const A &a, const B &b) {
    return most(V<T>::of(vector<T>(a)), V<T>::of(vector<T>(b)));
}
template <typename T> INLINE T go_min(T a, T b) { return go_min<T>(V<T>(a), V<T>(b)).v[0]; }
template <typename T> INLINE T go_max(T a, T b) { return go_max<T>(V<T>(a), V<T>(b)).v[0]; }

// atomic_add adds the sum of all lanes of a mask.
template <typename M, typename T, typename X> INLINE void atomic_add(M m, T *p, const X &x) {
    T sum = 0;
    if constexpr (laned<X>) {
        const Vector<T> v = vector<T>(x);
        for (int l = 0; l < LANES; l++) sum += bits(varying(m)) >> l & 1 ? v[l] : T(0);
    } else {
        sum = T(__builtin_popcount(bits(varying(m)))) * T(x);
    }
    __atomic_fetch_add(p, sum, __ATOMIC_RELAXED);
}

// reduce stores the reduction of all lanes by wins, which is least or most.
template <typename T> INLINE void reduce(T *to, V<T> all, V<T> (*wins)(V<T>, V<T>)) {
    V<T> one = V<T>(all.v[0]);
    for (int l = 1; l < LANES; l++) one = wins(one, V<T>(all.v[l]));
    *to = one.v[0];
}

// lanes converts a value to one with a value for each lane.
template <typename T, typename X> requires number<T> INLINE V<T> lanes(const X &x) { return V<T>::of(vector<T>(x)); }
template <typename T, typename X> requires Same<T, bool>::is INLINE Mask lanes(const X &x) { return mask(x); }
template <typename T> requires(!number<T> && !Same<T, bool>::is) INLINE Lanes<T> lanes(const Lanes<T> &x) { return x; }
template <typename T, typename P, int64 O> requires(!number<T> && !Same<T, bool>::is) INLINE Lanes<T> lanes(const Ref<T, P, O> &x) {
    return value(x);
}
template <typename T, typename E, int64 K> requires Same<T, Array<E, K>>::is INLINE Lanes<T> lanes(const Array<E, K> &x) {
    Lanes<T> to;
    for (int64 k = 0; k < K; k++) to.at[k] = lanes<E>(x.at[k]);
    return to;
}
template <typename T, int64 K, typename P, int64 O> INLINE Array<Lanes<T>, K> value(const Ref<Array<T, K>, P, O> &r) {
    Array<Lanes<T>, K> to;
    for (int64 k = 0; k < K; k++) to.at[k] = value(at(All{}, r, k));
    return to;
}
template <typename M, typename T, int64 K, typename P, int64 O, typename X> INLINE void set(M m, const Ref<Array<T, K>, P, O> &to, const X &x) {
    for (int64 k = 0; k < K; k++) set(m, at(All{}, to, k), x.at[k]);
}
template <typename M, typename P, int64 O, typename X> INLINE void set(M m, const Ref<bool, P, O> &to, const X &x) {
    const uint32 which = bits(varying(m)), all = bits(mask(x));
    for (int l = 0; l < LANES; l++)
        if (which >> l & 1) *(bool *)to.place.lane(l, O) = all >> l & 1;
}

// counter returns the initial value of a loop variable, course the mask of a loop without break, continue and return.
template <typename T, typename X> requires(!laned<X>) INLINE T counter(const X &x) { return T(x); }
template <typename T, typename X> requires laned<X> INLINE V<T> counter(const X &x) { return V<T>::of(vector<T>(x)); }
template <typename M> INLINE M course(M m, bool) { return m; }
template <typename M, typename C> requires truth<C> INLINE Mask course(M m, const C &) { return varying(m); }
