// The definitions with which CUDA C compiles as C++ and runs on one thread, for tests of the translation.
#include <math.h>

#define ONE_THREAD
#define __device__
#define __global__
#define __forceinline__ inline
#define __grid_constant__
#define __launch_bounds__(...)
#define __syncthreads() one_thread::barrier()

using one_thread::blockDim;
using one_thread::blockIdx;
using one_thread::threadIdx;

#define TURNS(type, k, ...) \
    for (one_thread::turns turns_##k(#k, __VA_ARGS__); turns_##k.next();) \
        if (type k = type(turns_##k.at); true)

#define SHARED_MEMORY(name, bytes)
#define SHARED_PART(name, offset, ...) SHARED(name, __VA_ARGS__)
#define SHARED(name, ...) \
    __VA_ARGS__ &name = \
        *(__VA_ARGS__ *)one_thread::shared_array(#name, sizeof(__VA_ARGS__), sizeof(__VA_ARGS__::at[0]))

template <typename To, typename From> static inline To cpu_bits(From v) {
    To to;
    static_assert(sizeof to == sizeof v, "");
    memcpy(&to, &v, sizeof to);
    return to;
}
static inline float __int_as_float(int v) { return cpu_bits<float>(v); }
static inline int __float_as_int(float v) { return cpu_bits<int>(v); }
static inline double __longlong_as_double(long long v) { return cpu_bits<double>(v); }
static inline long long __double_as_longlong(double v) { return cpu_bits<long long>(v); }
static inline float __fsqrt_rn(float v) { return sqrtf(v); }
static inline double __dsqrt_rn(double v) { return sqrt(v); }

template <typename T> CALLED static void atomicAdd(T *p, T v) {
    one_thread::observe(p, sizeof v, one_thread::adds);
    *p += v;
}
template <typename T> CALLED static void atomicMin(T *p, T v) {
    one_thread::observe(p, sizeof v, one_thread::minimises);
    *p = v < *p ? v : *p;
}
template <typename T> CALLED static void atomicMax(T *p, T v) {
    one_thread::observe(p, sizeof v, one_thread::maximises);
    *p = v > *p ? v : *p;
}

// atomic_float replaces *p by the number with the greater key: the larger float or the smaller one, by key_of. All NaNs
// have the same key; here the result is always NAN.
template <typename T> CALLED static void atomic_float(T *p, T v, unsigned long long (*key_of)(T)) {
    one_thread::observe(p, sizeof v, key_of(T(1)) > key_of(T(0)) ? one_thread::maximises : one_thread::minimises);
    if (key_of(v) > key_of(*p)) *p = v == v ? v : T(NAN);
}

template <typename R> static inline void reduce(R *result, unsigned long long key) {
    if (key) atomicMax(&result->key, key);
}

template <int N> static inline void copy_async(void *to, const void *from) { one_thread::begin_copy(to, from, N); }
static inline void copies_done() { one_thread::finish_copies(); }

#undef PLAIN
#undef CALLED
#undef BARRIER
#undef HOOKS
