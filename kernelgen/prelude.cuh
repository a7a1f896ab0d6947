typedef int int32;
typedef long long int64;
typedef unsigned char uint8;
typedef unsigned int uint32;
typedef unsigned long long uint64;

#define DEVICE static __device__ __forceinline__

// SHARED declares an array in the shared memory of a block, and TURNS is a loop whose iterations are distributed over
// the block's threads. Tests that run kernels on one thread of the CPU define ONE_THREAD and macros of their own.
#ifndef ONE_THREAD
#define SHARED(name, ...) __shared__ __VA_ARGS__ name
#define TURNS(type, k, ...) for (type k = threadIdx.x, end_##k = __VA_ARGS__; k < end_##k; k += blockDim.x)
#endif

// NVRTC has no stddef.h.
#ifdef __CUDACC_RTC__
#define offsetof(type, field) __INTADDR__(&((type *)0)->field)
#else
#include <stddef.h>
#endif

// Slice has the layout of a Go slice.
template <typename T> struct Slice {
    T *data;
    int64 len, cap;
    __device__ __forceinline__ T &operator[](int64 i) const { return data[i]; }
};

// Array is a value, as a Go array is.
template <typename T, int64 N> struct Array {
    T at[N];
    __device__ __forceinline__ T &operator[](int64 i) { return at[i]; }
    __device__ __forceinline__ const T &operator[](int64 i) const { return at[i]; }
};

// Signed integers wrap around in Go; in C++ their overflow is undefined.
DEVICE int32 add(int32 a, int32 b) { return int32(uint32(a) + uint32(b)); }
DEVICE int64 add(int64 a, int64 b) { return int64(uint64(a) + uint64(b)); }
DEVICE int32 sub(int32 a, int32 b) { return int32(uint32(a) - uint32(b)); }
DEVICE int64 sub(int64 a, int64 b) { return int64(uint64(a) - uint64(b)); }
DEVICE int32 mul(int32 a, int32 b) { return int32(uint32(a) * uint32(b)); }
DEVICE int64 mul(int64 a, int64 b) { return int64(uint64(a) * uint64(b)); }
DEVICE int32 neg(int32 a) { return int32(0u - uint32(a)); }
DEVICE int64 neg(int64 a) { return int64(0ull - uint64(a)); }

// Division by zero stops a Go program; here it gives all bits set, and leaves the dividend as remainder.
template <typename T> DEVICE T quo(T a, T b) { return b == 0 ? T(-1) : a / b; }
template <typename T> DEVICE T rem(T a, T b) { return b == 0 ? a : a % b; }
template <> __device__ __forceinline__ int32 quo(int32 a, int32 b) { return b == 0 ? -1 : b == -1 ? neg(a) : a / b; }
template <> __device__ __forceinline__ int64 quo(int64 a, int64 b) { return b == 0 ? -1 : b == -1 ? neg(a) : a / b; }
template <> __device__ __forceinline__ int32 rem(int32 a, int32 b) { return b == 0 ? a : b == -1 ? 0 : a % b; }
template <> __device__ __forceinline__ int64 rem(int64 a, int64 b) { return b == 0 ? a : b == -1 ? 0 : a % b; }

// Shifts by the width or more give 0, or the sign; a count is never negative.
template <typename T> DEVICE T shl(T a, uint64 n) { return n < sizeof(T) * 8 ? T(uint64(a) << n) : T(0); }
template <typename T> DEVICE T shr(T a, uint64 n) { return n < sizeof(T) * 8 ? T(a >> n) : T(a < 0 ? -1 : 0); }

// Go's min and max: a NaN wins, and -0 is less than 0.
template <typename T> DEVICE T go_min(T a, T b) { return b < a ? b : a; }
template <typename T> DEVICE T go_max(T a, T b) { return b > a ? b : a; }
DEVICE bool negative(float a) { return __float_as_int(a) < 0; }
DEVICE bool negative(double a) { return __double_as_longlong(a) < 0; }
template <typename T> DEVICE T go_min_float(T a, T b) {
    if (a != a || b != b) return a + b;
    if (a == b) return negative(a) ? a : b;
    return a < b ? a : b;
}
template <typename T> DEVICE T go_max_float(T a, T b) {
    if (a != a || b != b) return a + b;
    if (a == b) return negative(a) ? b : a;
    return a > b ? a : b;
}
template <> __device__ __forceinline__ float go_min(float a, float b) { return go_min_float(a, b); }
template <> __device__ __forceinline__ double go_min(double a, double b) { return go_min_float(a, b); }
template <> __device__ __forceinline__ float go_max(float a, float b) { return go_max_float(a, b); }
template <> __device__ __forceinline__ double go_max(double a, double b) { return go_max_float(a, b); }

// math.Min and math.Max: as above, but -Inf (of Min) and +Inf (of Max) win over a NaN.
DEVICE double math_Inf(int64 sign) { return __longlong_as_double(sign >= 0 ? 0x7ff0000000000000ll : -0x10000000000000ll); }
DEVICE double math_NaN() { return __longlong_as_double(0x7ff8000000000001ll); }
DEVICE double math_Min(double a, double b) { return a == math_Inf(-1) || b == math_Inf(-1) ? math_Inf(-1) : go_min(a, b); }
DEVICE double math_Max(double a, double b) { return a == math_Inf(1) || b == math_Inf(1) ? math_Inf(1) : go_max(a, b); }
DEVICE bool math_IsNaN(double a) { return a != a; }
DEVICE bool math_IsInf(double a, int64 sign) { return sign >= 0 && a == math_Inf(1) || sign <= 0 && a == math_Inf(-1); }

// Keys are unsigned integers in the order of the floats: rising has larger keys for larger floats, falling for smaller
// ones. -0 is less than 0, a NaN has the largest key, and no float has key 0, so that zeroed memory is empty.
DEVICE uint64 rising(float a) {
    const uint32 bits = uint32(__float_as_int(a));
    return a != a ? 0xffffffffu : bits >> 31 ? ~bits : bits | 0x80000000u;
}
DEVICE uint64 rising(double a) {
    const uint64 bits = uint64(__double_as_longlong(a));
    return a != a ? ~0ull : bits >> 63 ? ~bits : bits | 0x8000000000000000ull;
}
DEVICE uint64 falling(float a) { return a != a ? 0xffffffffu : ~uint32(rising(a)); }
DEVICE uint64 falling(double a) { return a != a ? ~0ull : ~rising(a); }
DEVICE float number(uint64 key, float) {
    const uint32 bits = uint32(key);
    return __int_as_float(int32(bits >> 31 ? bits & 0x7fffffffu : ~bits));
}
DEVICE double number(uint64 key, double) {
    return __longlong_as_double(int64(key >> 63 ? key & 0x7fffffffffffffffull : ~key));
}
DEVICE uint64 nan_key(float) { return 0xffffffffu; }
DEVICE uint64 nan_key(double) { return ~0ull; }

// Least and Most are those of package atomics: the smallest and largest number that they took.
template <typename F> struct Least {
    uint64 key;
    static __device__ __forceinline__ uint64 key_of(F x) { return falling(x); }
    __device__ __forceinline__ void Take(F x) { atomicMax(&key, key_of(x)); }
    __device__ __forceinline__ void Reset() { key = 0; }
    __device__ __forceinline__ F Value() const {
        if (key == 0) return F(math_Inf(1));
        return key == nan_key(F()) ? F(math_NaN()) : number(sizeof(F) == 4 ? uint32(~key) : ~key, F());
    }
};
template <typename F> struct Most {
    uint64 key;
    static __device__ __forceinline__ uint64 key_of(F x) { return rising(x); }
    __device__ __forceinline__ void Take(F x) { atomicMax(&key, key_of(x)); }
    __device__ __forceinline__ void Reset() { key = 0; }
    __device__ __forceinline__ F Value() const {
        if (key == 0) return F(math_Inf(-1));
        return key == nan_key(F()) ? F(math_NaN()) : number(key, F());
    }
};

#ifndef ONE_THREAD
// reduce merges the largest key of a block into the result. All threads of the block call it, and threads of a block
// differ only in threadIdx.x.
template <typename R> DEVICE void reduce(R *result, uint64 key) {
    __shared__ uint64 warps[32];
    for (uint32 half = 16; half > 0; half /= 2) {
        const uint64 other = __shfl_down_sync(0xffffffffu, key, half);
        key = other > key ? other : key;
    }
    if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = key;
    __syncthreads();
    if (threadIdx.x > 0) return;
    for (uint32 w = 1; w < (blockDim.x + 31) / 32; w++) key = warps[w] > key ? warps[w] : key;
    if (key) atomicMax(&result->key, key); // nobody waits for it
}
#endif

// Atomic functions whose outcome does not depend on the order of threads.
DEVICE void atomic_add(int32 *p, int32 v) { atomicAdd(p, v); }
DEVICE void atomic_add(uint32 *p, uint32 v) { atomicAdd(p, v); }
DEVICE void atomic_add(int64 *p, int64 v) { atomicAdd((uint64 *)p, uint64(v)); }
DEVICE void atomic_add(uint64 *p, uint64 v) { atomicAdd(p, v); }
template <typename T> DEVICE void atomic_min(T *p, T v) { atomicMin(p, v); }
template <typename T> DEVICE void atomic_max(T *p, T v) { atomicMax(p, v); }
#ifndef ONE_THREAD
DEVICE float exchange(float *p, float old, float v) {
    return __int_as_float(atomicCAS((int32 *)p, __float_as_int(old), __float_as_int(v)));
}
DEVICE double exchange(double *p, double old, double v) {
    return __longlong_as_double(
        int64(atomicCAS((uint64 *)p, uint64(__double_as_longlong(old)), uint64(__double_as_longlong(v)))));
}
template <typename T> DEVICE void atomic_float(T *p, T v, uint64 (*key_of)(T)) {
    for (T old = *(volatile T *)p; key_of(v) > key_of(old);) old = exchange(p, old, v);
}
#endif
template <> __device__ __forceinline__ void atomic_min(float *p, float v) { atomic_float<float>(p, v, falling); }
template <> __device__ __forceinline__ void atomic_min(double *p, double v) { atomic_float<double>(p, v, falling); }
template <> __device__ __forceinline__ void atomic_max(float *p, float v) { atomic_float<float>(p, v, rising); }
template <> __device__ __forceinline__ void atomic_max(double *p, double v) { atomic_float<double>(p, v, rising); }
